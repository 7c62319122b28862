import TraceFacts
import TraceFormat

/// Events that are neither activities nor callouts: events of the program, its items and its recorder.
extension ThreadReplay {
  /// Handles an event that is neither an activity nor a callout. Counts kinds that this version does not know.
  mutating func other(
    _ kind: EventKind, _ events: DecodedEvents, _ ordinal: Int, _ object: ObjectID, _ current: ModeID,
    _ time: Moment, _ timers: inout TimerLedger
  ) {
    func argument(_ position: Int) -> UInt64 {
      events.argument(position, kind: kind.rawValue, ordinal: ordinal) ?? 0
    }
    func word(_ position: Int) -> UInt32 { UInt32(truncatingIfNeeded: argument(position)) }
    func string(_ position: Int) -> StringID { books.names.id(StringID(word(position))) }
    func mode(_ position: Int) -> ModeID { ModeID(UInt8(truncatingIfNeeded: argument(position))) }
    var name: StringID { string(EventRole.Defines.name) }
    switch kind {
    case .runBegin: runCalls.begin(at: time, timeoutNs: argument(EventKind.RunBegin.timeoutNs))
    case .runEnd:
      if depth == 0 { outermost.isUnfinished = false }
      runCalls.end(
        Stamp(time: time, mode: current, loop: LoopID(object)), result: argument(EventKind.RunEnd.result))
    case .timerCreate:
      books.objects.define(object, name: name, at: time)
      timers.create(
        object: object, name: name, intervalNs: argument(EventKind.TimerCreate.intervalNs),
        toleranceNs: argument(EventKind.TimerCreate.toleranceNs),
        due: Int64(bitPattern: argument(EventKind.TimerCreate.due)),
        site: string(EventKind.TimerCreate.site))
    case .timerAdd:
      timers.add(
        object: object, mode: mode(EventRole.Membership.mode),
        loop: LoopID(ObjectID(word(EventRole.Membership.loop))), time: time, lane: lane,
        gap: gap.tally.span, clock: clock)
    case .timerRemove:
      timers.remove(
        object: object, mode: mode(EventRole.Membership.mode), time: time, lane: lane,
        gap: gap.tally.span, clock: clock)
    case .timerInvalidate: timers.invalidate(object: object, time: time, lane: lane)
    case .timerReschedule:
      timers.reschedule(
        object: object, due: Int64(bitPattern: argument(EventKind.TimerReschedule.due)), time: time,
        lane: lane)
    case .timerDue:
      timers.due(lane: lane, object: object, due: Int64(bitPattern: argument(EventKind.TimerDue.due)))
    case .timerFrames: timers.declareFrames(object: object)
    case .sourceSignal: books.sources.signal(object, at: time)
    case .sourceCreate:
      books.objects.define(object, name: name, at: time)
      books.sourceLives.create(
        object, argument(EventKind.SourceCreate.version) == 1 ? .source1 : .source0, name: name,
        site: string(EventKind.SourceCreate.site), at: time)
    case .observerCreate: books.objects.define(object, name: name, at: time)
    case .loopCreate:
      books.objects.defineLoop(
        object, name: name, kind: argument(EventKind.LoopCreate.kind), at: time)
      if isMainQueue {
        serveQueue(Stamp(time: time, mode: current, loop: LoopID(object)), &timers)
      }
    case .blockCreate:
      typealias Block = EventKind.BlockCreate
      let due = Int64(bitPattern: argument(Block.due))
      let isOfLoop = events.argument(Block.mode, kind: kind.rawValue, ordinal: ordinal) != nil
      let isOfSeveral = events.argument(Block.mode + 1, kind: kind.rawValue, ordinal: ordinal) != nil
      books.objects.queue(
        object, isOfLoop ? .block : .mainQueueBlock, name: name, loop: LoopID(ObjectID(word(Block.loop))),
        mode: isOfSeveral ? .outside : mode(Block.mode), at: max(time, Moment(UInt64(clamping: due))))
      if isOfSeveral {
        let modes = events.arguments(kind: kind.rawValue, ordinal: ordinal).dropFirst(Block.mode)
        books.workPlaces.addBlock(object, modes: modes.map { ModeID(UInt8(truncatingIfNeeded: $0)) })
      }
    case .blockDiscard: books.objects.discard(object, at: time, long: books.longWait)
    case .sourceAdd:
      let loop = LoopID(ObjectID(word(EventRole.Membership.loop)))
      books.workPlaces.add(object, mode: mode(EventRole.Membership.mode), loop: loop)
      books.sourceLives.add(object, to: loop, at: time)
    case .sourceRemove:
      books.workPlaces.remove(object, mode: mode(EventRole.Membership.mode))
      if !books.workPlaces.isPlaced(object) { books.sourceLives.leave(object, at: time) }
    case .sourceInvalidate:
      books.sourceLives.end(object, at: time)
      books.workPlaces.end(object)
      books.objects.end(object)
    case .loopAddCommonMode:
      let mode = mode(EventRole.Membership.mode)
      books.workPlaces.addCommonMode(mode, of: LoopID(object))
      timers.addCommonMode(loop: LoopID(object), mode: mode, time: time, lane: lane, clock: clock)
    case .loopPolls:
      guard depth > 0 else { return }
      let cell = frames.address(depth - 1).pointee.cell
      cell.pointee.pollsWithoutPass = cell.pointee.pollsWithoutPass.saturated(
        adding: argument(EventKind.LoopPolls.count))
    case .loopEnd:
      books.endLoop(LoopID(object), at: time)
      timers.endLoop(LoopID(object), time: time, lane: lane, clock: clock)
    case .workBegin:
      beginCallout(kind, object, time)
      books.queues.begin(object, on: ObjectID(word(EventKind.WorkBegin.queue)), lane: lane, at: time)
    case .workEnd:
      endCallout(kind, object, time, &timers)
      books.queues.end(object, why: argument(EventKind.WorkEnd.why), lane: lane, at: time)
    case .workCreate, .workQueue, .workDiscard, .queueCreate, .queueEnd, .queueWaitBegin, .queueWaitEnd:
      queue(
        kind, events, ordinal, object, name: kind == .workCreate || kind == .queueCreate ? name : .none, time)
    case .lifeCycle: books.lifeCycle.phase(argument(EventKind.LifeCycle.phase), at: time)
    case .backgroundTaskBegin:
      books.objects.define(object, name: name, at: time)
      books.lifeCycle.taskBegins(
        object, name: name, budgetNs: argument(EventKind.BackgroundTaskBegin.budgetNs), at: time)
    case .backgroundTaskEnd: books.lifeCycle.taskEnds(object, expired: false, at: time)
    case .backgroundTaskExpired: books.lifeCycle.taskEnds(object, expired: true, at: time)
    case .serviceBegin:
      books.objects.define(object, name: name, at: time)
      books.lifeCycle.serviceBegins(object, name: name, at: time)
    case .serviceEnd: books.lifeCycle.serviceEnds(object, at: time)
    case .mark:
      let name = string(EventKind.Mark.name)
      books.marks.mark(name, lane: lane, at: time)
      report(.mark, .none, name, time)
    case .state:
      books.states.set(string(EventKind.State.name), to: string(EventKind.State.value), at: time)
    case .intervalBegin:
      books.marks.begin(object, name: name, lane: lane, at: time)
      report(.intervalBegin, object, name, time)
    case .intervalEnd:
      books.marks.end(object, lane: lane, at: time)
      report(.intervalEnd, object, .none, time)
    case .threadStack: books.stacks.sample(events.arguments(kind: kind.rawValue, ordinal: ordinal), at: time)
    case .threadState: books.stacks.state(events.arguments(kind: kind.rawValue, ordinal: ordinal), at: time)
    case .threadUnsampled:
      books.stacks.unsampled(
        argument(EventKind.ThreadUnsampled.thread), reason: argument(EventKind.ThreadUnsampled.reason),
        at: time)
    case .imageMap:
      books.stacks.image(
        StackBook.Image(
          path: string(EventKind.ImageMap.path), base: argument(EventKind.ImageMap.base),
          size: argument(EventKind.ImageMap.size), buildID: string(EventKind.ImageMap.buildID)))
    case .topologyBegin:
      books.topology.begin(
        lane: lane, LoopID(object), current, at: time, reason: argument(EventKind.TopologyBegin.reason),
        address: argument(EventKind.TopologyBegin.address),
        hasUnseen: argument(EventKind.TopologyBegin.unseen) != 0)
    case .topologyMode:
      books.topology.mode(lane: lane, current, state: argument(EventKind.TopologyMode.state))
    case .topologyItem:
      books.topology.item(
        lane: lane, object, current, events.arguments(kind: kind.rawValue, ordinal: ordinal),
        name: string(EventKind.TopologyItem.name))
    case .topologyEnd:
      books.topology.end(
        lane: lane, items: argument(EventKind.TopologyEnd.items),
        omitted: argument(EventKind.TopologyEnd.omitted))
    case .lostEvents:
      let count = argument(EventKind.LostEvents.count)
      unused.lost = unused.lost.saturated(adding: count)
      unused.lostToFullDisk = unused.lostToFullDisk.saturated(
        adding: min(argument(EventKind.LostEvents.fullDisk), count))
      noteLoss(from: lastTime, until: time, count: count, &timers)
    default: if EventTable.role(of: kind.rawValue) == nil { unused.unknown &+= 1 }
    }
  }

  private func report(_ what: MarkFact.What, _ object: ObjectID, _ name: StringID, _ time: Moment) {
    let fact = MarkFact(
      thread: thread.rawValue, what: what, object: object.rawValue, name: name.rawValue, time: time.rawValue)
    facts.sink?.report { $0.mark(fact) }
  }
}
