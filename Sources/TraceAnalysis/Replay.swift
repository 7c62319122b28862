import TraceFormat

/// The state of one analysis: the stream of events and everything that replays them.
///
/// A noncopyable struct, so that no access to it is checked at run time and none is by copy.
struct Replay: ~Copyable {
  private(set) var stream: EventStream
  private var threads: [ThreadReplay]
  private(set) var timers: TimerLedger
  let objects = ObjectTable()
  let modes = ModeTable()
  let findings: Findings
  /// How many events of each kind of a lane's present block have passed, 256 a lane.
  private let ordinals: UnsafeMutablePointer<Int>
  /// Events replayed.
  private(set) var events: UInt64 = 0

  init(_ reader: TraceReader, options: AnalysisOptions) throws(TraceFormatError) {
    stream = try EventStream(reader)
    let unit = reader.header.timeUnit.nanoseconds
    let lanes = stream.threads.count
    findings = Findings(objects: objects)
    let modes = modes
    threads = stream.threads.enumerated().map { lane, thread in
      ThreadReplay(
        lane: lane, thread: thread, hasHigh: reader.header.hasHighStamps, modes: modes,
        gapThreshold: options.gapThresholdNs / unit, busyThreshold: options.busyThresholdNs / unit,
        onPass: options.onPass)
    }
    let commonModes = reader.modes.first { $0.value == "kCFRunLoopCommonModes" }?.key ?? 0
    timers = TimerLedger(lanes: lanes, unitNs: unit, commonModesID: commonModes)
    // SAFETY: indexed by lane and kind only.
    ordinals = .allocate(capacity: 256 * max(lanes, 1))
    ordinals.initialize(repeating: 0, count: 256 * max(lanes, 1))
  }

  deinit {
    for thread in threads { thread.deallocate() }
    ordinals.deallocate()
  }

  /// Replays all events before `limit`. `progress` is told the events done after each segment.
  mutating func run(until limit: UInt64, progress: (UInt64) -> Void) throws(TraceFormatError) {
    while let segment = try stream.next(before: limit) {
      let lane = segment.lane
      if segment.isNewBlock { (ordinals + 256 * lane).update(repeating: 0, count: 256) }
      threads[lane].replay(
        segment, ordinals: ordinals + 256 * lane, objects: objects, timers: &timers, findings: findings)
      events += UInt64(segment.end - segment.start)
      stream.finish(segment)
      progress(events)
    }
  }

  /// Forgets what was counted before `time`, keeps the state.
  mutating func beginWindow(_ time: UInt64) {
    for lane in threads.indices {
      timers.advance(lane: lane, to: time, state: &threads[lane])
      threads[lane].beginWindow(time)
    }
    timers.beginWindow(time)
    modes.reset()
    findings.reset()
    events = 0
  }

  /// Adds up what is open at the end of the span.
  mutating func finish(_ end: UInt64) {
    for lane in threads.indices { timers.advance(lane: lane, to: end, state: &threads[lane]) }
    timers.finish(end: end)
    for lane in threads.indices { threads[lane].finish(end, findings) }
    findings.finish()
  }

  var lostEvents: UInt64 { threads.reduce(0) { $0 &+ $1.lostEvents } }
  var unknownEvents: UInt64 { threads.reduce(0) { $0 &+ $1.unknownEvents } }
}
