import RunLoopVocabulary
import TraceFormat

/// The part of a trace that belongs to one interval on one thread, as a trace of its own that begins at time 0.
///
/// It holds the events of the interval's thread between begin and end, and what describes the objects in them: their
/// definitions, whatever thread made them, and what other threads did to them. From the recorder's threads it takes the
/// stacks and states of the interval's thread. So the work of other threads cannot change its numbers.
public struct TraceExcerpt {
  /// An interval that a program began, from a thread's `interval.begin` to its `interval.end`.
  public struct Interval: Sendable, Equatable {
    public var name: String
    /// The index of the thread that began it.
    public var thread: UInt32
    /// In time units since the trace's origin.
    public var from: UInt64
    public var to: UInt64
    /// Whether the trace ends before the interval does.
    public var isOpen: Bool
  }

  private let reader: TraceReader
  private let interval: Interval
  private let osThread: UInt64
  /// The objects that the thread's events name, and those that belong to them.
  private var objects: Set<UInt32> = []
  /// The threads whose stacks belong to the excerpt: the interval's own, and those that held a lock it waited for.
  private var stackThreads: Set<UInt64> = []

  /// Returns the intervals whose names fulfil `isWanted`, in order of their begins.
  public static func intervals(
    in reader: TraceReader, where isWanted: (String) -> Bool
  ) throws(TraceFormatError) -> [Interval] {
    let wanted = Set(reader.strings.filter { isWanted($0.value) }.keys)
    guard !wanted.isEmpty else { return [] }
    var begun: [(object: UInt32, interval: Interval)] = []
    var ends: [UInt32: [UInt64]] = [:]
    let kinds = [EventKind.intervalBegin.rawValue, EventKind.intervalEnd.rawValue]
    try forEachEvent(of: reader, where: { kinds.contains($1) }) { thread, event in
      if event.kind == .intervalBegin, let id = event.arguments.first.flatMap(UInt32.init(exactly:)),
        wanted.contains(id)
      {
        let interval = Interval(
          name: reader.strings[id] ?? "", thread: thread, from: event.time, to: reader.lastTime, isOpen: true)
        begun.append((event.object, interval))
      } else if event.kind == .intervalEnd {
        ends[event.object, default: []].append(event.time)
      }
    }
    // Ids are reused, so the end of an interval is the first one of its object that follows.
    return begun.map { object, interval in
      guard let end = ends[object]?.filter({ $0 >= interval.from }).min() else { return interval }
      var ended = interval
      (ended.to, ended.isOpen) = (end, false)
      return ended
    }.ordered { ($0.from, $0.thread) < ($1.from, $1.thread) }
  }

  public init(_ reader: TraceReader, _ interval: Interval) throws(TraceFormatError) {
    self.reader = reader
    self.interval = interval
    osThread = reader.threads[interval.thread]?.osThread ?? 0
    try findObjects()
    try findStackThreads()
  }

