/// Where a replay writes what it finds out, beside the timers' ledger.
struct Books {
  let names: SameText
  let objects: ObjectTable
  let modes: ModeTable
  let callouts: CalloutTable
  let sources: SourceTable
  let held: HeldSpans
  let lifeCycle: LifeCycleBook
  let marks: MarkBook
  let detectors: DetectorLab

  /// Forgets what was counted before a window.
  func beginWindow(_ time: UInt64) {
    modes.reset()
    callouts.reset()
    sources.reset()
    held.reset()
    lifeCycle.beginWindow(time)
    marks.beginWindow(time)
    detectors.reset()
  }
}
