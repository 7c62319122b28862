// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import TraceAnalysis

/// An analysis as JSON, schema `rltrace.analysis/1`. docs/analysis.md defines each key.
public enum AnalysisJSON {
  public static let schema = "rltrace.analysis/1"

  /// One analysis gives an object, several an array of them. Keys are sorted, so that outputs compare as text.
  public static func encode(_ analyses: [(file: String, analysis: Analysis)]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let documents = analyses.map { Document(file: $0.file, $0.analysis) }
    let data = documents.count == 1 ? try encoder.encode(documents[0]) : try encoder.encode(documents)
    return String(decoding: data, as: UTF8.self)
  }

  private struct Document: Encodable {
    let schema = AnalysisJSON.schema
    let file: String
    let trace: Trace
    let loops: [Loop]
    let modes: [Mode]
    let gaps: [GapRow]
    let gaps_omitted: Int
    let busy: [BusyRow]
    let busy_omitted: Int
    let timers: [TimerRow]
    let notes: [String]

    init(file: String, _ analysis: Analysis) {
      self.file = file
      trace = Trace(analysis.trace)
      loops = analysis.loops.map(Loop.init)
      modes = analysis.modes.map(Mode.init)
      gaps = analysis.gaps.map(GapRow.init)
      gaps_omitted = analysis.gapsOmitted
      busy = analysis.busy.map(BusyRow.init)
      busy_omitted = analysis.busyOmitted
      timers = analysis.timers.map(TimerRow.init)
      notes = analysis.notes
    }
  }

  private struct Trace: Encodable {
    let events: UInt64
    let lost_events: UInt64
    let unknown_events: UInt64
    let unknown_blocks: Int
    let damaged_blocks: Int
    let duration_ns: UInt64
    let from_ns: UInt64
    let to_ns: UInt64
    let start_realtime_ns: UInt64?
    let clean: Bool
    let capture_level: String
    let time_unit_ns: UInt64
    let high_stamps: Bool
    let threads: [Thread]

    struct Thread: Encodable {
      let index: UInt32
      let os_thread: UInt64
      let main: Bool
      let name: String
    }

    init(_ facts: TraceFacts) {
      events = facts.events
      lost_events = facts.lostEvents
      unknown_events = facts.unknownEvents
      unknown_blocks = facts.unknownBlocks
      damaged_blocks = facts.damagedBlocks
      duration_ns = facts.durationNs
      from_ns = facts.fromNs
      to_ns = facts.toNs
      start_realtime_ns = facts.startRealtimeNs
      clean = facts.clean
      capture_level = facts.captureLevel.name
      time_unit_ns = facts.timeUnitNs
      high_stamps = facts.hasHighStamps
      threads = facts.threads.map {
        Thread(index: $0.index, os_thread: $0.osThread, main: $0.isMain, name: $0.name)
      }
    }
  }

  private struct Loop: Encodable {
    let loop: String
    let thread: UInt32
    let time_ns: UInt64
    let busy_ns: UInt64
    let waiting_ns: UInt64
    let runs: UInt64
    let nested_runs: UInt64
    let passes: UInt64

    init(_ result: LoopResult) {
      loop = result.loop
      thread = result.thread.index
      time_ns = result.timeNs
      busy_ns = result.busyNs
      waiting_ns = result.waitingNs
      runs = result.runs
      nested_runs = result.nestedRuns
      passes = result.passes
    }
  }

  private struct Mode: Encodable {
    let loop: String
    let mode: String
    let thread: UInt32
    let time_ns: UInt64
    let busy_ns: UInt64
    let waiting_ns: UInt64
    let passes: UInt64
    let phases_ns: [String: UInt64]
    let pass_ns: DistributionRow
    let wake_to_callout_ns: DistributionRow

    init(_ result: ModeResult) {
      loop = result.loop
      mode = result.mode
      thread = result.thread
      time_ns = result.timeNs
      busy_ns = result.busyNs
      waiting_ns = result.waitingNs
      passes = result.passes
      phases_ns = Dictionary(uniqueKeysWithValues: result.phasesNs.map { ($0.key.name, $0.value) })
      pass_ns = DistributionRow(result.passNs)
      wake_to_callout_ns = DistributionRow(result.wakeToCalloutNs)
    }
  }

