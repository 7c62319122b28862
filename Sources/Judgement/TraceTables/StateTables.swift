import TraceAnalysis

/// Tables of the program's named states, and of the results that one of them splits.
package enum StateTables {
  package static let states = ResultTable<StateResult>(
    "states", "values of the states of the program, one row per state and value"
  ) {
    state().named("state", at: 1)
    value(at: 2)
    stays(at: 3)
  }

  package static let values = ResultTable<SplitResults.Value>(
    "state_values", "results by the values of one state, one row per value, most time first"
  ) {
    state()
    value(at: 1)
    stays(at: 2)
    Column("busy_ns", "time in runs without waiting, on the thread that receives input") { $0.busyNs }
      .headed("busy", "Time in runs without waiting, on the thread that receives input.", at: 4)
    Column("hangs", "busy intervals of 250 ms and above on that thread") { $0.hangs }
      .headed("hangs", "Busy intervals of 250 ms and above on that thread.", at: 5)
    Column("hang_ns", "total time of the hangs") { $0.hangNs }
      .headed("hang time", "Total time of the hangs.", at: 6)
    Column("longest_hang_ns", "longest of the hangs; 0 = there is none") { $0.longestHangNs }
    Column("due", "due points of all timers") { $0.due }
      .headed("due", "Due points of all timers.", at: 7)
    Column("skipped", "due points that the loops dropped") { $0.skipped }
      .headed("skipped", "Due points that the loops dropped.", at: 8)
    Column("overdue_ns", "lateness of all fires") { $0.overdueNs }
      .headed("lateness", "Lateness of all fires.", at: 9)
    HitchColumns.count.saying("hitches of the judged frame sources that began there").ofEach { $0.frames }
    HitchColumns.time.ofEach { $0.frames }
    HitchColumns.longest.ofEach { $0.frames }
    Column("frames_active_ns", "time in which those frame sources were active") { $0.frames.activeNs }
    HitchColumns.ratio.saying("milliseconds of hitch per second of frames_active_ns")
      .headed("hitch ratio", "The hitch time in a second of active time of the frame sources.", at: 10)
      .ofEach { $0.frames }
  }

  package static let modes = ResultTable<SplitResults.Mode>(
    "state_modes", "modes of run loops by the values of one state, one row per value, mode and thread"
  ) {
    state()
    value(at: 1)
    Column("mode", "") { $0.mode }.named("mode", at: 2)
    Column.thread { $0.thread }.headed("thread", at: 3)
    Column("time_ns", "time inside the mode's runs, without suspension") { $0.timeNs }
      .headed("time", "Time inside the mode's runs.", at: 4)
    Column("busy_ns", "part of time_ns in which the loop did not wait") { $0.busyNs }
      .headed("busy", "Time in which the loop did not wait.", at: 5)
    Column("waiting_ns", "part of time_ns in which the loop waited") { $0.waitingNs }
    Column("gaps", "listed gaps") { $0.gaps }.headed("gaps", "Listed gaps.", at: 6)
    Column("gap_ns", "total time of the listed gaps") { $0.gapNs }
    Column("hangs", "busy intervals of 250 ms and above") { $0.hangs }
      .headed("hangs", "Busy intervals of 250 ms and above.", at: 7)
    Column("hang_ns", "total time of the hangs") { $0.hangNs }
      .headed("hang time", "Total time of the hangs.", at: 8)
    Column("longest_hang_ns", "longest of the hangs; 0 = there is none") { $0.longestHangNs }
    pass
    pass.cell(DistributionColumns.count).headed("passes", "Complete passes.", at: 9)
    pass.cell(DistributionColumns.p99)
      .headed("pass p99", "99 of 100 passes are at most this long, without waiting.", at: 10)
    pass.cell(DistributionColumns.max).headed("longest pass", "The longest pass, without waiting.", at: 11)
  }

  package static let timers = ResultTable<SplitResults.Timer>(
    "state_timers", "due points of timers by the values of one state, one row per value and timer class",
    needs: .callouts("timers")
  ) {
    state()
    value(at: 1)
    Column("timer", "id of the timer class in timers; null = all classes beyond the limit") { $0.timer }
    Column("name", "") { $0.name }.named("timer", at: 2)
    Column("due", "due points = fired + skipped + withdrawn + pending; null = not recorded") {
      $0.points?.due
    }
    .headed("due", "Due points = fired + skipped + withdrawn + pending.", at: 3)
    Column("fired", "") { $0.fired }.headed("fired", "Callouts that the loop began.", at: 4)
    Column("skipped", "") { $0.points?.skipped }
      .headed("skipped", "Grid points that the loop dropped.", at: 5)
    Column("withdrawn", "due points that were moved or invalidated while they were overdue") {
      $0.points?.withdrawn
    }
    Column("pending", "due points that were overdue at the end") { $0.points?.pending }
    lateness
    lateness.cell(DistributionColumns.sum).headed("lateness", "Lateness of all fires.", at: 6)
    lateness.cell(DistributionColumns.max).headed("max late", "The longest lateness of a fire.", at: 7)
    Column<SplitResults.Timer>.causes(
      "ledger_ns", "part of the lateness with this cause; the parts add up to lateness_ns.sum"
    ) {
      $0.points?.ledgerNs
    }
    Column<SplitResults.Timer>.causes("skipped_by", "number of skipped points with this cause") {
      $0.points?.skippedBy
    }
  }

  package static let frames = ResultTable<SplitResults.FrameSource>(
    "state_frames",
    "frame sources by the values of one state, one row per value and source, without the part of a render server",
    needs: .callouts("timers")
  ) {
    state()
    value(at: 1)
    Column("timer", "id of the timer class in frames; null = all sources beyond the limit") { $0.timer }
    Column("name", "") { $0.name }.named("source", at: 2)
    Column("judged", "whether findings count the source") { $0.isJudged }
    Column("frames", "frames that came due while the state had the value") { $0.frames }
      .headed("frames", "Frames that came due while the state had the value.", at: 6)
    Column("on_time", "frames that were ready before the next due point") { $0.onTime }
    Column("late", "frames that were ready later; the others had a suspension or a loss") { $0.late }
      .headed("late", "Frames that were ready later.", at: 7)
    HitchColumns.count.saying("hitches that began while the state had the value")
      .headed("hitches", "Hitches that began while the state had the value.", at: 5).ofEach { $0.hitchTime }
    HitchColumns.time.headed("hitch time", "Total time of the hitches.", at: 4).ofEach { $0.hitchTime }
    HitchColumns.longest.saying("longest of the hitches; 0 = there is none").ofEach { $0.hitchTime }
    HitchColumns.active.saying("time in which the source was active and the state had the value")
      .ofEach { $0.hitchTime }
    HitchColumns.ratio.headed("hitch ratio", "The hitch time in a second of active time.", at: 3)
      .ofEach { $0.hitchTime }
  }

  package static let callouts = ResultTable<SplitResults.Callout>(
    "state_callouts", "callouts by the values of one state, one row per value, kind, name and thread",
    needs: .callouts("callouts")
  ) {
    state()
    value(at: 1)
    Column("kind", "timer, source0, source1, block …") { $0.kind }.headed("kind", at: 3)
    Column("name", "") { $0.name }.named("callout", at: 2)
    Column.thread { $0.thread }.headed("thread", at: 4)
    Column("count", "callouts that began while the state had the value") { $0.count }
      .headed("count", "Callouts that began while the state had the value.", at: 5)
    Column("time_ns", "total time, without the runs that the callouts started") { $0.timeNs }
      .headed("time", "Total time, without the runs that the callouts started.", at: 6)
    Column("longest_ns", "time of the longest callout") { $0.longestNs }.headed("longest", at: 7)
  }

  private static let pass = Column<SplitResults.Mode>.distribution(
    "pass_ns", "length of passes without waiting"
  ) { $0.passNs }

  private static let lateness = Column<SplitResults.Timer>.distribution(
    "lateness_ns", "lateness of fires, fire minus due point"
  ) { $0.points?.latenessNs }

  private static func state<Row: OfStateValue>() -> Column<Row> {
    Column("state", "name of the state") { $0.state }
  }

  /// How often and how long the state had the value.
  private static func stays<Row: StaysOfState>(at place: Int) -> [Column<Row>] {
    [
      Column("count", "how often the state took the value, or had it when the span began") { $0.count }
        .headed("count", "How often the state took the value, or had it when the span began.", at: place),
      Column("time_ns", "time in which the state had the value, without suspension") { $0.timeNs }
        .headed("time", "Time in which the state had the value, without suspension.", at: place + 1),
    ]
  }

  private static func value<Row: OfStateValue>(at place: Int) -> Column<Row> {
    Column("value", "value of the state; null = it had none") { $0.value }
      .named("value", "The value of the state.", at: place)
      .instead { $0.value == nil ? .words("(none)") : nil }
  }
}
