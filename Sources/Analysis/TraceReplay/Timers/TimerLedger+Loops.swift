/// The lane of a loop, and the list of its timers.
extension TimerLedger {
  /// Returns the lane that a loop runs on, nil if it never ran.
  package func lane(ofLoop loop: Int) -> Int? {
    loops.indices.contains(loop) && loops[loop].lane >= 0 ? loops[loop].lane : nil
  }

  /// Returns the object of a loop.
  package func object(ofLoop loop: Int) -> LoopID? { loopOfObject.first { $0.value == loop }?.key }

  /// Adds a timer to the loop's list.
  mutating func join(_ index: Int, _ loop: Int) {
    timers[index].loop = loop
    timers[index].previousOfLoop = loops[loop].last
    timers[index].nextOfLoop = -1
    if loops[loop].last >= 0 {
      timers[loops[loop].last].nextOfLoop = index
    } else {
      loops[loop].first = index
    }
    loops[loop].last = index
    loops[loop].live += 1
  }

  /// Removes a timer from its loop's list.
  mutating func detach(_ index: Int) {
    let (loop, previous, next) = (timers[index].loop, timers[index].previousOfLoop, timers[index].nextOfLoop)
    guard loop >= 0 else { return }
    if previous >= 0 { timers[previous].nextOfLoop = next } else { loops[loop].first = next }
    if next >= 0 { timers[next].previousOfLoop = previous } else { loops[loop].last = previous }
    loops[loop].live -= 1
  }

  /// Returns the loop's timers that are in a mode, and whether points of its timers were skipped while it did not run.
  func items(of loop: LoopID) -> (items: [BoundItem], hasSkippedPoints: Bool) {
    guard let place = loopOfObject[loop] else { return ([], false) }
    var found: [BoundItem] = []
    var hasSkippedPoints = false
    var index = loops[place].first
    while index >= 0 {
      let timer = timers[index]
      if timer.cameAt != .never {
        found.append(
          BoundItem(object: timer.object, kind: .timer, name: timer.name, since: timer.cameAt))
      }
      if timer.classIndex >= 0,
        classes.rows[timer.classIndex].skips.byCause[Cause.notRunning.rawValue] > 0
      {
        hasSkippedPoints = true
      }
      index = timer.nextOfLoop
    }
    return (found, hasSkippedPoints)
  }
}
