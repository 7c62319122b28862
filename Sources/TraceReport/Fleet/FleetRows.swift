import Foundation
import RunLoopVocabulary
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
  /// Nanoseconds of hangs for each hour in runs of the loop.
  var hangNsPerHour: Double? { share(loop("hang_ns"), loop("time_ns")).map { $0 * 3.6e12 } }
  var hangs: UInt64 { loop("hangs") }
  var hangNs: UInt64 { loop("hang_ns") }
  var sessionsWithHangs: Double? { share(loop("sessions_with_hangs"), loop("sessions")) }
  var due: UInt64 { summary.sum(.timers, "due") }
  var skipped: UInt64 { summary.sum(.timers, "skipped") }
  var skippedShare: Double? { share(skipped, due) }
  var starvedShare: Double? { share(summary.sum(.timers, "skipped_wrong_mode"), due) }
  var overdueNs: UInt64 { summary.sum(.timers, "overdue_ns") }

  private func share(_ part: UInt64, _ whole: UInt64) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }

  /// Percentiles of the lengths of passes in main modes, and of the lateness of timers.
  func pass(_ share: Double) -> UInt64? {
    summary.percentile(share, .modes, "pass_ns") { $0[1] == "main" }
  }
  func lateness(_ share: Double) -> UInt64? { summary.percentile(share, .timers, "lateness_ns") }

  /// Returns one row for each group of keys.
  static func all(_ fleet: Fleet, by keys: [String]) -> [FleetGroup] {
    fleet.merged(by: keys).ordered { $0.key.lexicographicallyPrecedes($1.key) }.map { values, summary in
      FleetGroup(
        name: name(Array(zip(keys, values))),
        values: keys.isEmpty ? "all" : values.map { $0.isEmpty ? "?" : $0 }.joined(separator: ", "),
        summary: summary)
    }
  }

  static func name(_ parts: [(String, String)]) -> String {
    parts.isEmpty ? "all" : parts.map { "\($0.0)=\($0.1.isEmpty ? "?" : $0.1)" }.joined(separator: ", ")
  }
}

extension Question {
  /// Returns a mean for people.
  func text(_ mean: Double) -> String {
    switch unit {
    case .nanoseconds: Units.duration(UInt64(max(0, min(mean, 0x1p63))))
    case .ppm: Units.significant(mean / 10_000) + " %"
    case .share: Units.significant(mean * 100) + " %"
    }
  }
}

extension StratifiedTest {
  /// The p-value for people.
  var pText: String { pValue < 0.001 ? "<0.001" : String(format: "%.3f", pValue) }
}

extension FleetJudgement.Row {
  var what: String { subject.isEmpty ? question.words : "\(question.words) \(subject)" }
  var place: String { stratum.isEmpty ? "" : FleetGroup.name(stratum.map { ($0.key, $0.value) }) }
}
