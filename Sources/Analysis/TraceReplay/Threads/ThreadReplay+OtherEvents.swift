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
    var name: StringID { string(0) }
    switch kind {
    case .runBegin: runCalls.begin(at: time, timeoutNs: argument(0))
    case .runEnd:
      if depth == 0 { outermost.isUnfinished = false }
      runCalls.end(Stamp(time: time, mode: current, loop: LoopID(object)), result: argument(0))
    case .timerCreate:
      books.objects.define(object, name: name, at: time)
      timers.create(
        object: object, name: name, intervalNs: argument(1), toleranceNs: argument(2),
        due: Int64(bitPattern: argument(3)), site: string(4))
    case .timerAdd:
      timers.add(
        object: object, mode: mode(0),
        loop: LoopID(ObjectID(word(1))), time: time, lane: lane, gap: gap.tally.span,
        clock: clock)
    case .timerRemove:
      timers.remove(
        object: object, mode: mode(0), time: time, lane: lane,
        gap: gap.tally.span, clock: clock)
    case .timerInvalidate: timers.invalidate(object: object, time: time, lane: lane)
    case .timerReschedule:
      timers.reschedule(object: object, due: Int64(bitPattern: argument(0)), time: time, lane: lane)
    case .timerDue: timers.due(lane: lane, object: object, due: Int64(bitPattern: argument(0)))
    case .sourceSignal: books.sources.signal(object, at: time)
    case .sourceCreate:
      books.objects.define(object, name: name, at: time)
      books.sourceLives.create(object, name: name, site: string(3), at: time)
    case .observerCreate: books.objects.define(object, name: name, at: time)
    case .loopCreate:
      books.objects.defineLoop(object, name: name, at: time)
      if isMainQueue {
        serveQueue(Stamp(time: time, mode: current, loop: LoopID(object)), &timers)
      }
    case .blockCreate:
      let due = Int64(bitPattern: argument(2))
      let isOfLoop = events.argument(3, kind: kind.rawValue, ordinal: ordinal) != nil
      let isOfSeveral = events.argument(4, kind: kind.rawValue, ordinal: ordinal) != nil
      books.objects.queue(
        object, isOfLoop ? .block : .mainQueueBlock, name: name, loop: LoopID(ObjectID(word(1))),
        mode: isOfSeveral ? .outside : mode(3), at: max(time, Moment(UInt64(clamping: due))))
      if isOfSeveral {
        let modes = events.arguments(kind: kind.rawValue, ordinal: ordinal).dropFirst(3)
        books.workPlaces.addBlock(object, modes: modes.map { ModeID(UInt8(truncatingIfNeeded: $0)) })
      }
    case .blockDiscard: books.objects.discard(object, at: time, long: books.longWait)
    case .sourceAdd:
      books.workPlaces.add(object, mode: mode(0), loop: LoopID(ObjectID(word(1))))
      books.sourceLives.add(object, to: LoopID(ObjectID(word(1))), at: time)
    case .sourceRemove:
      books.workPlaces.remove(object, mode: mode(0))
      if books.workPlaces.places(of: object).isEmpty { books.sourceLives.leave(object, at: time) }
    case .sourceInvalidate:
      books.sourceLives.end(object, at: time)
      books.workPlaces.end(object)
      books.objects.end(object)
    case .loopAddCommonMode:
      books.workPlaces.addCommonMode(mode(0), of: LoopID(object))
      timers.addCommonMode(
        loop: LoopID(object), mode: mode(0), time: time, lane: lane, clock: clock)
    case .loopEnd:
      books.endLoop(LoopID(object), at: time)
      timers.endLoop(LoopID(object), time: time, lane: lane, clock: clock)
    case .lifeCycle: books.lifeCycle.phase(argument(0), at: time)
    case .backgroundTaskBegin:
      books.objects.define(object, name: name, at: time)
      books.lifeCycle.taskBegins(object, name: name, budgetNs: argument(1), at: time)
    case .backgroundTaskEnd: books.lifeCycle.taskEnds(object, expired: false, at: time)
    case .backgroundTaskExpired: books.lifeCycle.taskEnds(object, expired: true, at: time)
    case .serviceBegin:
      books.objects.define(object, name: name, at: time)
      books.lifeCycle.serviceBegins(object, name: name, at: time)
    case .serviceEnd: books.lifeCycle.serviceEnds(object, at: time)
    case .mark:
      books.marks.mark(name, lane: lane, at: time)
      report(.mark, .none, name, time)
    case .intervalBegin:
      books.marks.begin(object, name: name, lane: lane, at: time)
      report(.intervalBegin, object, name, time)
    case .intervalEnd:
      books.marks.end(object, lane: lane, at: time)
      report(.intervalEnd, object, .none, time)
    case .threadStack: books.stacks.sample(events.arguments(kind: kind.rawValue, ordinal: ordinal), at: time)
    case .threadState: books.stacks.state(events.arguments(kind: kind.rawValue, ordinal: ordinal), at: time)
    case .threadUnsampled: books.stacks.unsampled(argument(0), reason: argument(1))
    case .imageMap:
      books.stacks.image(
        StackBook.Image(path: name, base: argument(1), size: argument(2), buildID: string(3)))
    case .topologyBegin:
      books.topology.begin(
        lane: lane, LoopID(object), current, at: time, reason: argument(0), address: argument(1),
        hasUnseen: argument(2) != 0)
    case .topologyMode: books.topology.mode(lane: lane, current, state: argument(0))
    case .topologyItem:
      books.topology.item(
        lane: lane, object, current, events.arguments(kind: kind.rawValue, ordinal: ordinal),
        name: string(1))
    case .topologyEnd: books.topology.end(lane: lane, items: argument(0), omitted: argument(1))
    case .lostEvents:
      unused.lost = unused.lost.saturated(adding: argument(0))
      unused.lostToFullDisk = unused.lostToFullDisk.saturated(adding: min(argument(1), argument(0)))
      let loss = LossFact(
        thread: thread.rawValue, start: lastTime.rawValue, end: time.rawValue, count: argument(0))
      facts.sink?.report { $0.loss(loss) }
      noteLoss(until: time, &timers)
    default: if EventTable.role(of: kind.rawValue) == nil { unused.unknown &+= 1 }
    }
  }

  private func report(_ what: MarkFact.What, _ object: ObjectID, _ name: StringID, _ time: Moment) {
    let fact = MarkFact(
      thread: thread.rawValue, what: what, object: object.rawValue, name: name.rawValue, time: time.rawValue)
    facts.sink?.report { $0.mark(fact) }
  }
}
