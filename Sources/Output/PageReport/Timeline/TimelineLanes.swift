import TraceAnalysis
import TraceFacts
import TraceReplay

/// The lanes of a `TimelineBuilder`.
struct TimelineLanes: ~Copyable {
  /// The ids of timer classes are small numbers, because the analysis has a far lower limit.
  private static let timerIDs = 1024

  private let from: UInt64
  private let to: UInt64
  private let limits: TimelineLimits
  private let threadStore: UnsafeMutablePointer<ThreadLane>
  private let timerStore: UnsafeMutablePointer<TimerLane>
  private let queueStore: UnsafeMutablePointer<QueueLane>
  private var queueCount = 0
  /// The index in `queueStore` by name, or by the object of a queue without a name; -1 = no lane.
  private var placeOfQueue: [SIMD2<UInt32>: Int] = [:]
  private(set) var queuesLeftOut = 0
  private var threadCount = 0
  private var timerCount = 0
  /// The index of a class in `timerStore` by its id; -1 = none yet.
  private let placeOfTimer: UnsafeMutablePointer<Int>
  private var current = 0
  private var marks = 0
  private(set) var threadsLeftOut: Set<UInt32> = []
  /// By the id of the timer class.
  private(set) var frames: [Int: FrameLane] = [:]
  var states: StateChanges

  var threads: UnsafeMutableBufferPointer<ThreadLane> { .init(start: threadStore, count: threadCount) }
  var timers: UnsafeMutableBufferPointer<TimerLane> { .init(start: timerStore, count: timerCount) }
  var queues: UnsafeMutableBufferPointer<QueueLane> { .init(start: queueStore, count: queueCount) }

  init(from: UInt64, to: UInt64, _ limits: TimelineLimits) {
    self.from = from
    self.to = to
    self.limits = limits
    states = StateChanges(limit: limits.states)
    threadStore = .allocate(capacity: TimelineBuilder.threadLimit)
    timerStore = .allocate(capacity: TimelineBuilder.timerLimit)
    queueStore = .allocate(capacity: TimelineBuilder.queueLimit)
    placeOfTimer = .allocate(capacity: Self.timerIDs)
    placeOfTimer.initialize(repeating: -1, count: Self.timerIDs)
  }

  deinit {
    threadStore.deinitialize(count: threadCount)
    threadStore.deallocate()
    timerStore.deinitialize(count: timerCount)
    timerStore.deallocate()
    queueStore.deinitialize(count: queueCount)
    queueStore.deallocate()
    placeOfTimer.deallocate()
  }

  @inline(__always)
  mutating func pass(_ record: PassFact) {
    guard isCurrent(record.thread) else { return }
    threadStore[current].pass(record)
    counted()
  }

  @inline(__always)
  mutating func phase(_ record: PhaseFact) {
    guard isCurrent(record.thread) else { return }
    threadStore[current].phase(record)
    counted()
  }

  @inline(__always)
  mutating func callout(_ record: CalloutFact) {
    if let queue = record.queue { add(record, of: queue) }
    guard isCurrent(record.thread) else { return }
    threadStore[current].callout(record)
    counted()
  }

  @inline(__always)
  mutating func points(_ record: PointFact) {
    let place = place(ofTimer: record.timer)
    guard place >= 0 else { return }
    let badness = timerStore[place].add(record)
    // The activity of the loop at that time is also kept in detail.
    if threadCount > 0 { threadStore[current].detail.mark(asBadAs: badness) }
    counted()
  }

  /// Adds all records of the passes at once if none of them needs separate treatment. Returns false if it added none.
  mutating func passes(_ passes: EqualPassFacts) -> Bool {
    guard marks >= limits.whole, isCurrent(passes.thread), threadStore[current].add(passes) else {
      return false
    }
    for step in passes.steps {
      if case .fire(let number) = step.what { add(fires: number, at: step.start, of: passes) }
    }
    return true
  }

