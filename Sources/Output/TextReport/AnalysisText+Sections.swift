import TraceAnalysis
import TraceTables

extension AnalysisText {
  /// Returns the sections below the findings. The page has its tables in the same order (`PagePart.all`).
  func sections() -> [String] {
    var out = split()
    out += section("Modes", table(LoopTables.modes, modes))
    out += section("Contents of the run loops, from the recorder's snapshots", inventory())
    out += section("Runs of these loops, by reason for returning", runs())
    out += section("Pass duration and wake-to-callout", latencies())
    out += section("Responsiveness", responsiveness())
    out += section("Timers", timers())
    out += section(
      "Due points, by the mode in which they came due",
      table(TimerTables.timerModes, TimerTables.modeRows(ranked), limit: 2 * AnalysisText.shown))
    out += section("Lateness of timers, by cause", lateness())
    out += section(
      "Frames, without the time of a render server", table(FrameTables.sources, analysis.frames.sources))
    out += section("Hitches, longest first", table(FrameTables.hitches, analysis.frames.hitches))
    out += section("Gaps of \(Units.duration(gapThresholdNs)) and above", gaps())
    out += section(
      "Code that held the loop, by sampled stacks",
      table(StackTables.stalls, longestFirst(analysis.stalls)))
    out += section(
      "Functions of the sampled stacks, by time",
      table(StackTables.sampledFunctions, analysis.functions, limit: 8))
    out += section("Owners of locks and queues", locks())
    out += section("Callouts that were running at the end", runningAtEnd())
    out += section("Busy intervals", busy())
    out += section("Reports that stall monitors would make", detectors())
    out += section("Callouts, by time", table(CalloutTables.callouts, callouts, limit: 8))
    out += section("Waits", waits())
    out += section("Queues of work", table(WorkTables.queues, analysis.work.queues))
    out += section("Tasks that had not ended", table(WorkTables.tasks, analysis.work.tasks))
    out += section(
      "Work that was queued and never ran", table(UnservedTables.unserved, analysis.unserved))
    out += section("Intervals of the program", table(MarkTables.intervalNames, analysis.marks.byName))
    out += section("Marks of the program", marks())
    out += section("States of the program", table(StateTables.states, analysis.states))
    out += section("Life cycle", lifeCycle())
    out += section("Limits of this recording", analysis.notes.flatMap { wrap($0.text) })
    return out
  }
}
