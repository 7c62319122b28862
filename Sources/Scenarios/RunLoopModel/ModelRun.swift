// A run of a model loop: CFRunLoopRunInMode and the functions that it calls.
extension ModelRunLoop {
  /// CFRunLoopRunInMode. If `seconds` is 0 or less, makes one pass that does not wait.
  @discardableResult
  package func run(mode name: String, seconds: Double, returnAfterSourceHandled: Bool = false) -> RunResult {
    guard name != ModeName.common, let mode = modes[name], !isEmpty(mode) else { return .finished }
    let outerRecord = record, outerMode = current
    record = RunRecord(ignoresWakeUps: false)
    if !rules.stopIsOfTheInnermostRun { record.isStopped = outerRecord.isStopped }
    current = mode
    mode.waitSet.isAssumed = false
    callObservers(mode, .entry)
    let result = runPasses(mode, seconds: seconds, returnsAfterSource: returnAfterSourceHandled)
    callObservers(mode, .exit)
    if !rules.stopIsOfTheInnermostRun, result == .stopped { outerRecord.isStopped = true }
    record = outerRecord
    current = outerMode
    return result
  }

  /// Returns whether a run in this mode serves the main queue.
  private func servesMainQueue(_ mode: ModelMode) -> Bool {
    isMain && !isInMainQueueCallout && mode.isCommon
  }

  func isEmpty(_ mode: ModelMode) -> Bool {
    mode.timers.isEmpty && mode.sources0.isEmpty && mode.sources1.isEmpty && !servesMainQueue(mode)
      && !blocks.contains { isEligible($0, in: mode) }
  }

  private func runPasses(_ mode: ModelMode, seconds: Double, returnsAfterSource: Bool) -> RunResult {
    let start = clock.now
    if record.isStopped {
      record.isStopped = false
      return .stopped
    }
    let mainQueue = servesMainQueue(mode) ? mainQueue : nil
    var deadline: UInt64 = 0
    var timeout: VirtualClock.Ticket?
    if seconds > RunLoopLimits.longestSeconds {
      deadline = .max
    } else if seconds > 0 {
      deadline = start &+ nanoseconds(seconds)
      timeout = scheduleTimeout(start: start, seconds: seconds)
    }
    defer { if let timeout { clock.cancel(timeout) } }

    var drained = true
    while true {
      record.ignoresWakeUps = false
      callObservers(mode, .beforeTimers)
      callObservers(mode, .beforeSources)
      runBlocks(mode)
      var handled = performSources0(mode, one: returnsAfterSource)
      if handled, rules.blocksFollowSources { runBlocks(mode) }
      let polls = (handled && rules.handledSourceForbidsWaiting) || deadline == 0

      var live: Descriptor?
      if let mainQueue, !drained || !rules.drainIsNotRepeatedAtOnce, mainQueue.descriptor.isReadable {
        mainQueue.descriptor.read()
        live = mainQueue.descriptor
      } else {
        live = wait(mode, mainQueue, polls: polls)
      }
      drained = false

      record.ignoresWakeUps = rules.wakeUpsAreIgnoredWhileAwake
      if let live {
        if live === mode.timer.descriptor {
          if let due = duePoint(of: mode, near: deadline), due <= deadline {
            duePointsAtLimits += 1
            if limits.ends == .early {
              mode.forgetArmed()
              mode.arm()
              clock.advance(by: deadline + 1 - min(clock.now, deadline))
              return .timedOut
            }
          }
          if !fireTimers(mode) {
            mode.forgetArmed()
            mode.arm()
          }
        } else if let mainQueue, live === mainQueue.descriptor {
          isInMainQueueCallout = true
          onDrain?(true)
          mainQueue.drain()
          onDrain?(false)
          isInMainQueueCallout = false
          handled = true
          drained = true
        } else if let source = mode.sources1.first(where: { $0.port === live }) {
          source.perform()
          handled = true
        }
      }
      runBlocks(mode)

      if handled, returnsAfterSource, rules.returnsAfterSource { return .handledSource }
      if !rules.timeOutGoesBeforeStop, takeStop() { return .stopped }
      if deadline < clock.now {
        let isBeforeDuePoint = duePoint(of: mode, near: deadline).map { $0 > deadline } ?? false
        if isBeforeDuePoint, !clock.isStopped { duePointsAtLimits += 1 }
        if !isBeforeDuePoint || limits.ends != .late { return .timedOut }
      }
      if waitedForever || clock.isStopped { return .stopped }
      if takeStop() { return .stopped }
      if rules.emptyModeFinishes, isEmpty(mode) { return .finished }
    }
  }

  /// Returns the next due point of a mode if it lies within the slack of the time limit of a run.
  private func duePoint(of mode: ModelMode, near deadline: UInt64) -> UInt64? {
    guard limits.slackNs > 0, deadline > 0, deadline < .max, let due = mode.timers.first?.nextDue else {
      return nil
    }
    return max(due, deadline) - min(due, deadline) <= limits.slackNs ? due : nil
  }

