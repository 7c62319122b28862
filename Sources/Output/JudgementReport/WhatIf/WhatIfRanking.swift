import ReportWriting
import TraceAnalysis
import TraceComparison
import TraceTables
import WhatIf

/// Changes of one recording, the most useful one first.
package struct WhatIfRanking {
  /// A change and what it is worth.
  package struct Entry: Sendable {
    package var change: String
    /// Nil = predicted; else why not.
    package var undecided: String?
    package var isExact = false
    package var hangsRemovedNs: Int64 = 0
    package var hitchesRemovedNs: Int64 = 0
    package var firesWonBack: Int64 = 0
    package var busyNs: Int64 = 0
    /// The program's function with most time in the callout that the change shortens; nil = it was not sampled, or the
    /// change shortens none.
    package var function: CalloutFunctions.Held?

    package init(change: String, undecided: String?) {
      self.change = change
      self.undecided = undecided
    }

    package init(change: String, isExact: Bool, _ figures: [PredictedFigure]) {
      self.change = change
      self.isExact = isExact
      func gain(_ subject: (String) -> Bool, _ name: String) -> Int64 {
        figures.filter { subject($0.subject) && $0.name == name }.reduce(0) {
          $0 &+ Int64(clamping: $1.base) &- Int64(clamping: $1.predicted)
        }
      }
      hangsRemovedNs = gain({ $0 == "hangs" }, "total")
      hitchesRemovedNs = gain(
        { $0.hasPrefix(PredictedFigures.framesPrefix) }, PredictedFigures.hitchTime)
      firesWonBack = gain({ $0.hasPrefix("timer ") }, "skipped")
      busyNs = -gain({ $0.hasPrefix("mode ") }, "busy")
    }

    /// The order of usefulness: hang time, then hitch time, then fires, then less busy time.
    func isBetter(than other: Entry) -> Bool {
      (hangsRemovedNs, hitchesRemovedNs, firesWonBack, -busyNs)
        > (other.hangsRemovedNs, other.hitchesRemovedNs, other.firesWonBack, -other.busyNs)
    }
  }

  package private(set) var entries: [Entry]

  package init(_ entries: [Entry]) {
    self.entries = entries.ordered { $0.undecided == nil && ($1.undecided != nil || $0.isBetter(than: $1)) }
  }

  func lines(style: TextStyle) -> [String] {
    guard !entries.isEmpty else {
      return ["No change suggests itself: no timer starves in a mode, and no callout takes longer than 8 ms."]
    }
    let hasHitches = entries.contains { $0.hitchesRemovedNs != 0 }
    var table = TextTable(
      ["change", "hangs removed"] + (hasHitches ? ["hitches removed"] : [])
        + ["fires recovered", "busy", "exact"])
    for entry in entries where entry.undecided == nil {
      let hitches = hasHitches ? [Self.time(entry.hitchesRemovedNs)] : []
      table.add(
        [harmless(entry.change, limit: 120), Self.time(entry.hangsRemovedNs)] + hitches
          + [
            "\(entry.firesWonBack)", Self.time(entry.busyNs, signed: true), entry.isExact ? "yes" : "no",
          ])
    }
    let functions = entries.compactMap { entry in entry.function.map { (entry.change, $0.sentence.text()) } }
    let refused = entries.compactMap { entry in entry.undecided.map { (entry.change, $0) } }
    return (table.isEmpty ? [] : table.lines(style: style))
      + functions.flatMap { style.wrapped("\(harmless($0.0, limit: 120)): \($0.1)") }
      + refused.flatMap { style.wrapped("undecided: \(harmless($0.0, limit: 120)): \($0.1)") }
  }

  private static func time(_ ns: Int64, signed: Bool = false) -> String {
    let sign = ns < 0 ? "−" : ns > 0 && signed ? "+" : ""
    return ns == 0 ? "0" : sign + Units.duration(ns.magnitude)
  }

  static let table = ResultTable<Entry>("tried", "changes that --rank tried, the most useful first") {
    Column("change", "change as for --do") { $0.change }
    Column("undecided", "reason why the change cannot be predicted; null = it was predicted") { $0.undecided }
    Column("exact", "whether the prediction is exact if the assumptions hold") { $0.isExact }
    Column("hangs_removed_ns", "hang time that the change removes") { Double($0.hangsRemovedNs) }
    Column("hitches_removed_ns", "hitch time that the change removes") { Double($0.hitchesRemovedNs) }
    Column("fires_won_back", "skipped fires that the change brings back") { Double($0.firesWonBack) }
    Column("busy_ns", "busy time that the change adds; negative = removes") { Double($0.busyNs) }
    StackTables.blamed(
      "program's function with most time in the callout that the change shortens; null = not sampled"
    ) { $0.function?.frame }
    Column("function_ns", "time of that function in the callout's sampled gaps") { $0.function?.heldNs }
    Column("sampled_ns", "time of the callout in these gaps") { $0.function?.calloutNs }
  }
}
