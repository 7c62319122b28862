import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// The order in which blocks of different threads reach the drain must not change the live state.
@Suite struct LiveStateTests {
  private static let threads: UInt32 = 3

  @Test func orderOfThreadsDoesNotMatter() throws {
    var random = SeededGenerator(named: "liveState")
    for round in 0..<TestRounds.value(300) {
      let events = Self.history(&random)
      let inOrder = Self.restated(events.map { ($0.thread, [$0.event]) })
      // The same events in separate blocks for each thread, with the threads' blocks shuffled.
      var queues = (0..<Self.threads).map { thread in events.filter { $0.thread == thread }.map(\.event)[...]
      }
      var blocks: [(UInt32, [TestEvent])] = []
      while let thread = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
        let block = queues[thread].prefix(Int(1 + random.next() % 20))
        queues[thread] = queues[thread].dropFirst(block.count)
        blocks.append((UInt32(thread), Array(block)))
      }
      let difference = firstDifference(Self.restated(blocks), inOrder)
      #expect(difference == nil, "\(TestSeed.note), round \(round)")
    }
  }

  /// Returns the changes of modes that restate object 10 after `events`, each as kind, mode and loop. Mode 3 is "the
  /// common modes", and mode 1 is a common mode of loop 9.
  private func restatedModes(
    _ creation: EventKind, _ events: (time: UInt64, kind: EventKind, object: UInt32, arguments: [UInt64])...
  ) -> [String] {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    state.name(commonModes: ModeID(3))
    let all: [TestEvent] =
      [
        TestEvent(time: 1, kind: .loopCreate, object: 9, arguments: [1]),
        TestEvent(time: 2, kind: .loopAddCommonMode, object: 9, arguments: [1]),
        TestEvent(time: 3, kind: creation, object: 10, arguments: [1, 0, 0, 50, 2]),
      ] + events.map { TestEvent(time: $0.time, kind: $0.kind, object: $0.object, arguments: $0.arguments) }
    state.take(EventBuffer(all), thread: 0) { _ in }
    return state.restated().flatMap(\.events).filter { $0.object == 10 && $0.kind != creation.rawValue }
      .map { "\($0.kind) \($0.arguments)" }
  }

  /// A recording that keeps the newest part restates whether a task waits in a queue, and for which.
  @Test func tasksAreRestatedAsTheyAre() {
    let (queue, suspended) = (EventKind.workQueue.rawValue, EventKind.workEnd.rawValue)
    #expect(restatedModes(.workCreate, (5, .workEnd, 10, [1])) == ["\(suspended) [1]"])
    #expect(restatedModes(.workCreate, (5, .workEnd, 10, [1]), (6, .workQueue, 10, [9])) == ["\(queue) [9]"])
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    let events = [
      TestEvent(time: 1, kind: .workCreate, object: 10, arguments: [1, 0, 9]),
      TestEvent(time: 2, kind: .queueCreate, object: 19, arguments: [1, 0, 1]),
      TestEvent(time: 3, kind: .workCreate, object: 11, arguments: [1, 0, 9]),
      TestEvent(time: 4, kind: .workBegin, object: 10, arguments: [9]),
      TestEvent(time: 5, kind: .workBegin, object: 11, arguments: [9]),
      TestEvent(time: 6, kind: .workEnd, object: 11, arguments: [0]),
    ]
    state.take(EventBuffer(events), thread: 0) { _ in }
    let restated = state.restated().flatMap(\.events).map { "\($0.kind) #\($0.object) \($0.arguments)" }
    #expect(restated == ["89 #19 [1, 0, 1]", "62 #10 [1, 0, 9]", "34 #10 [9]"])
  }

  /// Such a recording restates that a timer is a frame source, after its modes.
  @Test func frameSourcesAreRestated() {
    let (joins, declares) = (EventKind.timerAdd.rawValue, EventKind.timerFrames.rawValue)
    #expect(
      restatedModes(.timerCreate, (4, .timerFrames, 10, []), (5, .timerAdd, 10, [2, 9]))
        == ["\(joins) [2, 9]", "\(declares) []"])
    #expect(restatedModes(.timerCreate, (4, .timerFrames, 10, []), (5, .timerInvalidate, 10, [])) == [])
  }

  /// Work that waited when events were lost may have run since. Work that runs elsewhere, is suspended or was queued
  /// later stays known.
  @Test func workThatMayHaveRunIsNotRestated() {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    let events = (10...13).map {
      TestEvent(time: UInt64($0), kind: .workCreate, object: UInt32($0), arguments: [1, 1, 9])
    }
    state.take(
      EventBuffer(
        events + [
          TestEvent(time: 20, kind: .workBegin, object: 12, arguments: [9]),
          TestEvent(time: 21, kind: .workEnd, object: 12, arguments: [1]),
          TestEvent(time: 30, kind: .lostEvents, object: 0, arguments: [5]),
          TestEvent(time: 40, kind: .workQueue, object: 13, arguments: [9]),
          TestEvent(time: 41, kind: .workCreate, object: 14, arguments: [1, 0, 9]),
        ]), thread: 0
    ) { _ in }
    state.take(
      EventBuffer([TestEvent(time: 15, kind: .workBegin, object: 11, arguments: [9])]), thread: 1
    ) { _ in }
    let created = state.restated().flatMap(\.events).filter { $0.kind == EventKind.workCreate.rawValue }
    #expect(created.map(\.object) == [11, 12, 13, 14])
  }

  /// The latest value of each named state holds, in whatever order the blocks of threads arrive. A state that ended is
  /// not restated.
  @Test func namedStatesAreRestated() {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    let events: [(thread: UInt32, time: UInt64, arguments: [UInt64])] = [
      (0, 10, [1, 5]), (0, 40, [1, 6]), (0, 50, [2, 7]), (1, 20, [1, 8]), (1, 60, [2, 0]), (1, 70, [3, 9]),
      (1, 80, [4]),
    ]
    for (thread, time, arguments) in events {
      state.take(
        EventBuffer([TestEvent(time: time, kind: .state, object: 0, arguments: arguments)]), thread: thread
      ) { _ in }
    }
    let restated = state.restated().flatMap(\.events).map { "\($0.kind) \($0.arguments)" }
    #expect(restated == ["93 [1, 6]", "93 [3, 9]"])
  }

  @Test func aCommonItemLeavesTheDefaultModeWithTheCommonModes() {
    let modes = restatedModes(
      .timerCreate, (4, .timerAdd, 10, [1, 9]), (5, .timerAdd, 10, [3, 9]), (6, .timerRemove, 10, [3]))
    #expect(modes == [])
    // An item that is not common does not leave.
    let named = restatedModes(.timerCreate, (4, .timerAdd, 10, [1, 9]), (6, .timerRemove, 10, [3]))
    #expect(named == ["41 [1, 9]"])
  }

  @Test func aSourceInTwoLoopsIsRestatedInBoth() {
    let modes = restatedModes(
      .sourceCreate, (4, .sourceAdd, 10, [1, 9]), (5, .sourceAdd, 10, [1, 8]), (6, .sourceAdd, 10, [1, 9]))
    #expect(modes == ["49 [1, 8]", "49 [1, 9]"])
  }

  @Test func aModeThatBecomesCommonAfterARemovalHasTheItem() {
    let later = restatedModes(
      .timerCreate, (4, .timerAdd, 10, [3, 9]), (5, .timerRemove, 10, [4]),
      (6, .loopAddCommonMode, 9, [4]))
    #expect(later == ["41 [3, 9]"])
    let earlier = restatedModes(
      .timerCreate, (4, .timerAdd, 10, [3, 9]), (5, .loopAddCommonMode, 9, [4]),
      (6, .timerRemove, 10, [4]), (7, .loopAddCommonMode, 9, [4]))
    #expect(earlier == ["41 [3, 9]", "42 [4]"])
  }

  /// Only a few of very many changes have an effect.
  @Test func manyChangesOfModeAreKeptShort() {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    let create = TestEvent(time: 1, kind: .timerCreate, object: 10, arguments: [1, 0, 0, 50, 2])
    let changes = (2..<2002).map { time in
      let isAdded = time % 2 == 0
      return TestEvent(
        time: UInt64(time), kind: isAdded ? .timerAdd : .timerRemove, object: 10,
        arguments: isAdded ? [UInt64(time % 100), 9] : [UInt64(time % 100) - 1])
    }
    let last = TestEvent(time: 2002, kind: .timerAdd, object: 10, arguments: [5, 9])
    state.take(EventBuffer([create] + changes + [last]), thread: 0) { _ in }
    #expect(state.restated().flatMap(\.events).map(\.kind) == [40, 41])
  }

  /// An open interval is restated on the thread that began it, whatever other threads exist. An interval that ended
  /// on any thread is not restated.
  @Test func intervalsAreRestatedOnTheirThreads() {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    func event(_ time: UInt64, _ kind: EventKind, _ object: UInt32) -> TestEvent {
      TestEvent(time: time, kind: kind, object: object, arguments: kind == .intervalBegin ? [7] : [])
    }
    state.take(
      EventBuffer([event(1, .loopCreate, 1), event(5, .intervalBegin, 10), event(9, .intervalEnd, 11)]),
      thread: 0
    ) { _ in }
    state.take(EventBuffer([event(4, .intervalBegin, 11), event(6, .intervalBegin, 12)]), thread: 2) { _ in }
    let restated = state.restated().map { part in
      "\(part.thread): " + part.events.map { "\($0.kind) \($0.object)" }.joined(separator: ", ")
    }
    #expect(restated == ["0: 56 1, 77 10", "2: 77 12"])
  }

  private static func restated(_ blocks: [(thread: UInt32, events: [TestEvent])]) -> [String] {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    state.name(commonModes: ModeID(3))
    for block in blocks { state.take(EventBuffer(block.events), thread: block.thread) { _ in } }
    return state.restated().flatMap { part in part.events.map { "\(part.thread) \($0)" } }
  }

  /// Returns a history of timers that any thread creates, moves between modes, fires and invalidates, each at its own
  /// time.
  private static func history(
    _ random: inout SeededGenerator
  ) -> [(thread: UInt32, event: TestEvent)] {
    var found: [(thread: UInt32, event: TestEvent)] = []
    var living: [UInt32] = []
    var free = Array(1...UInt32(6))
    var time: UInt64 = 2
    found.append((0, TestEvent(time: 1, kind: .loopCreate, object: 9, arguments: [1])))
    found.append((1, TestEvent(time: 2, kind: .loopAddCommonMode, object: 9, arguments: [1])))
    for _ in 0..<(50 + random.next() % 200) {
      // The begin and the end of a callout are on one thread.
      let thread = UInt32(random.next() % UInt64(threads))
      func add(_ kind: EventKind, _ object: UInt32, _ arguments: [UInt64] = [], after: UInt64 = 1) {
        time += after
        found.append((thread, TestEvent(time: time, kind: kind, object: object, arguments: arguments)))
      }
      guard let timer = living.randomElement(using: &random), !random.oneIn(8) else {
        guard let fresh = free.popLast() else { continue }
        living.append(fresh)
        add(.timerCreate, fresh, [1, random.next() % 50, 0, time + 10, 2])
        continue
      }
      let mode = 1 + random.next() % 3
      switch random.next() % 6 {
      case 0, 1: add(.timerAdd, timer, [mode, 9])
      case 2: add(.timerRemove, timer, [mode])
      case 3: add(.timerReschedule, timer, [time + random.next() % 100])
      case 4:
        add(.timerDue, timer, [time])
        add(.timerEnd, timer, after: 1 + random.next() % 60)
      default:
        add(.timerInvalidate, timer)
        living.removeAll { $0 == timer }
        // Another timer may reuse the ID.
        free.append(timer)
      }
    }
    return found
  }
}
