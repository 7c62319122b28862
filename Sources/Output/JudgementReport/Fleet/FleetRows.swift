import Foundation
import TraceFleet
import TraceResults

/// The rows of a fleet's report: merged summaries, ranked.
struct FleetGroup {
  /// Such as `os=18, device=phoneA`; `all` without keys.
  var name: String
  /// The values alone; `all` without keys.
  var values: String
  var summary: SessionSummary

  private func loop(_ field: String) -> UInt64 { summary.sum(.loops, field) }

  var sessions: UInt64 { summary.sessions }
  var lossy: UInt64 { summary.sum(.recordings, "lossy_sessions") }
  var spanNs: UInt64 { summary.sum(.recordings, "span_ns") }
  var busyShare: Double? { share(loop("busy_ns"), loop("time_ns")) }
  /// Nanoseconds of hangs per hour in runs of the loop.
  var hangNsPerHour: Double? { share(loop("hang_ns"), loop("time_ns")).map { $0 * 3.6e12 } }
  var hangs: UInt64 { loop("hangs") }
  var hangNs: UInt64 { loop("hang_ns") }
  var sessionsWithHangs: Double? { share(loop("sessions_with_hangs"), loop("sessions")) }
  var due: UInt64 { summary.sum(.timers, "due") }
  var skipped: UInt64 { summary.sum(.timers, "skipped") }
  var skippedShare: Double? { share(skipped, due) }
  var starvedShare: Double? { share(summary.sum(.timers, "skipped_wrong_mode"), due) }
  var overdueNs: UInt64 { summary.sum(.timers, "overdue_ns") }

  /// The hitches of the judged frame sources; nil = none was active.
  var frames: HitchTime? {
    let rows = summary.rows(.frames).map(\.row)
    var time = HitchTime()
    time.hitches = summary.sum(.frames, "hitches")
    time.hitchNs = summary.sum(.frames, "hitch_ns")
    time.longestNs = rows.map { $0.number("longest_hitch_ns", of: .frames) }.max() ?? 0
    time.activeNs = summary.sum(.frames, "active_ns")
    return time.activeNs > 0 ? time : nil
  }

  private func share(_ part: UInt64, _ whole: UInt64) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }

  /// Percentiles of the lengths of passes in main modes, and of the lateness of timers.
  func pass(_ share: Double) -> UInt64? {
    summary.percentile(share, .modes, "pass_ns") { $0[1] == "main" }
  }
  func lateness(_ share: Double) -> UInt64? { summary.percentile(share, .timers, "lateness_ns") }

  init(_ summary: SessionSummary, keys: [String] = [], values: [String] = []) {
    name = FleetGroup.name(Array(zip(keys, values)))
    self.values = keys.isEmpty ? "all" : values.map { $0.isEmpty ? "?" : $0 }.joined(separator: ", ")
    self.summary = summary
  }

  /// Returns one row for each group of keys.
  static func all(_ fleet: Fleet, by keys: [String]) -> [FleetGroup] {
    fleet.ordered(by: keys).map { FleetGroup($0.summary, keys: keys, values: $0.values) }
  }

  /// Returns the whole fleet as one row.
  static func whole(_ fleet: Fleet) -> FleetGroup {
    FleetGroup(fleet.merged(by: [])[[]] ?? .empty([:]))
  }

  static func name(_ parts: [(String, String)]) -> String {
    parts.isEmpty ? "all" : parts.map { "\($0.0)=\($0.1.isEmpty ? "?" : $0.1)" }.joined(separator: ", ")
  }
}

extension Question {
  /// Returns a mean as text.
  func text(_ mean: Double) -> String {
    switch unit {
    case .nanoseconds: Units.duration(UInt64(clamping: mean))
    case .ppm: Units.significant(mean / 10_000) + " %"
    case .share: Units.significant(mean * 100) + " %"
    case .microsecondsPerSecond: Units.rate(mean / 1000)
    }
  }

  /// Returns a difference of means as text.
  func signed(_ difference: Double) -> String { (difference < 0 ? "−" : "+") + text(abs(difference)) }
}

