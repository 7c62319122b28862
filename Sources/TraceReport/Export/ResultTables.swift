import TraceAnalysis

/// Tables of the results of an analysis: a row each for modes, gaps, timer classes, callouts, findings.
enum ResultTables {
  static let trace = ExportColumns<(key: String, value: ExportCell)>(
    .trace, "facts of the recording, a row each",
    [
      ExportColumn("key", "which fact") { .text($0.key) },
      ExportColumn("value", "its value") { $0.value },
    ])

  static func rows(_ facts: TraceFacts) -> [(key: String, value: ExportCell)] {
    [
      ("events", .integer(facts.events)), ("lost_events", .integer(facts.lostEvents)),
      ("duration_ns", .integer(facts.durationNs)), ("from_ns", .integer(facts.fromNs)),
      ("to_ns", .integer(facts.toNs)), ("start_realtime_ns", ExportCell(facts.startRealtimeNs)),
      ("clean", .truth(facts.clean)), ("capture_level", .text(facts.captureLevel.name)),
      ("time_unit_ns", .integer(facts.timeUnitNs)), ("high_stamps", .truth(facts.hasHighStamps)),
      ("unknown_events", .integer(facts.unknownEvents)),
      ("unknown_blocks", .integer(UInt64(facts.unknownBlocks))),
      ("damaged_blocks", .integer(UInt64(facts.damagedBlocks))),
      ("suspended_ns", .integer(facts.suspendedNs)), ("late_beats", .integer(facts.lateBeats)),
      ("slept_besides_ns", .integer(facts.sleptBesidesNs)),
    ]
  }

  static let modes = ExportColumns<ModeResult>(
    .modes, "one row a loop, mode and thread",
    [
      ExportColumn("loop", "the loop's name") { .text($0.loop) },
      ExportColumn("mode", "") { .text($0.mode) },
      ExportColumn("thread", "index of the thread") { .integer(UInt64($0.thread)) },
      ExportColumn("time_ns", "time inside the mode's runs, suspension left out") { .integer($0.timeNs) },
      ExportColumn("busy_ns", "of it, not waiting") { .integer($0.busyNs) },
      ExportColumn("waiting_ns", "of it, waiting") { .integer($0.waitingNs) },
      ExportColumn("suspended_ns", "beside it") { .integer($0.suspendedNs) },
      ExportColumn("passes", "complete passes") { .integer($0.passes) },
      ExportColumn("polls", "of them, without a wait") { .integer($0.polls) },
      ExportColumn("wakes", "waits that ended") { .integer($0.wakes) },
      ExportColumn("wakes_for_nothing", "of them, without a callout behind") { ExportCell($0.emptyWakes) },
      ExportColumn("utilisation", "busy ÷ (busy + waiting)") {
        ExportCell(share($0.busyNs, of: $0.busyNs &+ $0.waitingNs))
      },
    ]
      + Phase.allCases.filter { $0 != .outside }.map { phase in
        ExportColumn("phases_ns.\(phase.name)", "time in the phase") { ExportCell($0.phasesNs[phase]) }
      }
      + distribution("pass_ns", "length of passes, waiting left out") { $0.passNs }
      + distribution("wake_to_callout_ns", "from the end of a wait to the first callout") {
        $0.wakeToCalloutNs
      })

  static let gaps = ExportColumns<Gap>(
    .gaps, "the longest 1000 gaps above the threshold",
    [
      ExportColumn("start_ns", "since the trace's origin") { .integer($0.startNs) },
      ExportColumn("duration_ns", "suspension left out") { .integer($0.durationNs) },
      ExportColumn("after", "the activity that it follows") { .text($0.after.name) },
      ExportColumn("mode", "of the innermost run") { .text($0.mode) },
      ExportColumn("thread", "index of the thread") { .integer(UInt64($0.thread)) },
    ]
      + spanCallouts(\.callouts, count: \.calloutCount, ns: \.calloutNs, unexplained: \.unexplainedNs) + [
        ExportColumn("open", "the recording ended before it did") { .truth($0.isOpen) },
        ExportColumn("suspended_ns", "beside its duration") { .integer($0.suspendedNs) },
        ExportColumn("uncertain", "events were lost in it, or the recorder was late") {
          .truth($0.isUncertain)
        },
        ExportColumn("limit_ns", "of the profile") { ExportCell($0.limitNs) },
      ])

  static let busy = ExportColumns<BusyInterval>(
    .busy, "the longest 1000 busy intervals of 100 ms and above",
    [
      ExportColumn("start_ns", "since the trace's origin") { .integer($0.startNs) },
      ExportColumn("duration_ns", "suspension left out") { .integer($0.durationNs) },
      ExportColumn("class", "Apple's") { ExportCell($0.busyClass?.name) },
      ExportColumn("mode", "in which it began") { .text($0.mode) },
      ExportColumn("thread", "index of the thread") { .integer(UInt64($0.thread)) },
      ExportColumn("outside_ns", "of it, outside runs") { .integer($0.outsideNs) },
    ]
      + spanCallouts(\.callouts, count: \.calloutCount, ns: \.calloutNs, unexplained: \.unexplainedNs) + [
        ExportColumn("open", "the recording ended before it did") { .truth($0.isOpen) },
        ExportColumn("suspended_ns", "beside its duration") { .integer($0.suspendedNs) },
        ExportColumn("uncertain", "events were lost in it, or the recorder was late") {
          .truth($0.isUncertain)
        },
      ])

