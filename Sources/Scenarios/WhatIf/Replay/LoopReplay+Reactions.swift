import RunLoopModel
import TraceFormat

/// Effects of the program's code on loops and items, on the loop's thread and on others.
extension LoopReplay {
  /// Repeats an event of the loop's own thread: notes it, and acts on the loop. `isElsewhere`: on another thread.
  func react(_ event: RecordedEvent, _ at: Int, _ instance: Instance, isElsewhere: Bool = false) {
    let item = item(of: event, instance)
    guard shouldHappen(event, item, Arrivals.EventPlace(place: Int32(history.place), at: Int32(at))) else {
      return
    }
    let object = item?.object ?? event.object
    // The recorder notes what a loop holds without the mode of the run.
    let mode = event.mode == 0 || ChangedEvents.isOfSnapshot(event.kind) ? event.mode : nil
    if event.argumentCount == 0, !isElsewhere {
      emit(event.kind, object, life: event.life, mode: mode)
      return act(
        event, [], item, signal: instance.isOwn ? place(at) : nil, isOnLoopsThread: true,
        isOwn: instance.isOwn)
    }
    for arguments in changed(movedArguments(event, by: clock.now &- ns(event.time)), event) {
      if isElsewhere {
        receiveMoved(
          ReplayedEvent(
            time: now, kind: event.kind, mode: 0, object: object, arguments: arguments, life: event.life,
            callout: -1))
      } else {
        emit(event.kind, object, arguments, life: event.life, mode: mode)
      }
      act(
        event, arguments, item, signal: instance.isOwn ? place(at) : nil, isOnLoopsThread: !isElsewhere,
        isOwn: instance.isOwn)
    }
  }

  private func place(_ at: Int) -> Arrivals.EventPlace {
    Arrivals.EventPlace(place: Int32(history.place), at: Int32(at))
  }

  /// Handles an arrival from outside the thread.
  func arrive(_ stimulus: Arrivals.Stimulus) {
    switch stimulus {
    case .event(let place, let at):
      let other = recording.threads[Int(place)]
      let event = other.events[Int(at)]
      let item = item(of: event, nil)
      let here = Arrivals.EventPlace(place: place, at: at)
      guard plan[event.life]?.isRemoved != true, mayHappen(event, item, here) else { return }
      if event.kind == .sourceSignal, let item, plan[event.life]?.periodNs != nil {
        noteMoved(.sourceSignal, item.object, life: item.life)
      }
      if event.argumentCount == 0 {
        return act(
          event, [], item, signal: Arrivals.EventPlace(place: place, at: at), isOnLoopsThread: false,
          isOwn: true)
      }
      for arguments in changed(Array(other.arguments(of: event)), event) {
        act(
          event, arguments, item, signal: Arrivals.EventPlace(place: place, at: at), isOnLoopsThread: false,
          isOwn: true)
      }
    case .inferred(let callout): arrive(inferred: callout)
    }
  }

  /// Drops a signal that a change merges with another one, and a wake-up that came only with dropped signals.
  private func mayHappen(_ event: RecordedEvent, _ item: ReplayItem?, _ here: Arrivals.EventPlace) -> Bool {
    let thread = recording.threads[Int(here.place)]
    switch event.kind {
    case .loopWakeUp:
      guard !plan.isNothing else { return true }
      if WakeUps.isRemoved(Int(here.at), in: thread, plan, unitNs: recording.unitNs) { return false }
      guard !droppedArrivals.isEmpty else { return true }
      let causes = WakeUps.causes(of: Int(here.at), in: thread, unitNs: recording.unitNs)
      guard !causes.isEmpty,
        causes.allSatisfy({
          droppedArrivals.contains(Arrivals.EventPlace(place: here.place, at: Int32($0)))
            || plan[thread.events[$0].life]?.isRemoved == true
        })
      else { return true }
      droppedArrivals.insert(here)
      return false
    case .sourceSignal:
      guard let item, plan[item.life]?.periodNs != nil else { return true }
      let wakes = WakeUps.follow(Int(here.at), in: thread, loop: history.loop, unitNs: recording.unitNs)
      // A repeated callout makes its signals again.
      if mayBeSignalled(item, wakes) { droppedArrivals.remove(here) } else { droppedArrivals.insert(here) }
      return !droppedArrivals.contains(here)
    default: return true
    }
  }