extension FleetJudgement.Row {
  /// The 95 % interval of the difference as text; empty = too few sessions.
  var differenceText: String {
    test.difference.map { "\(question.signed($0.low)) to \(question.signed($0.high))" } ?? ""
  }
}

extension StratifiedTest {
  /// The p-value as text.
  var pText: String { pValue < 0.001 ? "<0.001" : String(format: "%.3f", pValue) }
}

/// Texts that all forms of a fleet's report share.
enum FleetWords {
  static func percent(_ share: Double?) -> String { share.map { Units.significant($0 * 100) + " %" } ?? "–" }
  static func rate(_ time: HitchTime?) -> String { time?.ratio.map(Units.rate) ?? "–" }
  static func time(_ ns: Double?) -> String { ns.map { Units.duration(UInt64(clamping: $0)) } ?? "–" }
  static func time(_ ns: UInt64?) -> String { ns.map { Units.duration($0) } ?? "–" }

  static func header(_ fleet: Fleet, _ whole: FleetGroup, groups: Int) -> String {
    var parts = [
      Phrase.count(whole.sessions, "session", "sessions"), "\(Units.duration(whole.spanNs)) recorded",
      Phrase.count(groups, "group", "groups"),
    ]
    if whole.lossy > 0 { parts.append("\(whole.lossy) with losses, left out of all numbers") }
    if fleet.repeated > 0 {
      parts.append("\(Phrase.count(fleet.repeated, "repeated trace", "repeated traces")) counted once")
    }
    return parts.joined(separator: ", ")
  }
}

extension FleetJudgement {
  /// The base and the new build, such as `build=1.3`.
  var names: (base: String, new: String) {
    func name(_ side: [String: String]) -> String {
      harmless(FleetGroup.name(side.keys.ordered().map { ($0, side[$0] ?? "") }), limit: 100)
    }
    return (name(base), name(new))
  }

  /// The number of questions with enough sessions.
  var tested: Int { rows.count { $0.stratum.isEmpty && $0.outcome != .tooFew } }

  var method: String {
    "\(Phrase.count(tested, "question", "questions")) tested by session"
      + (strata.isEmpty
        ? ""
        : ", within " + strata.map { harmless($0) }.joined(separator: " and ")
          + ", and in each part of the fleet")
      + "; at most 5 % of the discoveries are expected to be false"
  }

  /// The clearest regression, and the callout or timer behind it.
  var headline: String {
    if isUndecided { return "Too few sessions to compare \(names.new) with \(names.base)" }
    guard let (row, culprit) = clearest else {
      return "No relevant regression of \(names.new) against \(names.base)"
    }
    let place = row.place.isEmpty ? "" : " in \(harmless(row.place, limit: 100))"
    return
      "\(names.new) is worse than \(names.base)\(place): \(harmless(row.what, limit: 100)), \(row.change)"
      + (culprit.map { "; \(harmless($0.what, limit: 100)), \($0.change)" } ?? "")
  }

  /// The differences that were found.
  var differences: [Row] { rows.filter { [.worse, .better, .minor].contains($0.outcome) } }

  /// The questions without enough sessions, as a list of at most ten; nil if there are none.
  var few: String? {
    let few = rows.filter { $0.stratum.isEmpty && $0.outcome == .tooFew }
    guard !few.isEmpty else { return nil }
    let shown = 10
    return few.prefix(shown).map { harmless($0.what, limit: 60) }.joined(separator: ", ")
      + (few.count > shown ? " and \(few.count - shown) more" : "")
  }
}

extension FleetJudgement.Row {
  /// The question and the part of the fleet.
  var title: String { place.isEmpty ? what : "\(what), \(place)" }
  var change: String { "\(question.text(test.baseMean)) → \(question.text(test.newMean))" }
  var what: String { subject.isEmpty ? question.words : "\(question.words) \(subject)" }
  var place: String { stratum.isEmpty ? "" : FleetGroup.name(stratum.map { ($0.key, $0.value) }) }
}