  /// Who ran in a gap or busy interval.
  private static func spanCallouts<Row>(
    _ list: @escaping @Sendable (Row) -> [SpanCalloutResult],
    count: @escaping @Sendable (Row) -> UInt64, ns: @escaping @Sendable (Row) -> UInt64,
    unexplained: @escaping @Sendable (Row) -> UInt64
  ) -> [ExportColumn<Row>] {
    [
      ExportColumn("callout_count", "callouts that ran in it") { .integer(count($0)) },
      ExportColumn("callouts_ns", "time in which callouts or observers ran, each instant once") {
        .integer(ns($0))
      },
      ExportColumn("unexplained_ns", "time in which nothing recorded ran") { .integer(unexplained($0)) },
      ExportColumn("callouts.0.kind", "of the callouts that took most of it by themselves") {
        ExportCell(list($0).first?.kind)
      },
      ExportColumn("callouts.0.name", "") { ExportCell(list($0).first?.name) },
      ExportColumn("callouts.0.count", "how many of them ran") { ExportCell(list($0).first?.count) },
      ExportColumn("callouts.0.duration_ns", "their time") { ExportCell(list($0).first?.durationNs) },
      ExportColumn("callouts.0.self_ns", "of it, outside callouts inside them") {
        ExportCell(list($0).first?.selfNs)
      },
    ]
  }

  static let callouts = ExportColumns<CalloutResult>(
    .callouts, "one row a kind, name and thread, most time first",
    [
      ExportColumn("kind", "timer, source0, source1, block …") { .text($0.kind) },
      ExportColumn("name", "") { .text($0.name) },
      ExportColumn("thread", "index of the thread") { .integer(UInt64($0.thread)) },
      ExportColumn("count", "callouts that ended") { .integer($0.count) },
      ExportColumn("time_ns", "without runs that they started") { .integer($0.timeNs) },
      ExportColumn("self_ns", "of it, outside callouts inside them") { .integer($0.selfNs) },
      ExportColumn("longest_ns", "the longest") { .integer($0.longestNs) },
      ExportColumn("longest_start_ns", "when that began") { .integer($0.longestStartNs) },
      ExportColumn("worst_pass_ns", "the most that one pass spent in them") { .integer($0.worstPassNs) },
      ExportColumn("worst_pass_start_ns", "when that pass began") { .integer($0.worstPassStartNs) },
      ExportColumn("nested_ns", "inside runs that they started") { .integer($0.nestedNs) },
    ])

  static let findings = ExportColumns<Finding>(
    .findings, "ranked, the worst first",
    [
      ExportColumn("rule", "see docs/findings.md") { .text($0.rule.rawValue) },
      ExportColumn("severity", "error, warning or info") { .text($0.severity.name) },
      ExportColumn("title", "the rule's") { .text($0.rule.title) },
      ExportColumn("text", "what was found") { .text($0.text) },
      ExportColumn("remedy", "what usually helps") { .text($0.remedy) },
      ExportColumn("evidence.0.start_ns", "of the first piece of evidence") {
        ExportCell($0.evidence.first?.startNs)
      },
      ExportColumn("evidence.0.duration_ns", "") { ExportCell($0.evidence.first?.durationNs) },
      ExportColumn("evidence.0.callout", "") { ExportCell($0.evidence.first?.callout) },
      ExportColumn("evidence.0.note", "") { ExportCell($0.evidence.first?.note) },
      ExportColumn("evidence_count", "pieces of evidence") { .integer(UInt64($0.evidence.count)) },
    ])

  /// Percentiles of nothing are unknown.
  static func distribution<Row>(
    _ name: String, _ about: String, _ value: @escaping @Sendable (Row) -> Distribution?
  ) -> [ExportColumn<Row>] {
    func column(_ part: String, _ about: String, _ read: @escaping @Sendable (Distribution) -> UInt64)
      -> ExportColumn<
        Row
      >
    {
      ExportColumn("\(name).\(part)", about) { row in
        guard let distribution = value(row) else { return .unknown }
        let isKnown = distribution.count > 0 || part == "count" || part == "sum"
        return isKnown ? .integer(read(distribution)) : .unknown
      }
    }
    return [
      column("count", about + ": how many", \.count), column("sum", "exact", \.sum),
      column("min", "exact", \.min), column("p50", "within 0.5 %", \.p50),
      column("p90", "within 0.5 %", \.p90), column("p99", "within 0.5 %", \.p99),
      column("p999", "within 0.5 %", \.p999), column("max", "exact", \.max),
    ]
  }
}
