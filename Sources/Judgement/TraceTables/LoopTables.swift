import TraceAnalysis
import TraceFormat
import TraceReplay

/// Tables of loops, their modes, and the utilisation of their threads.
package enum LoopTables {
  package static let loops = ResultTable<LoopResult>("loops", "loops, one row per loop and thread") {
    Column("loop", "the loop's name") { $0.loop }
    Column("kind", LoopKind.allCases.map(\.name).joined(separator: ", ")) { $0.kind.name }
    Column.thread { $0.thread.index }
    Column("time_ns", "time inside the loop's runs, without suspension") { $0.timeNs }
    Column("busy_ns", "part of time_ns in which the loop did not wait") { $0.busyNs }
    Column("waiting_ns", "part of time_ns in which the loop waited") { $0.waitingNs }
    Column("suspended_ns", "suspended time inside the loop's runs, in addition to time_ns") { $0.suspendedNs }
    utilisation { ($0.busyNs, $0.busyNs &+ $0.waitingNs) }
    Column("runs", "runs that began in the span, nested ones included") { $0.runs }
    Column("nested_runs", "runs inside another run") { $0.nestedRuns }
    Column("passes", "complete passes") { $0.passes }
    Column("first_run_ns", "start of the thread's first run in the span") { $0.firstRunNs }
    Column(
      "lived_on_ns",
      "how long the program continued after the thread's last run; null = a run was under way at the end"
    ) { $0.continuedNs }
  }

  private static let phases = Phase.allCases.filter { $0 != .outside }

  package static let modes = ResultTable<ModeResult>(
    "modes", "modes of run loops, one row per loop, mode and thread"
  ) {
    Column("loop", "the loop's name") { $0.loop }.named("loop", at: 2)
    Column("mode", "") { $0.mode }.named("mode", "One mode of one loop on one thread.", at: 1)
    Column.thread { $0.thread }.headed("thread", at: 3, in: .page)
    Column("time_ns", "time inside the mode's runs, without suspension") { $0.timeNs }
      .headed(
        "time", "Time inside the mode's runs. Each instant belongs to the mode of the innermost run.", at: 4)
    Column("busy_ns", "part of time_ns in which the loop did not wait") { $0.busyNs }.headed(
      "busy", "Time in which the loop did not wait.", at: 5)
    Column("waiting_ns", "part of time_ns in which the loop waited") { $0.waitingNs }
      .headed("waiting", "Time from BeforeWaiting to AfterWaiting.", at: 6)
    Column("suspended_ns", "suspended time, in addition to time_ns") { $0.suspendedNs }
      .headed(
        "suspended", "Time in which the process did not run, in addition to the time.", at: 12, in: .page)
    Column(.passes, "complete passes") { $0.passes }.compared(.number)
      .headed("passes", "Complete passes.", at: 8)
    Column(.polls, "passes that did not wait") { $0.polls }.compared(.part(of: .passes)).metric()
      .headed("polls", "Passes that did not wait.", at: 9, in: .page)
    Column("poll_runs", "polls that were the only pass of a run with a timeout of 0") { $0.pollRuns }
    Column(
      "polls_without_pass",
      "calls of an event loop with the time limit 0 that made no pass; null = not an event loop"
    ) { $0.pollsWithoutPass }
    Column("empty_polls", "runs that returned within 2 ms without serving anything") { $0.emptyPolls }
      .needing(.callouts("callouts"))
    Column("polling_ns", "total length of the tenths of a second with 50 or more such runs") {
      $0.emptyPolls == nil ? nil : $0.polling?.timeNs ?? 0
    }.needing(.callouts("callouts"))
    Column(.wakes, "waits that ended") { $0.wakes }.compared(.number).metric()
      .headed("wakes", "Waits that ended.", at: 10, in: .page)
    Column("wakes_for_nothing", "wakes after which only observers ran") { $0.emptyWakes }
      .compared(.part(of: .wakes)).metric().needing(.callouts("callouts"))
      .headed("wakes for nothing", "Wakes after which only observers ran.", at: 11, in: .page)
    utilisationOfMode.headed("busy share", "busy ÷ (busy + waiting).", at: 7)
    Column.phases("phases_ns", "time in the phase", phases) { $0.phasesNs }
    Column.phases(
      "observers_ns", "part of the phase in the program's observers", phases.filter { $0 != .waiting }
    ) {
      $0.observersNs
    }.needing(.highStamps)
    Column.distribution(.pass, "length of passes without waiting") { $0.passNs }.compared(.work).metric()
    Column.distribution(.wakeToCallout, "time from the end of a wait to the first callout") {
      $0.emptyWakes == nil ? nil : $0.wakeToCalloutNs
    }
    .compared(.wait).metric().needing(.callouts("callouts"))
    Column.delay("input_delay_ns") { $0.inputDelay }
  }

  package static let emptyRuns = ResultTable<EmptyRunsResult>(
    "empty_runs", "calls to run an empty mode, one row per mode"
  ) {
    Column("loop", "the loop's name") { $0.loop }
    Column("mode", "") { $0.mode }
    Column.thread { $0.thread }
    Column("count", "number of calls") { $0.count }
    Column("start_ns", "when the first call was made") { $0.startNs }
    Column("duration_ns", "time from the first call to the end of the last") { $0.durationNs }
    Column("longest_timeout_ns", "longest timeout of these calls; null = one had no limit") {
      $0.longestTimeoutNs == .max ? nil : $0.longestTimeoutNs
    }
  }

  private static let bins = ResultTable<UtilisationResult.Bin>("series", "one row per bin of time") {
    Column("start_ns", "when the bin begins") { $0.startNs }
    Column("busy_ns", "busy time in the bin") { $0.busyNs }
    Column("waiting_ns", "waiting time in the bin") { $0.waitingNs }
  }

  package static let utilisation = ResultTable<UtilisationResult>(
    "utilisation", "busy share of the threads, one row per thread"
  ) {
    Column.thread { $0.thread }.headed("thread", at: 1, in: .page)
    Column("busy_ns", "time outside waits") { $0.busyNs }
      .headed("busy", "Time outside waits, including the time between runs.", at: 2, in: .page)
    Column("waiting_ns", "time in waits") { $0.waitingNs }.headed("waiting", at: 3, in: .page)
    utilisationOfThread.headed("share", "busy ÷ (busy + waiting).", at: 4, in: .page)
    Column.rows(bins) { $0.series }
    Column(
      Heading(
        "busiest part", "The busy share of the busiest of 120 equal parts of the span.", at: 5, in: .page)
    ) {
      busiest($0).map { share($0.busyNs, of: $0.lengthNs) }
    }
    Column(Heading("at", "When the busiest part begins.", at: 6, in: .page)) { busiest($0).map(\.startNs) }
      .moment { busiest($0)?.lengthNs ?? 0 }
  }

  private static func busiest(
    _ row: UtilisationResult
  ) -> (startNs: UInt64, lengthNs: UInt64, busyNs: UInt64)? {
    let length = row.series.count > 1 ? row.series[1].startNs &- row.series[0].startNs : 1
    return row.series.max { $0.busyNs < $1.busyNs }.map { ($0.startNs, length, min($0.busyNs, length)) }
  }

  package static let inputDelay = ResultTable<InputDelayResult>(
    "input_delay_ns", "time that an event would have waited if it had arrived at a random moment"
  ) {
    Column.thread("index of the thread that receives input") { $0.thread }
    Column("span", "span that contains the moments") { $0.spanNs }.shown(as: .time)
    DistributionColumns.delay.columns.map { $0.ofEach { $0.delay } }
    Column("hangs", "busy intervals of 250 ms and above") { $0.hangs }
    Column("hang", "total time of the hangs") { $0.hangNs }.shown(as: .time)
    Column.share("hang_s_per_hour", "seconds of hanging per hour") { $0.hangRate }
  }

  package static let utilisationOfMode = utilisation { (mode: ModeResult) in
    (mode.busyNs, mode.busyNs &+ mode.waitingNs)
  }
  package static let utilisationOfThread = utilisation { (thread: UtilisationResult) in
    (thread.busyNs, thread.busyNs &+ thread.waitingNs)
  }

  private static func utilisation<Row>(
    _ fraction: @escaping @Sendable (Row) -> (part: UInt64, whole: UInt64)
  ) -> Column<Row> {
    Column.share("utilisation", "busy ÷ (busy + waiting)", of: fraction)
  }
}
