import RunLoopModel
import TraceFormat

/// The steps of the loop itself: runs, activities, callouts.
extension LoopReplay {
  /// Runs the loop as recorded at `at`.
  func runLoop(_ at: Int, _ instance: Instance, timeoutNs: UInt64? = nil) {
    let event = events[at]
    guard event.object == history.loop else { return }
    guard modes.count < WhatIfLimits.whatIfDepth else {
      notes.isTooDeep = true
      return clock.stop()
    }
    let timeout = timeoutNs ?? thread.argument(EventKind.RunBegin.timeoutNs, of: event)
    let returnsAfterSource = thread.argument(EventKind.RunBegin.returnAfterSource, of: event) == 1
    modes.append(event.mode)
    mode = event.mode
    emit(.runBegin, event.object, [timeout] + thread.arguments(of: event).dropFirst())
    segment(.runBegin)
    if let lateness = arrivals.timeoutLateness[Int32(at)] {
      loop.timeoutLatenessNs = lateness * recording.unitNs
    } else {
      loop.timeoutLatenessNs = LoopReplay.timerLeewayNs
    }
    let name = recording.modeName(event.mode)
    if name != ModeName.default, !loop.hasItems(in: name) { notes.hasBareRuns = true }
    let result = loop.run(
      mode: name, seconds: timeout == .max ? 1e10 : Double(timeout) / 1e9,
      returnAfterSourceHandled: returnsAfterSource)
    emit(.runEnd, event.object, [UInt64(result.rawValue)])
    modes.removeLast()
    mode = modes.last ?? 0
  }

  /// How late the timer of a run wakes the loop, in virtual time or if the recording does not show it.
  static let timerLeewayNs: UInt64 = 1000

  func activity(_ activity: Activity, isAfter: Bool) {
    if activity == .afterWaiting, !isAfter { waitEnded() }
    let hasHigh = hasHighStamps
    guard hasHigh || !isAfter else { return }
    let kind = EventKind(activity, isHigh: isAfter)
    emit(kind, history.loop)
    if activity == .beforeWaiting, isAfter == hasHigh { return waitBegins() }
    // The time limit of a run counts from here, before the time to the first pass. After a wait, the loop chooses its
    // timers at once, before the time until the first callout.
    let isPending = (activity == .entry || activity == .afterWaiting) && isAfter == hasHigh
    if isPending { pending = kind } else { segment(kind) }
  }

  func drain(isBegin: Bool) {
    guard history.hasDrains else { return }
    let kind: EventKind = isBegin ? .mainQueueDrainBegin : .mainQueueDrainEnd
    emit(kind, history.loop)
    segment(kind)
  }

  // MARK: Timers

  func makeTimer(_ item: ReplayItem, dueNs: UInt64) {
    let interval = plan[item.life]?.intervalNs ?? recording.lives[Int(item.life)].intervalNs
    item.fires = history.fires[item.life] ?? []
    item.used = [Bool](repeating: false, count: item.fires.count)
    let timer = ModelTimer(due: dueNs, interval: Double(interval) / 1e9) { [unowned self, unowned item] in
      fire(item, dueNs: $0.due)
    }
    timer.noticed = shifts.dues[item.life] ?? [:]
    item.model = timer
  }

  private func fire(_ item: ReplayItem, dueNs: UInt64) {
    emit(.timerDue, item.object, life: item.life, argument: time(dueNs))
    segment(.timerDue)
    let (begin, isOwn) = recordedFire(of: item, due: time(dueNs))
    let isOneShot = recording.lives[Int(item.life)].intervalNs == 0
    callout(.timerBegin, item.object, item.life, repeating: begin, isOwn ? own : Instance(isOwn: false))
    if isOneShot, !history.implied.isEmpty, item.model?.isValid == true {
      if let end = begin.flatMap({ events[Int($0)].end }), history.implied.contains(Int32(end + 1)) {
        elapse(ns: recordedNs(events[end].time, events[end + 1].time))
      }
      emit(.timerInvalidate, item.object, life: item.life)
    }
    calloutEnded(.timerEnd)
  }

  /// Chooses the recorded callout that a timer repeats: the one for this due point, else an unused one for the point
  /// before or after, else any.
  private func recordedFire(of item: ReplayItem, due: UInt64) -> (begin: Int32?, isOwn: Bool) {
    let fires = item.fires
    if !fires.isEmpty {
      let distance = distance(of: item)
      if let at = fires.place(near: due, within: distance * 3, unused: item.used) {
        item.used[at] = true
        if fires.distance(at, due) > distance { notes.repeatedLives.insert(item.life) }
        return (fires[at].begin, true)
      }
    }
    return (repeated(item) { history.begins(like: item.life, recording) }, false)
  }