  /// Handles an arrival that was not recorded, but that a callout answered.
  private func arrive(inferred begin: Int32) {
    let event = events[Int(begin)]
    guard plan[event.life]?.isRemoved != true else { return }
    switch event.kind {
    case .source0Begin, .source1Begin:
      guard let item = item(of: event, nil) else { return }
      signal(item, answer: begin)
      if event.kind == .source0Begin { wakeUp() }
    case .mainQueueDrainBegin:
      mainQueueStimulus = stimulus
      loop.mainQueue?.wake()
    case .mainQueueBlockBegin:
      if let item = item(of: event, nil) { queueBlock(item, modes: nil, isOwn: true) }
    case .blockBegin:
      guard let item = item(of: event, nil) else { return }
      queueBlock(item, modes: [recording.modeName(event.mode)], isOwn: true)
      wakeUp()
    default: break
    }
  }

  // MARK: Items

  /// Returns the item that an event is about, and makes it if it is new.
  private func item(of event: RecordedEvent, _ instance: Instance?) -> ReplayItem? {
    guard event.life >= 0 else { return nil }
    let kind = recording.lives[Int(event.life)].kind
    guard kind == .timer || kind == .source || kind == .block else { return nil }
    if let instance, !instance.isOwn {
      if let made = instance.made[event.life] { return made }
      if case .defines? = EventTable.role(of: event.kind.rawValue) {
        let made = ReplayItem(life: event.life, object: newObject())
        instance.made[event.life] = made
        return made
      }
    }
    if let known = items[Int(event.life)] { return known }
    let item = ReplayItem(life: event.life, object: event.object)
    items[Int(event.life)] = item
    if kind == .source, !recording.lives[Int(event.life)].isDefined { makeSource(item) }
    return item
  }

  private func shouldHappen(_ event: RecordedEvent, _ item: ReplayItem?, _ here: Arrivals.EventPlace) -> Bool
  {
    if plan[event.life]?.isRemoved == true || ChangedEvents.isOutdated(event.kind, plan) { return false }
    guard let item else { return mayHappen(event, nil, here) }
    switch event.kind {
    // An invalid item cannot become invalid again.
    case .timerInvalidate, .sourceInvalidate:
      return recording.lives[Int(item.life)].loop != history.loop || item.model?.isValid ?? false
    default: return mayHappen(event, item, here)
    }
  }

  /// Merges signals that come too soon: delays the first of them, and drops the others. `wakes`: whether the program
  /// wakes the loop after the signal.
  private func mayBeSignalled(_ item: ReplayItem, _ wakes: Bool) -> Bool {
    guard let periodNs = plan[item.life]?.periodNs else { return true }
    guard let last = item.signalledNs, clock.now < last + periodNs else {
      item.signalledNs = clock.now
      return true
    }
    item.wakesLater = item.wakesLater || wakes
    guard !item.isPutOff else { return false }
    item.isPutOff = true
    clock.schedule(at: last + periodNs) { [unowned self] in
      item.isPutOff = false
      item.signalledNs = clock.now
      noteMoved(.sourceSignal, item.object, life: item.life)
      signal(item, answer: nil)
      guard item.wakesLater else { return }
      item.wakesLater = false
      noteMoved(.loopWakeUp, history.loop)
      wakeUp()
    }
    return false
  }

  private func noteMoved(_ kind: EventKind, _ object: UInt32, life: Int32 = -1) {
    receiveMoved(
      ReplayedEvent(
        time: now, kind: kind, mode: 0, object: object, arguments: [], life: life, callout: -1))
  }

  // MARK: Arguments

  /// Returns an event's arguments with its times moved by `ns`, which may be negative (two's complement).
  private func movedArguments(_ event: RecordedEvent, by ns: UInt64) -> [UInt64] {
    var arguments = Array(thread.arguments(of: event))
    guard ns != 0, !arguments.isEmpty, let row = EventTable.definition(of: event.kind) else {
      return arguments
    }
    let moved = Int64(bitPattern: ns) / Int64(recording.unitNs)
    for (at, argument) in row.arguments.enumerated() where argument.unit == .time && at < arguments.count {
      arguments[at] = arguments[at] &+ UInt64(bitPattern: moved)
    }
    return arguments
  }

