import LoopTopology
import ReportWriting
import TraceAnalysis
import TraceTables

extension AnalysisText {
  /// Returns the items of each mode over time, then the moments of the snapshots and their limits.
  func inventory() -> [String] {
    let loops = Dictionary(grouping: analysis.inventory, by: \.loop)
    return grouped(analysis.snapshots, by: \.loop).flatMap { loop, snapshots in
      grouped(loops[loop] ?? [], by: \.mode).flatMap { part(loop, $0.rows) }
        + style.wrapped(about(loop, snapshots))
    }
  }

  /// Returns the items of one mode.
  private func part(_ loop: String, _ items: [InventoryItem]) -> [String] {
    let words = ItemWords { $0 }
    let lines = items.prefix(AnalysisText.shown).flatMap { row in
      var phrase = words.phrase(row.item)
      if row.isCommon { phrase += " (common)" }
      if let ns = row.addedNs { phrase += "; added by \(Units.moment(ns))" }
      if let ns = row.goneNs { phrase += "; gone by \(Units.moment(ns))" }
      return style.wrapped(phrase, indent: "    ", hanging: "      ")
    }
    let rest = items.count - AnalysisText.shown
    let title = "  \(harmless(items[0].mode)) (\(harmless(loop)))"
    return [title] + lines + Hint.more(rest, Hint.json, indent: "    ")
  }

  private func about(_ loop: String, _ snapshots: [TopologySnapshot]) -> String {
    let moments = snapshots.prefix(4).map { "\(Units.moment($0.timeNs)) (\($0.reason.name))" }
    let rest = snapshots.count - moments.count
    var sentence =
      "\(harmless(loop)): \(Phrase.count(snapshots.count, "snapshot", "snapshots")), "
      + moments.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    let empty = snapshots.last?.topology.modes.filter(\.hasNoSourcesOrTimers).map { harmless($0.name) } ?? []
    if !empty.isEmpty {
      sentence += "; in the last one, \(empty.joined(separator: ", ")) held no sources or timers: "
      sentence += "runs of such a mode return at once"
    }
    if snapshots.contains(where: \.hasUnseenItems) {
      sentence += "; the loop may hold items that the recorder did not see added"
    }
    if snapshots.contains(where: { !$0.isWhole }) { sentence += "; items are missing from some snapshots" }
    return sentence
  }

  func runs() -> [String] {
    analysis.snapshots.isEmpty ? [] : table(InventoryTables.runs, analysis.runs)
  }

  /// Groups rows in the order of first appearance of their names.
  private func grouped<Row>(_ rows: [Row], by name: (Row) -> String) -> [(name: String, rows: [Row])] {
    var groups: [(name: String, rows: [Row])] = []
    var places: [String: Int] = [:]
    for row in rows {
      let name = name(row)
      let place = places[name] ?? groups.count
      if place == groups.count {
        places[name] = place
        groups.append((name, []))
      }
      groups[place].rows.append(row)
    }
    return groups
  }
}
