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
    let timeout = timeoutNs ?? thread.argument(0, of: event)
    let returnsAfterSource = thread.argument(1, of: event) == 1
    modes.append(event.mode)
    emit(.runBegin, event.object, [timeout] + thread.arguments(of: event).dropFirst())
    segment(.runBegin)
    if let lateness = arrivals.timeoutLateness[Int32(at)] {
      loop.timeoutLatenessNs = lateness * recording.unitNs
    } else {
      loop.timeoutLatenessNs = LoopReplay.timerLeewayNs
    }
    let mode = recording.modeName(event.mode)
    if mode != ModeName.default, !loop.hasItems(in: mode) { notes.hasBareRuns = true }
    let result = loop.run(
      mode: mode, seconds: timeout == .max ? 1e10 : Double(timeout) / 1e9,
      returnAfterSourceHandled: returnsAfterSource)
    emit(.runEnd, event.object, [UInt64(result.rawValue)])
    modes.removeLast()
  }

  /// How late the timer of a run wakes the loop in virtual time, and where it was not recorded.
  static let timerLeewayNs: UInt64 = 1000

  func activity(_ activity: Activity, isAfter: Bool) {
    if activity == .afterWaiting, !isAfter { waitEnded() }
    let hasHigh = recording.reader.header.hasHighStamps
    guard hasHigh || !isAfter else { return }
    let kind = EventKind(activity, isHigh: isAfter)
    emit(kind, history.loop)
    if activity == .beforeWaiting, isAfter == hasHigh { return waitBegins() }
    // The time limit of a run counts from here, before the time to the first pass.
    if activity == .entry, isAfter == hasHigh { pending = kind } else { segment(kind) }
  }

  func drain(isBegin: Bool) {
    let kind: EventKind = isBegin ? .mainQueueDrainBegin : .mainQueueDrainEnd
    emit(kind, history.loop)
    segment(kind)
  }

  // MARK: Timers

  func makeTimer(_ item: ReplayItem, dueNs: UInt64) {
    let interval = plan[item.life]?.intervalNs ?? recording.lives[Int(item.life)].intervalNs
    item.model = ModelTimer(due: dueNs, interval: Double(interval) / 1e9) { [unowned self, unowned item] in
      fire(item, dueNs: $0.due)
    }
  }

  private func fire(_ item: ReplayItem, dueNs: UInt64) {
    emit(.timerDue, item.object, [time(dueNs)], life: item.life)
    segment(.timerDue)
    let (begin, isOwn) = recordedFire(of: item, due: time(dueNs))
    let isOneShot = recording.lives[Int(item.life)].intervalNs == 0
    callout(.timerBegin, item.object, item.life, repeating: begin, Instance(isOwn: isOwn))
    if isOneShot, !history.implied.isEmpty, item.model?.isValid == true {
      if let end = begin.map({ Int(events[Int($0)].partner) }), end >= 0,
        history.implied.contains(Int32(end + 1))
      {
        elapse(ns: recordedNs(events[end].time, events[end + 1].time))
      }
      emit(.timerInvalidate, item.object, life: item.life)
    }
    pending = .timerEnd
  }

  /// Chooses the recorded callout that a timer repeats: the one for this due point, else one for the point before or
  /// after that is not used yet, else any.
  private func recordedFire(of item: ReplayItem, due: UInt64) -> (begin: Int32?, isOwn: Bool) {
    if let fires = history.fires[item.life] {
      let distance = distance(of: item)
      for at in fires.places(near: due) where fires.distance(at, due) <= distance * 3 {
        guard item.used.insert(at).inserted else { continue }
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

  /// How far due points may be apart that count as the same, in time units.
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
      callout(kind, item.object, item.life, repeating: answer, Instance(isOwn: true))
    } else {
      let begin = repeated(item) { history.performs[item.life] ?? [] }
      callout(kind, item.object, item.life, repeating: begin, Instance(isOwn: false))
    }
    pending = kind.end
  }

  /// Signals a source. `answer`: the recorded callout that answers the signal, nil for a repetition.
  func signal(_ item: ReplayItem, answer: Int32?) {
    guard item.model?.isValid == true else { return }
    if !item.isSignalled {
      item.isSignalled = true
      item.answer = answer
    }
    if let source = item.model as? ModelSource0 { loop.signal(source) }
    if let source = item.model as? ModelSource1 { source.receive() }
  }

  /// Queues a block for the loop. `modes` is nil for a block of the main queue.
  func queueBlock(_ item: ReplayItem, modes: Set<String>?, isOwn: Bool) {
    let kind: EventKind = modes == nil ? .mainQueueBlockBegin : .blockBegin
    let body = { [unowned self] in
      guard !item.isDiscarded else { return }
      callout(
        kind, item.object, item.life, repeating: history.blocks[item.life], Instance(isOwn: isOwn))
      pending = kind.end
    }
    if let modes { loop.perform(inModes: modes, body) } else { loop.mainQueue?.async(body) }
  }

  /// Queues a part of a callout's work, and wakes the loop.
  func queue(_ object: UInt32, _ body: @escaping () -> Void) {
    emit(.blockCreate, object, [0, UInt64(history.loop), now] + commonModes)
    loop.perform(inModes: [ModeName.common], body)
    emit(.loopWakeUp, history.loop)
    loop.wakeUp()
  }

  private var commonModes: [UInt64] {
    recording.reader.modes.filter { $0.value == ModeName.common }.map { UInt64($0.key) }
  }
}

extension [(due: UInt64?, begin: Int32)] {
  /// Returns the places of the callouts for the due points before and after a moment, the nearer one first. O(log n).
  func places(near due: UInt64) -> [Int] {
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if (self[middle].due ?? 0) < due { low = middle + 1 } else { high = middle }
    }
    let near = [low - 1, low, low + 1].filter { indices.contains($0) }
    return near.sorted { distance($0, due) < distance($1, due) }
  }

  func distance(_ at: Int, _ due: UInt64) -> UInt64 {
    guard let other = self[at].due else { return .max }
    return other > due ? other - due : due - other
  }
}
