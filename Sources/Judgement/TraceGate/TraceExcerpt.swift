import TraceFormat

/// The part of a trace that belongs to one interval on one thread, as a trace of its own that begins at time 0.
///
/// It holds the events of the interval's thread between its beginning and end, and the events that describe their
/// objects: definitions made on any thread, and what other threads did to the objects. The states of the program are
/// those that any thread set. From the recorder's threads it takes the stacks and states of the interval's thread. So
/// the work of other threads cannot change its numbers. Queues other than the main queue are left out.
package struct TraceExcerpt {
  private let reader: TraceReader
  private let interval: ExcerptInterval
  private let index: ExcerptIndex
  private let osThread: UInt64
  private let recorderThreads: Set<UInt32>
  /// The events of the interval's thread inside the interval.
  private var own: [EventBuffer] = []
  /// The objects that the thread's events name, and those that belong to them.
  private var objects: Set<UInt32> = []
  /// When each object last went out of use before the interval: blocks when they began, others when they ended. Ids
  /// are reused, so earlier events are about another object.
  private var releases: [UInt32: UInt64] = [:]
  /// The threads whose stacks belong to the excerpt: the interval's own, and those that held a lock it waited for.
  private var stackThreads: Set<UInt64> = []
  /// Where each state was last set before the interval, by the string id of its name.
  private var lastStates: [UInt64: (time: UInt64, thread: UInt32)] = [:]

  /// `index` must have read all blocks of the trace.
  package init(
    _ reader: TraceReader, _ interval: ExcerptInterval, _ index: ExcerptIndex
  ) throws(TraceFormatError) {
    self.reader = reader
    self.interval = interval
    self.index = index
    osThread = reader.threads[interval.thread]?.osThread ?? 0
    recorderThreads = reader.recorderThreads
    try readOwn()
    findObjects()
    findStackThreads()
    findStates()
  }

  /// Returns the excerpt as the bytes of a trace.
  package func bytes() throws(TraceFormatError) -> [UInt8] {
    let sink = MemorySink()
    let original = reader.header
    let header = FileHeader(
      timeUnit: original.timeUnit, codec: NoCodec().id, captureLevel: original.captureLevel,
      clock: original.clock, hasHighStamps: original.hasHighStamps, minor: original.minor)
    let writer = try TraceWriter(sink: sink, header: header, codec: NoCodec())
    try writeDefinitions(to: writer)
    try writeEvents(to: writer)
    try writer.close()
    return sink.bytes
  }

  /// Returns a reader of the excerpt.
  package func trace() throws(TraceFormatError) -> TraceReader {
    try TraceReader(source: MemorySource(bytes()), codecs: { $0 == NoCodec().id ? NoCodec() : nil })
  }

  // MARK: What belongs to the interval

  /// Reads the events of the interval's thread. All of them belong to the excerpt.
  private mutating func readOwn() throws(TraceFormatError) {
    let interval = interval
    var (objects, own) = (objects, own)
    var buffer = EventBuffer()
    try reader.forEachEvent(
      where: { $0.thread == interval.thread && $0.first <= interval.to && $0.last >= interval.from }
    ) { _, event in
      guard interval.contains(event.time), !ExcerptEvent.isOfQueues(event.kind.rawValue) else { return }
      if event.object != 0 { objects.insert(event.object) }
      buffer.append(event, from: interval.from)
      guard buffer.isFull else { return }
      own.append(buffer)
      buffer = EventBuffer()
    }
    if !buffer.isEmpty { own.append(buffer) }
    (self.objects, self.own) = (objects, own)
  }

  private mutating func findObjects() {
    for (object, time) in index.ends where time < interval.from {
      releases[object] = max(releases[object] ?? 0, time)
    }
    for event in index.ofThread(interval.thread) where event.time < interval.from && event.object != 0 {
      if event.describes, isCurrent(event) { objects.insert(event.object) }
    }
    // Work that another thread gave to one of these loops, such as a queued block.
    let own = objects
    for event in index.withObjects where event.time <= interval.to && isCurrent(event) {
      if event.objectArguments.contains(where: own.contains) { objects.insert(event.object) }
    }
  }

  /// Whether an event is about the object that has this id during the interval.
  private func isCurrent(_ event: ExcerptEvent) -> Bool {
    guard event.time < interval.from, let release = releases[event.object] else { return true }
    return event.time > release
  }

  private mutating func findStackThreads() {
    stackThreads = [osThread]
    for thread in recorderThreads {
      for event in index.ofThread(thread) where event.kind == .threadState && interval.contains(event.time) {
        guard event.arguments.first == osThread, let awaited = Self.awaitedThread(event), awaited != 0 else {
          continue
        }
        stackThreads.insert(awaited)
      }
    }
  }

  private mutating func findStates() {
    for thread in index.threads {
      for event in index.ofThread(thread) where event.kind == .state && event.time < interval.from {
        guard let name = event.arguments.first, lastStates[name]?.time ?? 0 <= event.time else { continue }
        lastStates[name] = (event.time, thread)
      }
    }
  }

  /// Whether an event sets a state inside the interval, or is the last before it that sets this state.
  private func setsState(_ event: ExcerptEvent, of thread: UInt32) -> Bool {
    guard event.time < interval.from else { return thread != interval.thread }
    guard let last = event.arguments.first.flatMap({ lastStates[$0] }) else { return false }
    return last == (event.time, thread)
  }

  private static func awaitedThread(_ event: ExcerptEvent) -> UInt64? {
    let position = EventKind.ThreadState.awaitedThread
    return event.arguments.indices.contains(position) ? event.arguments[position] : nil
  }

  /// Whether an event of the index belongs to the excerpt. Those of the interval's thread inside the interval are
  /// already in `own`.
  private func isWanted(_ event: ExcerptEvent, of thread: UInt32) -> Bool {
    guard event.time <= interval.to else { return false }
    if event.role == .image { return thread != interval.thread || event.time < interval.from }
    if event.kind == .state { return setsState(event, of: thread) }
    if recorderThreads.contains(thread) { return isWantedOfRecorder(event) }
    guard thread != interval.thread || event.time < interval.from else { return false }
    if event.describes {
      return isCurrent(event)
        && (thread == interval.thread && event.object == 0 || objects.contains(event.object))
    }
    return interval.contains(event.time) && event.role == .happens && objects.contains(event.object)
      && event.object != 0 && event.kind != .stack
  }

  private func isWantedOfRecorder(_ event: ExcerptEvent) -> Bool {
    guard interval.contains(event.time) else { return false }
    switch event.kind {
    case .threadStack, .threadState, .threadUnsampled:
      return event.arguments.first.map(stackThreads.contains) ?? false
    case .topologyBegin, .topologyMode, .topologyItem, .topologyEnd: return false
    default: return true
    }
  }

  // MARK: Writing

  private func writeDefinitions(to writer: TraceWriter) throws(TraceFormatError) {
    var info = reader.info.filter { ![InfoEntry.beginsAt, InfoEntry.endUnknown].contains($0.key) }
    if !info.contains(where: { $0.key == InfoEntry.goesOn }) { info.append(TraceEnd.recordingEnded.fact) }
    try writer.writeAll(info)
    try writer.writeAll(reader.modeDefinitions)
    try writer.writeAll(reader.stringDefinitions)
    // The first point connects the new origin with the other clocks.
    guard let point = reader.syncPoints.last(where: { $0.time <= interval.from }) ?? reader.syncPoints.first
    else { return }
    try writer.write([moved(point, to: interval.from), moved(point, to: interval.to)])
  }

  /// Returns the point at a time of the trace, whose origin the excerpt moves.
  private func moved(_ point: SyncPoint, to time: UInt64) -> SyncPoint {
    var moved = point.moved(to: time, unit: reader.header.timeUnit)
    moved.time &-= interval.from
    return moved
  }

  private func writeEvents(to writer: TraceWriter) throws(TraceFormatError) {
    var buffers: [(thread: UInt32, buffer: EventBuffer)] = []
    for thread in index.threads {
      var buffer: EventBuffer?
      for event in index.ofThread(thread) where isWanted(event, of: thread) {
        let current = buffer ?? EventBuffer()
        current.append(event, from: interval.from)
        buffer = current
        guard current.isFull else { continue }
        buffers.append((thread, current))
        buffer = nil
      }
      if let buffer { buffers.append((thread, buffer)) }
      if thread == interval.thread { buffers += own.map { (thread, $0) } }
    }
    let used = Set(buffers.map(\.thread)).union([interval.thread])
    try writer.writeAll(used.ordered().compactMap { reader.threads[$0] })
    for (thread, buffer) in buffers { try writer.write(buffer, thread: thread) }
  }
}

extension EventBuffer {
  /// Appends an event at its distance from a new origin, at 0 if it was earlier.
  fileprivate func append(_ event: ExcerptEvent, from origin: UInt64) {
    append(
      time: event.time < origin ? 0 : event.time &- origin, kind: event.kind.rawValue, mode: event.mode,
      object: event.object, arguments: event.arguments(movedBy: origin))
  }
}
