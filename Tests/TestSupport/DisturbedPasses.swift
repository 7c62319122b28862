import RunLoopVocabulary
import TraceFormat

/// Traces of the passes of a loop, with events left out, doubled or followed by unrelated ones.
package enum DisturbedPasses {
  private struct Thread {
    let index: UInt32
    let hasHigh: Bool
    /// One event in this many is left out, doubled, or followed by an unrelated one; 0 = none.
    let disturbedOneIn: UInt64
    let step: UInt64
    var events: [TestEvent] = []
    var time: UInt64
    var modes: [UInt8] = []
    var loop: UInt32 { 100 + index }

    mutating func add(
      _ kind: EventKind, object: UInt32, arguments: [UInt64] = [], _ random: inout SeededGenerator
    ) {
      time += random.oneIn(200) ? random.next() % 3_000_000 : random.next() % step
      let event = TestEvent(
        time: time, kind: kind, mode: modes.last ?? 0, object: object, arguments: arguments)
      guard disturbedOneIn > 0, random.oneIn(disturbedOneIn) else { return events.append(event) }
      switch random.next() % 4 {
      case 0: break
      case 1: events += [event, event]
      default: events += [event, other(&random)]
      }
    }

    /// Returns an unrelated event with the time of the last one.
    private func other(_ random: inout SeededGenerator) -> TestEvent {
      let object = UInt32(1 + random.next() % 12)
      let mode = 1 + random.next() % 3
      let later = time + random.next() % 90_000
      let others: [(EventKind, [UInt64])] = [
        (.sourceSignal, []), (.sourceCreate, [1]), (.mark, [2]), (.lostEvents, [3]),
        (.timerCreate, [1, random.pick([0, 20_000, 300_000]), random.pick([0, 500]), later, 1]),
        (.timerAdd, [mode, UInt64(loop)]), (.timerRemove, [mode]), (.timerInvalidate, []),
        (.timerReschedule, [later]), (.timerDue, [time]), (.loopAddCommonMode, [mode]), (.timerBegin, []),
        (.source0End, []), (.entryLow, []), (.exitLow, []), (.blockBegin, []), (EventKind(200), []),
      ]
      let (kind, arguments) = random.pick(others)
      return TestEvent(
        time: time, kind: kind, mode: UInt8(random.next() % 4),
        object: kind == .entryLow || kind == .exitLow || kind == .loopAddCommonMode ? loop : object,
        arguments: arguments)
    }

    mutating func activity(_ low: EventKind, _ random: inout SeededGenerator) {
      add(low, object: loop, &random)
      if hasHigh { add(EventKind(low.rawValue + 1), object: loop, &random) }
    }

    mutating func callout(_ begin: EventKind, depth: Int, _ random: inout SeededGenerator) {
      let object = UInt32(1 + random.next() % 12)
      if begin == .timerBegin, random.oneIn(2) { add(.timerDue, object: object, arguments: [time], &random) }
      add(begin, object: object, &random)
      if depth < 3, random.oneIn(40) { run(passes: random.next() % 4, depth: depth + 1, &random) }
      add(begin.end, object: random.oneIn(100) ? object + 1 : object, &random)
    }

    mutating func run(passes: UInt64, depth: Int, _ random: inout SeededGenerator) {
      // Rarely 0, which is not a mode.
      modes.append(UInt8(random.oneIn(20) ? 0 : 1 + random.next() % 3))
      let isRecorded = random.oneIn(3)
      if isRecorded {
        add(.runBegin, object: loop, arguments: [random.pick([0, 400_000, 5_000_000_000]), 0], &random)
      }
      if !random.oneIn(10) { activity(.entryLow, &random) }
      // nil = each pass has different callouts.
      var places = random.oneIn(2) ? nil : random.next()
      func has(oneIn: UInt64) -> Bool {
        guard let bits = places else { return random.oneIn(oneIn) }
        places = bits << 1 | bits >> 63
        return bits & 1 != 0
      }
      let period = places
      for _ in 0..<passes {
        places = period
        // Without these, the events belong to the previous pass, which may wait again.
        if !random.oneIn(10) {
          activity(.beforeTimersLow, &random)
          activity(.beforeSourcesLow, &random)
        }
        for kind in [EventKind.blockBegin, .source0Begin, .blockBegin] where has(oneIn: 2) {
          callout(kind, depth: depth, &random)
        }
        if !has(oneIn: 4) {
          activity(.beforeWaitingLow, &random)
          activity(.afterWaitingLow, &random)
        }
        for kind in [EventKind.timerBegin, .timerBegin, .mainQueueDrainBegin, .source1Begin]
        where has(oneIn: 3) {
          callout(kind, depth: depth, &random)
        }
      }
      if !random.oneIn(10) { activity(.exitLow, &random) }
      if isRecorded { add(.runEnd, object: loop, arguments: [3], &random) }
      modes.removeLast()
    }
  }

  /// Returns a trace of one to three threads. `passes` is the upper limit of a long run.
  package static func trace(_ random: inout SeededGenerator, passes: UInt64 = 300) throws
    -> (bytes: [UInt8], end: UInt64)
  {
    let hasHigh = random.oneIn(2)
    let disturbedOneIn = random.pick([0, 10, 40, 300] as [UInt64])
    let step = random.pick([1, 3, 300, 4_000] as [UInt64])
    let threads = (0..<(1 + UInt32(random.next() % 3))).map { index in
      var thread = Thread(
        index: index, hasHigh: hasHigh, disturbedOneIn: disturbedOneIn, step: step,
        time: random.next() % 1_000)
      if random.oneIn(3) {
        thread.add(
          .loopCreate, object: thread.loop, arguments: [1, LoopKind.epoll.rawValue], &random)
      }
      // One thread creates the sources: all threads use the same objects.
      if index == 0, random.oneIn(2) {
        for object in 1...12 as ClosedRange<UInt32> {
          thread.add(.sourceCreate, object: object, arguments: [1 + random.next() % 2], &random)
        }
      }
      for _ in 0..<(1 + random.next() % 3) {
        thread.run(passes: random.next() % random.pick([60, 60, passes]), depth: 0, &random)
        // Many short runs, as in a polling program.
        if random.oneIn(3) { for _ in 0..<80 { thread.run(passes: 1, depth: 0, &random) } }
      }
      return thread
    }
    let bytes = try writeTrace(codec: .none, timeUnit: .ns10, hasHighStamps: hasHigh) { writer in
      try writer.write([StringDefinition(id: 1, text: "x"), StringDefinition(id: 2, text: "y")])
      try writer.write((1...3).map { ModeDefinition(id: UInt8($0), name: "mode \($0)") })
      for thread in threads where !thread.events.isEmpty {
        let block = min(
          random.oneIn(2) ? thread.events.count / 2 + 1 : thread.events.count, TraceLimits.eventsPerBlock)
        for start in stride(from: 0, to: thread.events.count, by: block) {
          try writer.write(
            EventBuffer(thread.events.dropFirst(start).prefix(block)), thread: thread.index)
        }
      }
    }
    return (bytes, threads.compactMap(\.events.last?.time).max() ?? 0)
  }
}