  /// Returns the excerpt as the bytes of a trace.
  public func bytes() throws(TraceFormatError) -> [UInt8] {
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

  // MARK: What belongs to the interval

  private mutating func findObjects() throws(TraceFormatError) {
    var objects: Set<UInt32> = []
    try Self.forEachEvent(of: reader, threads: [interval.thread]) { _, event in
      guard isInside(event.time) || Self.describes(event.kind), event.time <= interval.to else { return }
      if event.object != 0 { objects.insert(event.object) }
    }
    // Work that another thread gave to one of these loops, such as a queued block.
    let own = objects
    try Self.forEachEvent(of: reader, where: concerns) { _, event in
      guard event.object != 0, event.time <= interval.to else { return }
      if event.objectArguments.contains(where: own.contains) { objects.insert(event.object) }
    }
    self.objects = objects
  }

  private mutating func findStackThreads() throws(TraceFormatError) {
    var threads: Set<UInt64> = [osThread]
    try Self.forEachEvent(of: reader, threads: reader.recorderThreads) { _, event in
      guard event.kind == .threadState, event.arguments.first == osThread, isInside(event.time),
        let awaited = Self.awaitedThread(event), awaited != 0
      else { return }
      threads.insert(awaited)
    }
    stackThreads = threads
  }

  private static let awaitedPosition =
    EventTable.definition(of: .threadState)?.arguments.firstIndex { $0.name == "awaited_thread" } ?? .max

  private static func awaitedThread(_ event: ExcerptEvent) -> UInt64? {
    event.arguments.indices.contains(awaitedPosition) ? event.arguments[awaitedPosition] : nil
  }

  /// Whether such an event can belong to the excerpt. The runs and callouts of other threads never do, and most events
  /// are of these kinds.
  private func concerns(_ thread: UInt32, _ kind: UInt8) -> Bool {
    guard thread != interval.thread else { return true }
    switch EventTable.role(of: kind) {
    case .activity?, .calloutBegin?, .calloutEnd?, .callBegin?, .callEnd?: return false
    default: return true
    }
  }

  private func isInside(_ time: UInt64) -> Bool { (interval.from...interval.to).contains(time) }

  /// Whether events of this kind describe an object rather than what a thread does.
  private static func describes(_ kind: EventKind) -> Bool {
    switch EventTable.role(of: kind.rawValue) {
    case .defines?, .ends?, .joins?, .leaves?, .setsDue?: true
    default: false
    }
  }

  private func isWanted(_ event: ExcerptEvent, of thread: UInt32) -> Bool {
    guard event.time <= interval.to else { return false }
    if EventTable.role(of: event.kind.rawValue) == .image { return true }
    if reader.recorderThreads.contains(thread) { return isWantedOfRecorder(event) }
    if Self.describes(event.kind) { return thread == interval.thread || objects.contains(event.object) }
    guard isInside(event.time) else { return false }
    if thread == interval.thread { return true }
    return EventTable.role(of: event.kind.rawValue) == .happens && objects.contains(event.object)
      && event.object != 0 && event.kind != .stack
  }

  private func isWantedOfRecorder(_ event: ExcerptEvent) -> Bool {
    guard isInside(event.time) else { return false }
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
    for part in Self.parts(info) { try writer.write(part) }
    let modes = reader.modes.map { ModeDefinition(id: $0.key, name: $0.value) }.ordered { $0.id < $1.id }
    for part in Self.parts(modes) { try writer.write(part) }
    let strings = reader.strings.map { StringDefinition(id: $0.key, text: $0.value) }.ordered {
      $0.id < $1.id
    }
    for part in Self.parts(strings) { try writer.write(part) }
    // The first point connects the new origin with the other clocks.
    guard let point = reader.syncPoints.last(where: { $0.time <= interval.from }) ?? reader.syncPoints.first
    else { return }
    try writer.write([moved(point, to: interval.from), moved(point, to: interval.to)])
  }

  /// Returns the point at another time on the same clocks.
  private func moved(_ point: SyncPoint, to time: UInt64) -> SyncPoint {
    let ns = (time &- point.time) &* reader.header.timeUnit.nanoseconds
    return SyncPoint(
      time: time &- interval.from, monotonicNs: point.monotonicNs &+ ns,
      boottimeNs: point.boottimeNs &+ ns, realtimeNs: point.realtimeNs &+ ns)
  }

  private func writeEvents(to writer: TraceWriter) throws(TraceFormatError) {
    var buffers: [UInt32: EventBuffer] = [:]
    var full: [(UInt32, EventBuffer)] = []
    try Self.forEachEvent(of: reader, where: concerns) { thread, event in
      guard isWanted(event, of: thread) else { return }
      let buffer = buffers[thread] ?? EventBuffer()
      buffer.append(
        time: event.time < interval.from ? 0 : event.time &- interval.from, kind: event.kind.rawValue,
        mode: event.mode, object: event.object,
        arguments: event.arguments(movedBy: interval.from))
      buffers[thread] = buffer
      guard buffer.isFull else { return }
      full.append((thread, buffer))
      buffers[thread] = nil
    }
    full += buffers.ordered { $0.key < $1.key }.map { ($0.key, $0.value) }
    let used = Set(full.map(\.0)).union([interval.thread])
    for part in Self.parts(used.ordered().compactMap { reader.threads[$0] }) { try writer.write(part) }
    for (thread, buffer) in full { try writer.write(buffer, thread: thread) }
  }

  /// The number of definitions in a block, far below every limit of the format.
  private static let definitionsPerBlock = 200

  private static func parts<Entry>(_ entries: [Entry]) -> [[Entry]] {
    stride(from: 0, to: entries.count, by: definitionsPerBlock).map {
      Array(entries[$0..<min($0 + definitionsPerBlock, entries.count)])
    }
  }

  // MARK: Reading

  private static func forEachEvent(
    of reader: TraceReader, threads: Set<UInt32>? = nil,
    where isWanted: (UInt32, UInt8) -> Bool = { _, _ in true }, _ body: (UInt32, ExcerptEvent) -> Void
  ) throws(TraceFormatError) {
    let events = DecodedEvents()
    for (number, block) in reader.blocks.enumerated() where block.type == .events {
      guard threads?.contains(block.thread) ?? true else { continue }
      try reader.events(of: number, into: events)
      var ordinals = [Int](repeating: 0, count: 256)
      for place in 0..<events.count {
        let kind = events.kinds[place]
        defer { ordinals[Int(kind)] += 1 }
        guard isWanted(block.thread, kind) else { continue }
        let hasArguments = events.hasArguments(kind: kind)
        let arguments = hasArguments ? events.arguments(kind: kind, ordinal: ordinals[Int(kind)]) : []
        body(
          block.thread,
          ExcerptEvent(
            time: events.times[place], kind: EventKind(kind), mode: events.modes[place],
            object: events.objects[place], arguments: arguments))
      }
    }
  }
}

/// One event, with its arguments.
private struct ExcerptEvent {
  var time: UInt64
  var kind: EventKind
  var mode: UInt8
  var object: UInt32
  var arguments: [UInt64]

  private func unit(_ position: Int) -> ArgumentUnit? {
    guard let row = EventTable.definition(of: kind) else { return nil }
    return position < row.arguments.count
      ? row.arguments[position].unit : row.isVariadic ? row.arguments.last?.unit : nil
  }

  /// The objects that the arguments name.
  var objectArguments: [UInt32] {
    arguments.indices.filter { unit($0) == .object }.compactMap { UInt32(exactly: arguments[$0]) }
      .filter { $0 != 0 }
  }

  /// Returns the arguments with times that count from a later origin.
  func arguments(movedBy origin: UInt64) -> [UInt64] {
    arguments.indices.map { unit($0) == .time ? arguments[$0] &- origin : arguments[$0] }
  }
}