  private func takeStop() -> Bool {
    defer { record.isStopped = false }
    return record.isStopped
  }

  /// Ends the run at its deadline with a dispatch timer, which wakes the loop a little late.
  private func scheduleTimeout(start: UInt64, seconds: Double) -> VirtualClock.Ticket {
    let at = nanoseconds(Double(start) * (1 / 1e9) + seconds) &+ timeoutLatenessNs
    return clock.schedule(at: at, .timeout) { [unowned self] in wakeUp() }
  }

  /// Sleeps until something in the mode is ready, or only polls. Takes at most one descriptor per pass.
  private func wait(_ mode: ModelMode, _ mainQueue: ModelMainQueue?, polls: Bool) -> Descriptor? {
    if !polls { callObservers(mode, .beforeWaiting) }
    if let mainQueue { mode.waitSet.beginWait(for: mainQueue.descriptor) }
    var live = mode.waitSet.take()
    isWaiting = true
    while live == nil, !polls, clock.advanceToNext() { live = mode.waitSet.take() }
    isWaiting = false
    if live == nil, !polls, !clock.isStopped { waitedForever = true }
    if let mainQueue { mode.waitSet.endWait(for: mainQueue.descriptor) }
    record.ignoresWakeUps = rules.wakeUpsAreIgnoredWhileAwake
    if !polls { callObservers(mode, .afterWaiting) }
    return live
  }

  // MARK: Callouts

  func callObservers(_ mode: ModelMode, _ activity: Activity) {
    activityHandler?(activity, false)
    if !mode.observers.isEmpty { call(mode, activity) }
    activityHandler?(activity, true)
  }

  private func call(_ mode: ModelMode, _ activity: Activity) {
    clock.use(mode.observers.count)
    let batch = mode.observers.filter {
      $0.valid && !$0.isFiring && $0.activities & activity.rawValue != 0
    }
    for observer in batch where observer.valid {
      observer.isFiring = true
      if !observer.repeats { invalidate(observer) }
      observer.callout(activity)
      observer.isFiring = false
    }
  }

  /// Runs the queued blocks that are eligible. The others go back in front of those queued meanwhile.
  private func runBlocks(_ mode: ModelMode) {
    guard !blocks.isEmpty else { return }
    guard rules.blockBatchIsDetached else {
      while let at = blocks.firstIndex(where: { isEligible($0, in: mode) }) { blocks.remove(at: at).body() }
      return
    }
    clock.use(blocks.count)
    let batch = blocks
    blocks = []
    var rest: [QueuedBlock] = []
    for block in batch {
      if isEligible(block, in: mode) { block.body() } else { rest.append(block) }
    }
    blocks = rest + blocks
  }

  /// Performs the signalled sources. Returns whether the last source that was tried was handled.
  private func performSources0(_ mode: ModelMode, one: Bool) -> Bool {
    guard let first = mode.signalled.first else { return false }
    let batch =
      mode.signalled.count == 1
      ? [first]
      : mode.sources0.filter(\.isSignalled).ordered {
        ($0.order, $0.signalledAt ?? 0) < ($1.order, $1.signalledAt ?? 0)
      }
    var handled = false
    for source in batch {
      handled = source.valid && source.isSignalled
      if handled {
        if rules.signalIsClearedBeforePerform { source.setSignal(nil) }
        source.perform()
        if !rules.signalIsClearedBeforePerform { source.setSignal(nil) }
      }
      if handled, one { break }
    }
    return handled
  }

  private func fireTimers(_ mode: ModelMode) -> Bool {
    let limit = clock.now
    guard let first = mode.timers.first else { return false }
    if mode.timers.count == 1 { return fire(first, mode) }
    let batch = mode.timers.filter {
      $0.valid && (!$0.isFiring || !rules.firingTimerIsLeftOut) && $0.noticedDue <= limit
    }
    var fired = false
    for timer in batch { fired = fire(timer, mode) || fired }
    return fired
  }

  private func fire(_ timer: ModelTimer, _ mode: ModelMode) -> Bool {
    guard timer.valid, timer.noticedDue <= clock.now, timer.loop === self,
      !timer.isFiring || !rules.firingTimerIsLeftOut
    else { return false }
    let answered = timer.nextDue
    timer.isFiring = true
    mode.forgetArmed()
    mode.arm()
    let begin = clock.now
    timer.callout(timer)
    if timer.interval == 0 { invalidate(timer) }
    timer.isFiring = false
    guard timer.valid else { return true }
    if answered < timer.nextDue, rules.laterFireDateIsHonoured {
      mode.arm()
    } else {
      timer.nextDue = next(after: rules.gridIsOfDuePoints ? answered : begin, timer)
      for mode in timer.modes { mode.place(timer) }
    }
    return true
  }

  /// Returns the first grid point after the end of the callout.
  private func next(after point: UInt64, _ timer: ModelTimer) -> UInt64 {
    guard rules.missedPointsAreDropped else { return point &+ timer.interval }
    return TimerGrid.next(after: clock.now, from: point, timer.interval)
  }
}
