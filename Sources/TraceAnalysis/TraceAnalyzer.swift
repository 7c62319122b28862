import TraceFormat

/// Analyzes a trace in one pass over its events, in memory that does not grow with the trace.
public struct TraceAnalyzer {
  private let reader: TraceReader
  private let options: AnalysisOptions
  private let unit: UInt64

  /// Throws `.limit` for a trace whose times cannot be nanoseconds of this universe's programs.
  public init(_ reader: TraceReader, options: AnalysisOptions = AnalysisOptions()) throws(TraceFormatError) {
    self.reader = reader
    self.options = options
    unit = reader.header.timeUnit.nanoseconds
    // Two years: sums of a few such times stay within 64 bits.
    guard reader.lastTime <= (1 << 56) / unit else {
      throw .limit(offset: 0, block: nil, what: "a time of \(reader.lastTime) units is beyond two years")
    }
  }

  /// The analysis. `progress` is told the share of events done, 0...1, now and then.
  ///
  /// Throws when the trace cannot be read; damage that leaves the rest readable is in the result's notes.
  public func analyze(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) -> Analysis {
    var stream = try EventStream(reader)
    let objects = ObjectTable()
    let modes = ModeTable()
    let findings = Findings(objects: objects)
    let commonID = reader.modes.first { $0.value == "kCFRunLoopCommonModes" }?.key ?? 0
    let timers = TimerLedger(lanes: stream.threads.count, unitNs: unit, commonModesID: commonID)
    var replays = stream.threads.enumerated().map { lane, thread in
      ThreadReplay(
        lane: lane, thread: thread, hasHigh: reader.header.hasHighStamps, modes: modes,
        gapThreshold: options.gapThresholdNs / unit, busyThreshold: options.busyThresholdNs / unit,
        onPass: options.onPass)
    }
    defer { for replay in replays { replay.deallocate() } }
    let ordinals = UnsafeMutablePointer<Int>.allocate(capacity: 256 * max(replays.count, 1))
    ordinals.initialize(repeating: 0, count: 256 * max(replays.count, 1))
    defer { ordinals.deallocate() }

    let total = Double(max(reader.eventCount, 1))
    var events: UInt64 = 0
    var counted: UInt64 = 0
    func replay(until limit: UInt64) throws(TraceFormatError) {
      while let segment = try stream.next(before: limit) {
        let lane = segment.lane
        if segment.isNewBlock { (ordinals + 256 * lane).update(repeating: 0, count: 256) }
        replays[lane].replay(
          segment, ordinals: ordinals + 256 * lane, objects: objects, timers: timers, findings: findings)
        events += UInt64(segment.end - segment.start)
        try stream.advance(lane)
        progress?(Double(events) / total)
      }
    }

    let end = min(options.to ?? .max, reader.lastTime)
    let from = options.from ?? 0
    if from > 0 {
      try replay(until: from)
      for lane in replays.indices {
        timers.finish(lane: lane, end: from, state: &replays[lane])
        replays[lane].beginWindow(from)
      }
      timers.beginWindow(from)
      modes.reset()
      findings.reset()
      counted = events
    }
    try replay(until: options.to ?? .max)
    for lane in replays.indices { timers.finish(lane: lane, end: end, state: &replays[lane]) }
    timers.finish(end: end)
    for lane in replays.indices { replays[lane].finish(end, findings) }
    findings.finish()

    var result = ResultBuilder(
      reader: reader, threads: stream.threads, unit: unit, objects: objects, modes: modes, timers: timers,
      findings: findings
    ).build()
    result.trace.events = events - counted
    result.trace.lostEvents = replays.reduce(0) { $0 &+ $1.lostEvents }
    result.trace.unknownEvents = replays.reduce(0) { $0 &+ $1.unknownEvents }
    result.trace.damagedBlocks += stream.damagedBlocks
    result.trace.clean = reader.isClean && stream.damagedBlocks == 0
    result.trace.fromNs = from * unit
    result.trace.toNs = max(end, from) * unit
    if result.trace.lostEvents > 0 {
      result.notes.append(
        "\(result.trace.lostEvents) events were lost while recording: numbers around them are lower bounds")
    }
    result.damage = stream.damage
    if let damage = reader.problem ?? stream.damage { result.notes.append("the trace is not whole: \(damage)") }
    if result.trace.unknownEvents > 0 || result.trace.unknownBlocks > 0 {
      result.notes.append(
        "\(result.trace.unknownEvents) events and \(result.trace.unknownBlocks) blocks of kinds that this version does not know were skipped"
      )
    }
    return result
  }
}