  private mutating func add(fires number: Int, at place: Int, of passes: EqualPassFacts) {
    for pass in 0..<passes.count {
      let lane = self.place(ofTimer: passes.fire(pass, number).timer)
      guard lane >= 0 else { continue }
      let moment = passes.time(pass, place)
      timerStore[lane].add(fireAt: moment, mode: passes.mode)
    }
  }

  @inline(__always)
  private mutating func counted() {
    marks &+= 1
    if marks == limits.whole { keepWindowsOnly() }
  }

  private mutating func keepWindowsOnly() {
    for place in 0..<threadCount { threadStore[place].detail.forgetWhole() }
    for place in 0..<timerCount { timerStore[place].detail.forgetWhole() }
    for place in 0..<queueCount { queueStore[place].lane.detail.forgetWhole() }
  }

  /// Returns whether the thread has a lane; `current` is then its index.
  @inline(__always)
  private mutating func isCurrent(_ thread: UInt32) -> Bool {
    if current < threadCount, threadStore[current].thread == thread { return true }
    return change(to: thread)
  }

  private mutating func change(to thread: UInt32) -> Bool {
    if let place = (0..<threadCount).first(where: { threadStore[$0].thread == thread }) {
      current = place
      return true
    }
    guard threadCount < TimelineBuilder.threadLimit else {
      // The set is bounded, because a trace has at most as many threads as its header can number.
      threadsLeftOut.insert(thread)
      return false
    }
    (threadStore + threadCount).initialize(to: ThreadLane(thread: thread, from: from, to: to, limits))
    if marks >= limits.whole { threadStore[threadCount].detail.forgetWhole() }
    current = threadCount
    threadCount += 1
    return true
  }

  mutating func frame(_ frame: FrameFact) {
    if let lane = frames[frame.timer] { return lane.add(frame) }
    guard frames.count < TimelineBuilder.timerLimit else { return }
    let lane = FrameLane(timer: frame.timer, place: frames.count, from: from, to: to, limits)
    frames[frame.timer] = lane
    lane.add(frame)
  }

  @inline(never)
  private mutating func add(_ slice: CalloutFact, of queue: ServingQueue) {
    let key = queue.name == 0 ? SIMD2(0, queue.object) : SIMD2(queue.name, 0)
    let place = placeOfQueue[key] ?? newPlace(of: queue, key)
    guard place >= 0 else { return }
    queueStore[place].add(slice, waited: queue.waited)
    counted()
  }

  private mutating func newPlace(of queue: ServingQueue, _ key: SIMD2<UInt32>) -> Int {
    guard placeOfQueue.count < AnalysisLimits.queueRows else { return -1 }
    guard queueCount < TimelineBuilder.queueLimit else {
      queuesLeftOut += 1
      placeOfQueue[key] = -1
      return -1
    }
    (queueStore + queueCount).initialize(to: QueueLane(queue, from: from, to: to, limits))
    if marks >= limits.whole { queueStore[queueCount].lane.detail.forgetWhole() }
    placeOfQueue[key] = queueCount
    queueCount += 1
    return queueCount - 1
  }

  /// Returns the index of the class; -1 = it has no lane.
  @inline(__always)
  private mutating func place(ofTimer id: Int) -> Int {
    guard id >= 0, id < Self.timerIDs else { return -1 }
    let place = placeOfTimer[id]
    return place >= 0 ? place : newPlace(ofTimer: id)
  }

  private mutating func newPlace(ofTimer id: Int) -> Int {
    guard timerCount < TimelineBuilder.timerLimit else { return -1 }
    let time = TimeBins(from: from, to: to, atMost: limits.bins(ofTimer: timerCount))
    (timerStore + timerCount).initialize(
      to: TimerLane(timer: id, time, window: limits.window(ofTimer: timerCount)))
    if marks >= limits.whole { timerStore[timerCount].detail.forgetWhole() }
    placeOfTimer[id] = timerCount
    timerCount += 1
    return timerCount - 1
  }
}
