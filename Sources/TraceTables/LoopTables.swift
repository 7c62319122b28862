import TraceAnalysis
import TraceReplay

/// Tables of loops, their modes, and the utilisation of their threads.
package enum LoopTables {
  package static let loops = ResultTable<LoopResult>("loops", "one row per run loop and thread") {
    Column("loop", "the loop's name") { $0.loop }
    Column.thread { $0.thread.index }
    Column("time_ns", "inside its runs, suspension left out") { $0.timeNs }
    Column("busy_ns", "not waiting") { $0.busyNs }
    Column("waiting_ns", "waiting") { $0.waitingNs }
    Column("suspended_ns", "beside time_ns: suspended inside its runs") { $0.suspendedNs }
    utilisation { ($0.busyNs, $0.busyNs &+ $0.waitingNs) }
    Column("runs", "runs that began in the span, nested ones included") { $0.runs }
    Column("nested_runs", "those on top of another run") { $0.nestedRuns }
    Column("passes", "complete passes") { $0.passes }
    Column("first_run_ns", "when the thread's first run in the span began") { $0.firstRunNs }
    Column("lived_on_ns", "how long the program went on behind the thread's last run") { $0.livedOnNs }
  }

  private static let phases = Phase.allCases.filter { $0 != .outside }

  package static let modes = ResultTable<ModeResult>("modes", "one row per loop, mode and thread") {
    Column("loop", "the loop's name") { $0.loop }.named("loop", at: 2)
    Column("mode", "") { $0.mode }.named("mode", "Of a loop, on a thread.", at: 1)
    Column.thread { $0.thread }.headed("thread", at: 3, in: .page)
    Column("time_ns", "time inside the mode's runs, suspension left out") { $0.timeNs }
      .headed("time", "Time that belongs to the mode: each instant to the mode of the innermost run.", at: 4)
    Column("busy_ns", "of it, not waiting") { $0.busyNs }.headed("busy", "Not waiting.", at: 5)
    Column("waiting_ns", "of it, waiting") { $0.waitingNs }
      .headed("waiting", "From BeforeWaiting to AfterWaiting.", at: 6)
    Column("suspended_ns", "beside it") { $0.suspendedNs }
      .headed("suspended", "The process did not run: beside the time.", at: 12, in: .page)
    Column(.passes, "complete passes") { $0.passes }.compared(.number)
      .headed("passes", "Complete ones.", at: 8)
    Column(.polls, "of them, without a wait") { $0.polls }.compared(.part(of: .passes)).metric()
      .headed("polls", "Passes that did not wait.", at: 9, in: .page)
    Column("poll_runs", "of them, the only one of a run that was given no time to wait") { $0.pollRuns }
    Column("empty_polls", "runs that returned within 2 ms and had served nothing") { $0.emptyPolls }
      .needing(.callouts("callouts"))
    Column("polling_ns", "time of the tenths of a second that had 50 of them or more") {
      $0.emptyPolls == nil ? nil : $0.polling?.timeNs ?? 0
    }.needing(.callouts("callouts"))
    Column(.wakes, "waits that ended") { $0.wakes }.compared(.number).metric()
      .headed("wakes", "Waits that ended.", at: 10, in: .page)
    Column("wakes_for_nothing", "of them, without a callout behind") { $0.emptyWakes }
      .compared(.part(of: .wakes)).metric().needing(.callouts("callouts"))
      .headed("for nothing", "Wakes after which nothing but observers ran.", at: 11, in: .page)
    utilisationOfMode.headed("busy share", "busy ÷ (busy + waiting).", at: 7)
    Column.phases("phases_ns", "time in the phase", phases) { $0.phasesNs }
    Column.phases("observers_ns", "of it, in the program's observers", phases.filter { $0 != .waiting }) {
      $0.observersNs
    }.needing(.highStamps)
    Column.distribution(.pass, "length of passes, waiting left out") { $0.passNs }.compared(.work).metric()
    Column.distribution(.wakeToCallout, "from the end of a wait to the first callout") { $0.wakeToCalloutNs }
      .compared(.wait).metric().needing(.callouts("callouts"))
    Column.delay("input_delay_ns") { $0.inputDelay }
  }

  package static let emptyRuns = ResultTable<EmptyRunsResult>(
    "empty_runs", "calls for runs of a mode that had nothing in it, one row per mode"
  ) {
    Column("loop", "the loop's name") { $0.loop }
    Column("mode", "") { $0.mode }
    Column.thread { $0.thread }
    Column("count", "how many") { $0.count }
    Column("start_ns", "the first call") { $0.startNs }
    Column("duration_ns", "from there to the end of the last") { $0.durationNs }
    Column("longest_timeout_ns", "that one of them might have taken; null = one had no limit") {
      $0.longestTimeoutNs == .max ? nil : $0.longestTimeoutNs
    }
  }

  private static let bins = ResultTable<UtilisationResult.Bin>("series", "one row per bin of time") {
    Column("start_ns", "when the bin begins") { $0.startNs }
    Column("busy_ns", "busy in it") { $0.busyNs }
    Column("waiting_ns", "waiting in it") { $0.waitingNs }
  }

  package static let utilisation = ResultTable<UtilisationResult>("utilisation", "one row per thread") {
    Column.thread { $0.thread }.headed("thread", at: 1, in: .page)
    Column("busy_ns", "not waiting") { $0.busyNs }
      .headed("busy", "All that is not a wait, including the time between runs.", at: 2, in: .page)
    Column("waiting_ns", "waiting") { $0.waitingNs }.headed("waiting", at: 3, in: .page)
    utilisationOfThread.headed("share", "busy ÷ (busy + waiting).", at: 4, in: .page)
    Column.rows(bins) { $0.series }
    Column(
      Heading(
        "busiest part", "Of the 120 equal parts of the span: how much of it was busy.", at: 5, in: .page)
    ) {
      busiest($0).map { share($0.busyNs, of: $0.lengthNs) }
    }
    Column(Heading("at", "Where that part begins.", at: 6, in: .page)) { busiest($0).map(\.startNs) }
      .moment { busiest($0)?.lengthNs ?? 0 }
  }

  private static func busiest(
    _ row: UtilisationResult
  ) -> (startNs: UInt64, lengthNs: UInt64, busyNs: UInt64)? {
    let length = row.series.count > 1 ? row.series[1].startNs &- row.series[0].startNs : 1
    return row.series.max { $0.busyNs < $1.busyNs }.map { ($0.startNs, length, min($0.busyNs, length)) }
  }

  package static let inputDelay = ResultTable<InputDelayResult>(
    "input_delay_ns", "had an event arrived at any moment: what it would have waited"
  ) {
    Column.thread("index of the thread that input comes to") { $0.thread }
    Column("span", "the span that the moments lie in") { $0.spanNs }.shown(as: .time)
    DistributionColumns.delay.columns.map { $0.ofEach { $0.delay } }
    Column("hangs", "busy intervals of 250 ms and above") { $0.hangs }
    Column("hang", "their time") { $0.hangNs }.shown(as: .time)
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
