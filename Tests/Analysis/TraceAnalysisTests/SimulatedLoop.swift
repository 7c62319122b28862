import TestSupport
import TraceFormat

/// A random run loop that obeys the rules of CFRunLoop, and keeps its own books while it writes events.
///
/// The books are naive, complete histories, so that they share only the rules with the analysis.
struct SimulatedLoop {
  struct Timer {
    let object: UInt32
    let interval: UInt64
    let modes: Set<UInt8>
    var due: UInt64
    var isFiring = false
    var fired: [(due: UInt64, begin: UInt64)] = []
    /// Grid points that the loop dropped.
    var skipped: [UInt64] = []
    /// Points at the very end of the timer's callout.
    var droppedAtEnd: Set<UInt64> = []
    var isPending = false
  }

  /// The state of the loop from `time` on.
  struct State {
    let time: UInt64
    /// The mode of the innermost run; 0 outside all runs.
    let mode: UInt8
    let firing: Set<UInt32>
    /// The open callouts of the innermost run, without those of the enclosing runs.
    let openCallouts: Int
    let isObserving: Bool
  }

  static let loopObject: UInt32 = 1
  static let modes: ClosedRange<UInt8> = 1...4

  private(set) var events: [TestEvent] = []
  private(set) var timers: [Timer] = []
  private(set) var history: [State] = []
  private var random: SeededGenerator
  private var now: UInt64
  private var modeStack: [UInt8] = []
  private var firing: Set<UInt32> = []
  private var openCallouts = 0
  private var enclosingCallouts: [Int] = []
  private var isObserving = false
  private let budget: Int
  private let hasHigh: Bool

  init(_ generator: SeededGenerator, budget: Int, hasHigh: Bool) {
    random = generator
    self.budget = budget
    self.hasHigh = hasHigh
    now = 0
    note()
    now = 1000
    makeTimers()
    while events.count < budget {
      pause(5_000)
      run(mode: pickMode(), for: random.next() % 300_000, depth: 0)
    }
    close()
  }

  /// The time of the last event.
  var end: UInt64 { events.last?.time ?? 0 }