  /// Extremes and percentiles of nothing are null, not zero.
  private struct DistributionRow: Encodable {
    let distribution: Distribution
    init(_ distribution: Distribution) { self.distribution = distribution }

    enum CodingKeys: String, CodingKey { case count, sum, min, p50, p90, p99, p999, max }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(distribution.count, forKey: .count)
      try container.encode(distribution.sum, forKey: .sum)
      let values: [(CodingKeys, UInt64)] = [
        (.min, distribution.min), (.p50, distribution.p50), (.p90, distribution.p90),
        (.p99, distribution.p99),
        (.p999, distribution.p999), (.max, distribution.max),
      ]
      for (key, value) in values { try container.encode(distribution.count > 0 ? value : nil, forKey: key) }
    }
  }

  private struct GapRow: Encodable {
    let start_ns: UInt64
    let duration_ns: UInt64
    let after: String
    let mode: String
    let thread: UInt32
    let callouts: [Callout]
    let callout_count: UInt64
    let callouts_ns: UInt64
    let open: Bool

    struct Callout: Encodable {
      let kind: String
      let name: String
      let duration_ns: UInt64
    }

    init(_ gap: Gap) {
      start_ns = gap.startNs
      duration_ns = gap.durationNs
      after = gap.after.name
      mode = gap.mode
      thread = gap.thread
      callouts = gap.callouts.map { Callout(kind: $0.kind, name: $0.name, duration_ns: $0.durationNs) }
      callout_count = gap.calloutCount
      callouts_ns = gap.calloutNs
      open = gap.isOpen
    }
  }

  private struct BusyRow: Encodable {
    let start_ns: UInt64
    let duration_ns: UInt64
    let mode: String
    let thread: UInt32
    let outside_ns: UInt64
    let open: Bool

    init(_ interval: BusyInterval) {
      start_ns = interval.startNs
      duration_ns = interval.durationNs
      mode = interval.mode
      thread = interval.thread
      outside_ns = interval.outsideNs
      open = interval.isOpen
    }
  }

  private struct TimerRow: Encodable {
    let result: TimerResult
    init(_ result: TimerResult) { self.result = result }

    enum CodingKeys: String, CodingKey {
      case name, site, objects, interval_ns, modes, common, due, fired, skipped, withdrawn, pending, early,
        manual
      case lateness_ns, overdue_by_mode_ns, pending_overdue_ns, skipped_by, wrong_mode_by
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(result.name, forKey: .name)
      try container.encode(result.site, forKey: .site)
      try container.encode(result.objects, forKey: .objects)
      try container.encode(result.intervalNs, forKey: .interval_ns)
      try container.encode(result.modes, forKey: .modes)
      try container.encode(result.isCommon, forKey: .common)
      try container.encode(result.fired, forKey: .fired)
      try container.encode(result.manual, forKey: .manual)
      // Null where the recording holds no due points: see `notes`.
      let ledger = result.ledger
      try container.encode(ledger?.due, forKey: .due)
      try container.encode(ledger?.skipped, forKey: .skipped)
      try container.encode(ledger?.withdrawn, forKey: .withdrawn)
      try container.encode(ledger?.pending, forKey: .pending)
      try container.encode(ledger?.early, forKey: .early)
      try container.encode(ledger.map { DistributionRow($0.latenessNs) }, forKey: .lateness_ns)
      try container.encode(ledger?.pendingOverdueNs, forKey: .pending_overdue_ns)
      try container.encode(
        ledger.map { sums($0.overdueByModeNs.map { ($0.mode, $0.ns) }) }, forKey: .overdue_by_mode_ns)
      try container.encode(
        ledger.map { sums($0.wrongModeBy.map { ($0.mode, $0.count) }) }, forKey: .wrong_mode_by)
      try container.encode(
        ledger.map { sums($0.skippedBy.map { ($0.key.name, $0.value) }) }, forKey: .skipped_by)
    }

    private func sums(_ rows: [(String, UInt64)]) -> [String: UInt64] {
      Dictionary(rows, uniquingKeysWith: &+)
    }
  }
}
