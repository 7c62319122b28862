import TraceAnalysis
import TraceReplay

/// Loops and their modes, and how busy their threads were.
enum LoopTables {
  static let loops = ResultTable<LoopResult>("loops", "one row per run loop and thread") {
    Column("loop", "the loop's name") { $0.loop }
    Column("thread", "index of the thread") { $0.thread.index }
    Column("time_ns", "inside its runs, suspension left out") { $0.timeNs }
    Column("busy_ns", "not waiting") { $0.busyNs }
    Column("waiting_ns", "waiting") { $0.waitingNs }
    Column("suspended_ns", "beside time_ns: suspended inside its runs") { $0.suspendedNs }
    Column.share("utilisation", "busy ÷ (busy + waiting)") { utilisation($0.busyNs, $0.waitingNs) }
    Column("runs", "runs that began in the span, nested ones included") { $0.runs }
    Column("nested_runs", "those on top of another run") { $0.nestedRuns }
    Column("passes", "complete passes") { $0.passes }
    Column("first_run_ns", "when the thread's first run in the span began") { $0.firstRunNs }
    Column("lived_on_ns", "how long the program went on behind the thread's last run") { $0.livedOnNs }
  }

  private static let phases = Phase.allCases.filter { $0 != .outside }

  static let modes = ResultTable<ModeResult>(.modes, "one row per loop, mode and thread") {
    Column("loop", "the loop's name") { $0.loop }
    Column("mode", "") { $0.mode }
    Column("thread", "index of the thread") { $0.thread }
    Column("time_ns", "time inside the mode's runs, suspension left out") { $0.timeNs }
    Column("busy_ns", "of it, not waiting") { $0.busyNs }
    Column("waiting_ns", "of it, waiting") { $0.waitingNs }
    Column("suspended_ns", "beside it") { $0.suspendedNs }
    Column("passes", "complete passes") { $0.passes }
    Column("polls", "of them, without a wait") { $0.polls }
    Column("wakes", "waits that ended") { $0.wakes }
    Column("wakes_for_nothing", "of them, without a callout behind") { $0.emptyWakes }
    Column.share("utilisation", "busy ÷ (busy + waiting)") { utilisation($0.busyNs, $0.waitingNs) }
    Column.phases("phases_ns", "time in the phase", phases) { $0.phasesNs }
    Column.phases("observers_ns", "of it, in the program's observers", phases.filter { $0 != .waiting }) {
      $0.observersNs
    }
    Column.distribution("pass_ns", "length of passes, waiting left out") { $0.passNs }
    Column.distribution("wake_to_callout_ns", "from the end of a wait to the first callout") {
      $0.wakeToCalloutNs
    }
    Column.delay("input_delay_ns") { $0.inputDelay }
  }

  static let emptyRuns = ResultTable<EmptyRunsResult>(
    "empty_runs", "calls for runs of a mode that had nothing in it, one row per mode"
  ) {
    Column("loop", "the loop's name") { $0.loop }
    Column("mode", "") { $0.mode }
    Column("thread", "index of the thread") { $0.thread }
    Column("count", "how many") { $0.count }
    Column("start_ns", "the first call") { $0.startNs }
    Column("duration_ns", "from there to the end of the last") { $0.durationNs }
  }

  private static let bins = ResultTable<UtilisationResult.Bin>("series", "one row per bin of time") {
    Column("start_ns", "when the bin begins") { $0.startNs }
    Column("busy_ns", "busy in it") { $0.busyNs }
    Column("waiting_ns", "waiting in it") { $0.waitingNs }
  }

  static let utilisation = ResultTable<UtilisationResult>("utilisation", "one row per thread") {
    Column("thread", "index of the thread") { $0.thread }
    Column("busy_ns", "not waiting") { $0.busyNs }
    Column("waiting_ns", "waiting") { $0.waitingNs }
    Column.share("utilisation", "busy ÷ (busy + waiting)") { utilisation($0.busyNs, $0.waitingNs) }
    Column.rows("series", bins) { $0.series }
  }

  static let inputDelay = ResultTable<InputDelayResult>(
    "input_delay_ns", "had an event arrived at any moment: what it would have waited"
  ) {
    Column("thread", "index of the thread that input comes to") { $0.thread }
    Column("span", "the span that the moments lie in") { $0.spanNs }
    DistributionColumns.delay.columns.map { $0.ofEach { $0.delay } }
    Column("hangs", "busy intervals of 250 ms and above") { $0.hangs }
    Column("hang", "their time") { $0.hangNs }
    Column.share("hang_s_per_hour", "seconds of hanging per hour") { $0.hangRate }
  }

  private static func utilisation(_ busy: UInt64, _ waiting: UInt64) -> Double? {
    share(busy, of: busy &+ waiting)
  }
}
