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

  /// Whether an object left the common modes (here 3) depends on the events before. The restated events keep their
  /// order.
  @Test func changesOfModeKeepTheirOrder() {
    var state = LiveState(unit: .ns1, hasHighStamps: true)
    func event(_ time: UInt64, _ kind: EventKind, _ arguments: [UInt64]) -> TestEvent {
      TestEvent(time: time, kind: kind, object: 10, arguments: arguments)
    }
    let create = event(1, .timerCreate, [1, 0, 0, 50, 2])
    state.take(EventBuffer([create, event(5, .timerAdd, [1, 9]), event(6, .timerAdd, [1, 9])]), thread: 0) {
      _ in
    }
    // An event of another thread, later in the file.
    state.take(EventBuffer([event(2, .timerRemove, [4]), event(4, .timerAdd, [3, 9])]), thread: 1) { _ in }
    state.take(EventBuffer([event(7, .timerRemove, [3])]), thread: 2) { _ in }
    let restated = state.restated().flatMap(\.events).map { "\($0.kind) \($0.arguments.prefix(1))" }
    #expect(restated == ["40 [1]", "41 [3]", "41 [1]", "42 [3]"])
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
    var time: UInt64 = 0
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
