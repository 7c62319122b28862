/// The tables that a replay fills, except the timers' ledger.
package struct Books {
  let names: CanonicalStrings
  package let objects: ObjectTable
  package let modes: ModeTable
  package let callouts: CalloutTable
  package let sources: SourceTable
  package let held: HeldSpans
  package let lifeCycle: LifeCycleBook
  package let marks: MarkBook
  package let states = StateBook()
  package let stacks = StackBook()
  package let topology = TopologyBook()
  package let sourceLives = SourceLives()
  package let queues: QueueBook
  let workPlaces: WorkPlaces
  /// Queued work that waits this long counts as not served.
  let longWait: Length
  private let loopEnds = LoopEnds()
  package let detectors: DetectorRunner
  /// The room for rows about calls that run a loop, on all threads.
  package let runRows = RowRoom(limit: AnalysisLimits.runRows)
  let emptyRunRows = RowRoom(limit: AnalysisLimits.runRows)
  let budget: WorkBudget

  /// When the threads of loops ended.
  var endedLoops: [LoopID: Moment] { loopEnds.moments }

  func endLoop(_ loop: LoopID, at time: Moment) {
    sourceLives.endLoop(loop, at: time)
    if loopEnds.moments.count < AnalysisLimits.loops { loopEnds.moments[loop] = time }
  }

  private final class LoopEnds { var moments: [LoopID: Moment] = [:] }

  /// Forgets what was counted before a window.
  func beginWindow(_ time: Moment) {
    objects.forgetReleased()
    modes.reset()
    callouts.reset()
    sources.reset()
    held.reset()
    lifeCycle.beginWindow(time)
    marks.beginWindow(time)
    states.beginWindow(time)
    queues.beginWindow(time)
    stacks.beginWindow()
    detectors.reset()
    runRows.reset()
    emptyRunRows.reset()
  }
}