  /// Returns the arguments of the events that replace this one after a change of its item, one list for each.
  private func changed(_ arguments: [UInt64], _ event: RecordedEvent) -> [[UInt64]] {
    ChangedEvents.arguments(arguments, event, plan, recording)
  }

  // MARK: Effects

  private func act(
    _ event: RecordedEvent, _ arguments: [UInt64], _ item: ReplayItem?, signal: Arrivals.EventPlace?,
    isOnLoopsThread: Bool, isOwn: Bool
  ) {
    guard let item else { return actOnLoop(event, arguments) }
    func argument(_ at: Int) -> UInt64 { at < arguments.count ? arguments[at] : 0 }
    switch event.kind {
    case .timerCreate:
      if item.model == nil { makeTimer(item, dueNs: ns(argument(EventKind.TimerCreate.due))) }
    case .timerReschedule:
      guard let timer = item.model as? ModelTimer else { return }
      let due = ns(argument(EventKind.TimerReschedule.due))
      loop.setNextFireDate(timer, due: Int64(bitPattern: due) < 0 ? 0 : due, isOnLoopsThread: isOnLoopsThread)
    case .sourceCreate: if item.model == nil { makeSource(item) }
    case .timerAdd, .sourceAdd:
      let loopID = argument(EventRole.Membership.loop)
      guard loopID == UInt64(history.loop) else { return crossing(loopID) }
      guard let model = item.model else { return }
      loop.add(model, to: modeName(argument(EventRole.Membership.mode)))
    case .timerRemove, .sourceRemove:
      if let model = item.model { loop.remove(model, from: modeName(argument(EventRole.Membership.mode))) }
    case .timerInvalidate, .sourceInvalidate:
      if let model = item.model { loop.invalidate(model) }
    case .sourceSignal: self.signal(item, answer: signal.flatMap(arrivals.callout(ofSignal:)))
    case .blockCreate: queueRecorded(event, arguments, item, isOwn: isOwn)
    case .blockDiscard: item.isDiscarded = true
    default: break
    }
  }

  private func actOnLoop(_ event: RecordedEvent, _ arguments: [UInt64]) {
    guard event.object == history.loop else {
      if [.loopWakeUp, .loopStop].contains(event.kind) { crossing(UInt64(event.object)) }
      return
    }
    switch event.kind {
    case .loopWakeUp: wakeUp()
    case .loopStop:
      lastWakeNs = clock.now
      loop.stop()
    case .loopAddCommonMode: loop.addCommonMode(modeName(arguments.first ?? 0))
    default: break
    }
  }

  private func crossing(_ loop: UInt64) { if loop != 0 { notes.crossings += 1 } }

  private func queueRecorded(
    _ event: RecordedEvent, _ arguments: [UInt64], _ item: ReplayItem, isOwn: Bool
  ) {
    typealias Block = EventKind.BlockCreate
    let loopID = arguments.count > Block.loop ? arguments[Block.loop] : nil
    guard loopID == UInt64(history.loop) else { return crossing(loopID ?? 0) }
    guard Arrivals.isForMainQueue(event, history, recording.lives) else {
      let modes = Set(arguments.dropFirst(Block.mode).map(modeName))
      return queueBlock(item, modes: modes.isEmpty ? [ModeName.common] : modes, isOwn: isOwn)
    }
    let dueNs = arguments.count > Block.due ? ns(arguments[Block.due]) : 0
    guard dueNs > clock.now else { return queueBlock(item, modes: nil, isOwn: isOwn) }
    clock.schedule(at: dueNs) { [unowned self] in queueBlock(item, modes: nil, isOwn: isOwn) }
  }

  /// The name of a mode; an unknown one counts as the common modes.
  private func modeName(_ id: UInt64) -> String {
    id == 0 ? ModeName.common : plan.modeName(UInt8(clamping: id), recording)
  }
}
