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

  struct Document: Encodable {
    let schema = AnalysisJSON.schema
    let file: String
    let trace: Trace
    let loops: [Loop]
    let modes: [Mode]
    let empty_runs: [EmptyRuns]
    let gaps: [GapRow]
    let gaps_omitted: Int
    let busy: [BusyRow]
    let busy_omitted: Int
    let timers: [TimerRow]
    let callouts: [CalloutRow]
    let sources: [SourceRow]
    let queues: QueueRows
    let utilisation: [UtilisationRow]
    @OrNull var input_delay_ns: InputDelayRow?
    let lifecycle: LifeCycleRows
    let marks: [MarkRow]
    let marks_omitted: Int
    let intervals: [IntervalRow]
    let intervals_omitted: Int
    let interval_names: [IntervalNameRow]
    let detectors: [DetectorRow]
    let incidents: [IncidentRow]
    let findings: [FindingRow]
    let verdict: VerdictRow
    @OrNull var profile: String?
    let notes: [String]

    init(file: String, _ analysis: Analysis) {
      self.file = file
      trace = Trace(analysis.trace)
      loops = analysis.loops.map(Loop.init)
      modes = analysis.modes.map(Mode.init)
      empty_runs = analysis.emptyRuns.map(EmptyRuns.init)
      gaps = analysis.gaps.map(GapRow.init)
      gaps_omitted = analysis.gapsOmitted
      busy = analysis.busy.map(BusyRow.init)
      busy_omitted = analysis.busyOmitted
      timers = analysis.timers.map(TimerRow.init)
      callouts = analysis.callouts.map(CalloutRow.init)
      sources = analysis.sources.map(SourceRow.init)
      queues = QueueRows(analysis.queues)
      utilisation = analysis.utilisation.map(UtilisationRow.init)
      input_delay_ns = analysis.inputDelay.map(InputDelayRow.init)
      lifecycle = LifeCycleRows(analysis.lifeCycle)
      marks = analysis.marks.marks.map(MarkRow.init)
      marks_omitted = analysis.marks.marksOmitted
      intervals = analysis.marks.intervals.map(IntervalRow.init)
      intervals_omitted = analysis.marks.intervalsOmitted
      interval_names = analysis.marks.byName.map(IntervalNameRow.init)
      detectors = analysis.detectors.map(DetectorRow.init)
      incidents = analysis.incidents.map { IncidentRow($0, analysis.detectors.map(\.rule)) }
      findings = analysis.findings.map(FindingRow.init)
      verdict = VerdictRow(analysis.verdict)
      profile = analysis.profile?.name
      notes = analysis.notes
    }
  }

  struct Trace: Encodable {
    let events: UInt64
    let lost_events: UInt64
    let unknown_events: UInt64
    let unknown_blocks: Int
    let damaged_blocks: Int
    let duration_ns: UInt64
    let from_ns: UInt64
    let to_ns: UInt64
    @OrNull var start_realtime_ns: UInt64?
    let clean: Bool
    let capture_level: String
    let time_unit_ns: UInt64
    let high_stamps: Bool
    let threads: [Thread]
    let suspended_ns: UInt64
    let suspensions: [SuspensionRow]
    let suspensions_omitted: Int
    let late_beats: UInt64
    let slept_besides_ns: UInt64

    struct SuspensionRow: Encodable {
      let start_ns: UInt64
      let duration_ns: UInt64
      let evidence: String
    }

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
      suspended_ns = facts.suspendedNs
      suspensions = facts.suspensions.map {
        SuspensionRow(start_ns: $0.startNs, duration_ns: $0.durationNs, evidence: $0.evidence.rawValue)
      }
      suspensions_omitted = facts.suspensionsOmitted
      late_beats = facts.lateBeats
      slept_besides_ns = facts.sleptBesidesNs
      threads = facts.threads.map {
        Thread(index: $0.index, os_thread: $0.osThread, main: $0.isMain, name: $0.name)
      }
    }
  }

  struct Loop: Encodable {
    let loop: String
    let thread: UInt32
    let time_ns: UInt64
    let busy_ns: UInt64
    let waiting_ns: UInt64
    let runs: UInt64
    let nested_runs: UInt64
    let passes: UInt64
    let suspended_ns: UInt64
    @OrNull var utilisation: Double?
    @OrNull var first_run_ns: UInt64?
    @OrNull var lived_on_ns: UInt64?

    init(_ result: LoopResult) {
      first_run_ns = result.firstRunNs
      lived_on_ns = result.livedOnNs
      suspended_ns = result.suspendedNs
      utilisation = share(result.busyNs, of: result.busyNs &+ result.waitingNs)
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

  struct Mode: Encodable {
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
    let suspended_ns: UInt64
    let polls: UInt64
    let wakes: UInt64
    @OrNull var wakes_for_nothing: UInt64?
    @OrNull var observers_ns: [String: UInt64]?
    @OrNull var utilisation: Double?
    @OrNull var input_delay_ns: DelayRow?

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
      suspended_ns = result.suspendedNs
      polls = result.polls
      wakes = result.wakes
      wakes_for_nothing = result.emptyWakes
      observers_ns = result.observersNs.map { observers in
        Dictionary(uniqueKeysWithValues: observers.map { ($0.key.name, $0.value) })
      }
      utilisation = share(result.busyNs, of: result.busyNs &+ result.waitingNs)
      input_delay_ns = result.inputDelay.map(DelayRow.init)
    }
  }

  /// Extremes and percentiles of nothing are null, not zero.
  struct DistributionRow: Encodable {
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

  struct GapRow: Encodable {
    let start_ns: UInt64
    let duration_ns: UInt64
    let after: String
    let mode: String
    let thread: UInt32
    let callouts: [SpanCalloutRow]
    let callout_count: UInt64
    let callouts_ns: UInt64
    let unexplained_ns: UInt64
    let open: Bool
    let suspended_ns: UInt64
    let uncertain: Bool
    @OrNull var limit_ns: UInt64?

    init(_ gap: Gap) {
      start_ns = gap.startNs
      duration_ns = gap.durationNs
      after = gap.after.name
      mode = gap.mode
      thread = gap.thread
      callouts = gap.callouts.map(SpanCalloutRow.init)
      callout_count = gap.calloutCount
      callouts_ns = gap.calloutNs
      unexplained_ns = gap.unexplainedNs
      open = gap.isOpen
      suspended_ns = gap.suspendedNs
      uncertain = gap.isUncertain
      limit_ns = gap.limitNs
    }
  }

  /// Of a gap or a busy interval.
  struct SpanCalloutRow: Encodable {
    let kind: String
    let name: String
    let count: UInt64
    let duration_ns: UInt64
    let self_ns: UInt64

    init(_ callout: SpanCalloutResult) {
      kind = callout.kind
      name = callout.name
      count = callout.count
      duration_ns = callout.durationNs
      self_ns = callout.selfNs
    }
  }

  struct BusyRow: Encodable {
    let start_ns: UInt64
    let duration_ns: UInt64
    let mode: String
    let thread: UInt32
    let outside_ns: UInt64
    let callouts: [SpanCalloutRow]
    let callout_count: UInt64
    let callouts_ns: UInt64
    let unexplained_ns: UInt64
    let open: Bool
    @OrNull var `class`: String?
    let suspended_ns: UInt64
    let uncertain: Bool

    init(_ interval: BusyInterval) {
      start_ns = interval.startNs
      duration_ns = interval.durationNs
      mode = interval.mode
      thread = interval.thread
      outside_ns = interval.outsideNs
      callouts = interval.callouts.map(SpanCalloutRow.init)
      callout_count = interval.calloutCount
      callouts_ns = interval.calloutNs
      unexplained_ns = interval.unexplainedNs
      open = interval.isOpen
      `class` = interval.busyClass?.name
      suspended_ns = interval.suspendedNs
      uncertain = interval.isUncertain
    }
  }
}