  /// Returns the state at a time, after all events of that time.
  func state(at time: UInt64) -> State {
    var low = 0
    var high = history.count
    while low < high {
      let middle = (low + high) / 2
      if history[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return history[low - 1]
  }

  /// Returns the states between two times, and how long each one lasted.
  func states(from: UInt64, to: UInt64) -> [(state: State, time: UInt64)] {
    history.enumerated().compactMap { i, state in
      let end = i + 1 < history.count ? history[i + 1].time : self.end
      let overlap = (max(from, state.time), min(to, end))
      return overlap.0 < overlap.1 ? (state, overlap.1 - overlap.0) : nil
    }
  }

  /// Returns how long each mode was the innermost one between two times.
  func modeTimes(from: UInt64, to: UInt64) -> [UInt8: UInt64] {
    var times: [UInt8: UInt64] = [:]
    for (i, state) in history.enumerated() {
      let end = i + 1 < history.count ? history[i + 1].time : self.end
      let overlap = (max(from, state.time), min(to, end))
      if overlap.0 < overlap.1 { times[state.mode, default: 0] += overlap.1 - overlap.0 }
    }
    return times
  }

  // MARK: The simulation

  private mutating func makeTimers() {
    for number in 0..<(1 + random.next() % 6) {
      let object = UInt32(10 + number)
      let interval = 1_000 + random.next() % 40_000
      let modes = Set((0..<(1 + random.next() % 2)).map { _ in pickMode() })
      let due = now + random.next() % 50_000
      // The site number makes each timer a separate class.
      emit(.timerCreate, object: object, [1, interval, 0, due, 100 + number])
      for mode in modes { emit(.timerAdd, object: object, [UInt64(mode), UInt64(SimulatedLoop.loopObject)]) }
      timers.append(Timer(object: object, interval: interval, modes: modes, due: due))
    }
  }

  private mutating func pickMode() -> UInt8 { .random(in: SimulatedLoop.modes, using: &random) }

  private mutating func pause(_ most: UInt64) { now += random.oneIn(8) ? 0 : random.next() % most }

  private mutating func emit(
    _ kind: EventKind, mode: UInt8? = nil, object: UInt32, _ arguments: [UInt64] = []
  ) {
    events.append(
      TestEvent(
        time: now, kind: kind, mode: mode ?? modeStack.last ?? 0, object: object, arguments: arguments))
  }

  private mutating func note() {
    history.append(
      State(
        time: now, mode: modeStack.last ?? 0, firing: firing,
        openCallouts: openCallouts - (enclosingCallouts.last ?? 0),
        isObserving: isObserving))
  }

  private mutating func activity(_ low: EventKind) {
    emit(low, object: SimulatedLoop.loopObject)
    isObserving = hasHigh
    note()
    if hasHigh {
      pause(300)
      emit(EventKind(low.rawValue + 1), object: SimulatedLoop.loopObject)
      isObserving = false
    }
  }

  private mutating func run(mode: UInt8, for length: UInt64, depth: Int) {
    // Some runs poll: one pass that does not wait. The calls of some runs are not recorded.
    let polls = random.oneIn(5)
    let isRecorded = random.oneIn(2)
    let deadline = polls ? now : now + length
    if isRecorded {
      let timeout = polls ? random.pick([0, 800]) : 1_000_000 + length
      emit(.runBegin, mode: mode, object: SimulatedLoop.loopObject, [timeout, 0])
    }
    modeStack.append(mode)
    enclosingCallouts.append(openCallouts)
    activity(.entryLow)
    note()
    repeat {
      pass(mode, deadline, depth, polls: polls)
    } while !polls && now <= deadline && events.count < budget
    activity(.exitLow)
    modeStack.removeLast()
    enclosingCallouts.removeLast()
    isObserving = false
    note()
    if isRecorded { emit(.runEnd, mode: mode, object: SimulatedLoop.loopObject, [3]) }
  }

  private mutating func pass(_ mode: UInt8, _ deadline: UInt64, _ depth: Int, polls: Bool) {
    pause(300)
    activity(.beforeTimersLow)
    note()
    pause(300)
    activity(.beforeSourcesLow)
    note()
    var isPoll = polls
    if random.oneIn(4) {
      callout(.source0Begin, object: 900, depth)
      isPoll = true
    }
    pause(300)
    if !isPoll {
      activity(.beforeWaitingLow)
      note()
      let next = timers.filter { $0.modes.contains(mode) && !$0.isFiring }.map(\.due).min() ?? .max
      now = max(now, min(next, deadline)) + random.next() % 200
      activity(.afterWaitingLow)
      note()
      pause(300)
    }
    fireTimers(mode, depth)
  }

  private mutating func fireTimers(_ mode: UInt8, _ depth: Int) {
    let limit = now
    let batch = timers.indices.filter {
      timers[$0].modes.contains(mode) && !timers[$0].isFiring && timers[$0].due <= limit
    }
    .sorted { timers[$0].due < timers[$1].due }
    for index in batch {
      pause(200)
      guard !timers[index].isFiring, timers[index].due <= now else { continue }
      fire(index, depth)
    }
  }

  private mutating func fire(_ index: Int, _ depth: Int) {
    let timer = timers[index]
    timers[index].fired.append((timer.due, now))
    timers[index].isFiring = true
    emit(.timerDue, object: timer.object, [timer.due])
    firing.insert(timer.object)
    callout(.timerBegin, object: timer.object, depth)
    firing.remove(timer.object)
    note()
    timers[index].isFiring = false
    // next = old + k * interval, the smallest after now.
    var next = timer.due + timer.interval
    while next <= now {
      timers[index].skipped.append(next)
      if next == now { timers[index].droppedAtEnd.insert(next) }
      next += timer.interval
    }
    timers[index].due = next
  }

  private mutating func callout(_ begin: EventKind, object: UInt32, _ depth: Int) {
    emit(begin, object: object)
    openCallouts += 1
    note()
    pause(random.oneIn(6) ? 60_000 : 2_000)
    if depth < 3, random.oneIn(10) {
      run(mode: pickMode(), for: random.next() % 80_000, depth: depth + 1)
      pause(1_000)
    }
    emit(EventKind(begin.rawValue + 1), object: object)
    openCallouts -= 1
    note()
  }

  /// Counts the points that are overdue at the end. A point at exactly the end is not due yet, even if a callout that
  /// ended then dropped it.
  private mutating func close() {
    let end = end
    for index in timers.indices { timers[index].skipped.removeAll { $0 >= end } }
    for index in timers.indices where timers[index].due < end {
      timers[index].isPending = true
      var next = timers[index].due + timers[index].interval
      while next < end {
        timers[index].skipped.append(next)
        next += timers[index].interval
      }
    }
  }

  // MARK: The trace

  static let strings =
    [StringDefinition(id: 1, text: "simulated")]
    + (0..<10).map { StringDefinition(id: 100 + $0, text: "site \($0)") }
  static let threads = [ThreadDefinition(index: 0, osThread: 1, isMain: true, name: "main")]
  static let modeNames = modes.map { ModeDefinition(id: $0, name: "mode \($0)") }

  /// Returns the bytes of a trace with the loop's events, or others in their place.
  func trace(codec: CodecID, timeUnit: TimeUnit = .ns1, of others: [TestEvent]? = nil) throws -> [UInt8] {
    try writeTrace(codec: codec, timeUnit: timeUnit, hasHighStamps: hasHigh) { writer in
      try writer.write(SimulatedLoop.strings)
      try writer.write(SimulatedLoop.threads)
      try writer.write(SimulatedLoop.modeNames)
      // Blocks of uneven sizes: the state must carry over from one to the next.
      var rest = (others ?? events)[...]
      var size = 7
      while !rest.isEmpty {
        try writer.write(EventBuffer(rest.prefix(size)), thread: 0)
        rest = rest.dropFirst(size)
        size = size * 3 % 5_000 + 1
      }
    }
  }
}