  /// Chooses a recorded callout to repeat; nil = none was recorded. `all`: the callouts to choose from.
  private func repeated(_ item: ReplayItem, _ all: () -> [Int32]) -> Int32? {
    let begins = item.pool ?? all()
    item.pool = begins
    guard !begins.isEmpty else { return nil }
    notes.repeatedLives.insert(item.life)
    switch repeats {
    case .inOrder:
      defer { item.nextRepeat += 1 }
      return begins[item.nextRepeat % begins.count]
    case .shortest, .longest:
      if item.extreme == nil {
        let isShortest = repeats == .shortest
        item.extreme = begins.min { (ownNs(Int($0)) < ownNs(Int($1))) == isShortest }
      }
      return item.extreme
    }
  }

  /// The maximum distance between due points that count as the same, in time units.
  private func distance(of item: ReplayItem) -> UInt64 {
    let interval = recording.lives[Int(item.life)].intervalNs
    return (interval == 0 ? 1_000_000 : interval / 2) / recording.unitNs
  }

  // MARK: Sources and blocks

  func makeSource(_ item: ReplayItem) {
    let life = recording.lives[Int(item.life)]
    if life.version == 1 {
      item.model = ModelSource1 { [unowned self, unowned item] in perform(.source1Begin, item) }
    } else {
      item.model = ModelSource0(order: life.order) { [unowned self, unowned item] in
        perform(.source0Begin, item)
      }
    }
  }

  private func perform(_ kind: EventKind, _ item: ReplayItem) {
    let answer = item.answer
    item.isSignalled = false
    item.answer = nil
    if let answer {
      callout(kind, item.object, item.life, repeating: answer, own)
    } else {
      let begin = repeated(item) { history.performs[item.life] ?? [] }
      callout(kind, item.object, item.life, repeating: begin, Instance(isOwn: false))
    }
    calloutEnded(kind.end)
  }

  /// Signals a source. `answer`: the recorded callout that answers the signal, nil for a repetition.
  func signal(_ item: ReplayItem, answer: Int32?) {
    guard item.model?.isValid == true else { return }
    if !item.isSignalled {
      item.isSignalled = true
      item.answer = answer
      item.stimulus = stimulus
    }
    if let source = item.model as? ModelSource0 { loop.signal(source) }
    if let source = item.model as? ModelSource1 { source.receive() }
  }

  /// Queues a block for the loop. `modes` is nil for a block of the main queue.
  func queueBlock(_ item: ReplayItem, modes: Set<String>?, isOwn: Bool) {
    let kind: EventKind = modes == nil ? .mainQueueBlockBegin : .blockBegin
    item.stimulus = stimulus
    if modes == nil { mainQueueStimulus = stimulus }
    let body = { [unowned self] in
      guard !item.isDiscarded else { return }
      callout(
        kind, item.object, item.life, repeating: history.blocks[item.life],
        isOwn ? own : Instance(isOwn: false))
      calloutEnded(kind.end)
    }
    if let modes { loop.perform(inModes: modes, body) } else { loop.mainQueue?.async(body) }
  }

  /// Queues a part of a callout's work, and wakes the loop.
  func queue(_ object: UInt32, _ body: @escaping () -> Void) {
    emit(.blockCreate, object, [0, UInt64(history.loop), now] + commonModes)
    loop.perform(inModes: [ModeName.common], body)
    emit(.loopWakeUp, history.loop)
    wakeUp()
  }

  private var commonModes: [UInt64] {
    recording.reader.modes.filter { $0.value == ModeName.common }.map { UInt64($0.key) }
  }
}

extension [(due: UInt64?, begin: Int32)] {
  /// Returns the index of the callout whose due point is nearest to a moment. Considers only
  /// the recorded neighbours of the moment, if they are unused and at most `most` away. O(log n).
  func place(near due: UInt64, within most: UInt64, unused isUsed: [Bool]) -> Int? {
    let next = firstPlace { ($0.due ?? 0) >= due }
    var nearest: Int?, least = UInt64.max
    for at in Swift.max(0, next - 1)..<Swift.min(count, next + 2) where !isUsed[at] {
      let distance = distance(at, due)
      if distance <= most, nearest == nil || distance < least { (nearest, least) = (at, distance) }
    }
    return nearest
  }

  func distance(_ at: Int, _ due: UInt64) -> UInt64 {
    guard let other = self[at].due else { return .max }
    return other > due ? other - due : due - other
  }
}
