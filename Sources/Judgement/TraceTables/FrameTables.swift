import CallStacks
import TraceAnalysis

/// Tables of frame sources and hitches. Only the program's part of a frame is known, not that of a render server.
package enum FrameTables {
  package static let sources = ResultTable<FrameSourceResult>(
    "frames",
    "frame sources, one row per timer class: the program's part of frames, without that of a render server",
    needs: .callouts("timers")
  ) {
    Column("timer", "id of the timer class") { $0.timer }
    Column("name", "") { $0.name }.named(
      "source", "A timer whose due points are the beginnings of frames.", at: 1)
    Column("loop", "loop of the timer; empty = not known") { $0.loop }
    Column.thread("index of the loop's thread; null = the loop never ran") { $0.thread }
      .headed("thread", at: 12, in: .page)
    Column("interval_ns", "time of a frame") { $0.intervalNs }.headed(
      "interval", "The time of a frame.", at: 3)
    Column(
      "chosen_by", "program = it declared the source; reader = by an option; offered = it looks like a source"
    ) { $0.choice.name }
    .headed("chosen by", "The program, the reader, or offered: it looks like a source.", at: 11)
    Column("judged", "whether findings count it") { $0.isJudged }
    Column("due", "due points of the timers; null if the recording lacks some") { $0.due }
      .headed("due", at: 13, in: .page)
    Column("frames", "frames that were ready in the span") { $0.frames }
      .headed("frames", "Callouts of the source that ended.", at: 8)
    Column("on_time", "frames that were ready before the next due point") { $0.onTime }
      .headed("on time", "Frames that were ready before the next due point.", at: 14, in: .page)
    Column("late", "frames that were ready later; the others had a suspension or a loss") { $0.late }
      .headed("late", "Frames that were ready later.", at: 9)
    Column("missing", "due points that were skipped while the process ran; null if the recording lacks some")
    {
      $0.missing
    }
    .headed("missing", "Due points without a frame.", at: 10)
    HitchColumns.count.headed("hitches", "Times in which a frame was overdue.", at: 7)
      .ofEach { $0.hitchTime }
    hitchTime
    HitchColumns.longest.headed("longest", "The longest hitch.", at: 15, in: .page).ofEach { $0.hitchTime }
    HitchColumns.active
      .saying("time from the first due point to the end of the source, without suspension and losses")
      .headed("active", "The time in which frames were due.", at: 16, in: .page).ofEach { $0.hitchTime }
    ratio
    Column("band", "good, noticeable from 5 ms/s on, bad from 10 ms/s on") { $0.band.name }
      .headed("band", "Good, noticeable from 5 ms/s on, bad from 10 ms/s on.", at: 5)
    Column(Heading("costliest", "The callout, mode or cause with most hitch time.", at: 2)) {
      $0.costs.first?.blame.words
    }.shown(as: .name)
    Column.rows(costs) { $0.costs }
  }

  /// In rules, the series `hitch` has the lengths of the hitches.
  package static let hitchTime = HitchColumns.time.headed("hitch time", at: 6)
    .ofEach { (source: FrameSourceResult) in source.hitchTime }.metric(as: "hitch")
  package static let ratio = HitchColumns.ratio
    .headed("hitch ratio", "The hitch time in a second of active time.", at: 4)
    .ofEach { (source: FrameSourceResult) in source.hitchTime }.metric()

  private static let costs = ResultTable<HitchCostResult>(
    "costs", "hitches by what made the frames late, the most hitch time first"
  ) {
    blame.map { $0.ofEach { $0.blame } }
    Column("hitches", "") { $0.hitches }
    Column("hitch_ns", "time of these hitches") { $0.hitchNs }
  }

  private static let blame: [Column<HitchBlame>] = [
    Column("cause", "cause with most of the time, as in the ledger of lateness") { $0.cause.name },
    Column("kind", "kind of the callout with most of that time; null = not known, or none") {
      $0.kind.isEmpty ? nil : $0.kind
    },
    Column("callout", "name of that callout") { $0.kind.isEmpty ? nil : $0.callout },
    Column("mode", "for wrong_mode, the mode that ran; null = not known") { $0.mode.isEmpty ? nil : $0.mode },
  ]

  package static let hitches = ResultTable<HitchResult>(
    "hitches", "the 1000 longest hitches of the judged frame sources, without the part of a render server",
    needs: .callouts("timers")
  ) {
    Column("timer", "id of the timer class") { $0.timer }
    Column("source", "name of the frame source") { $0.source }
      .named("source", at: 8)
    Column.thread { $0.thread }.headed("thread", at: 9, in: .page)
    Column.start { $0.startNs }.moment { $0.durationNs }
      .headed("at", "When the frame should have been presented.", at: 4)
    Column("duration_ns", "how much later the frame was presented, or gave up") { $0.durationNs }
      .headed("hitch", "How much later the frame was presented.", at: 5)
    Column("due_ns", "due point of the frame; null = none was due") { $0.dueNs }
    Column("ready_ns", "end of the frame's callout; null = the source or the span ended before") {
      $0.readyNs
    }
    Column(Heading("ready after", "The time from the due point to the end of the callout.", at: 6)) { hitch in
      hitch.readyNs.flatMap { ready in hitch.dueNs.map { ready &- min($0, ready) } }
    }.shown(as: .time)
    blame.map { $0.ofEach { $0.blame } }
    Column(Heading("cause", "The cause with most of that time.", at: 2)) { $0.blame.cause.name }
    Column("cause_ns", "time of the cause between due_ns and ready_ns; null = not known") { $0.causeNs }
      .headed("for", "The time of the cause.", at: 7)
    Column(Heading("callout or mode", "The callout with most of that time, or the mode that ran.", at: 1)) {
      $0.blame.culprit
    }.shown(as: .name)
    Column("function", "program's function in that callout; null = not sampled") { $0.function?.function }
      .shown(as: .name).headed("function", at: 10, in: .page)
    Column("source_file", "source file of the function") { $0.function?.file }
    Column("source_line", "line in that file") { $0.function?.line }
    Column.source("File and line of the function that ran.", at: 3) { $0.function }
  }
}
