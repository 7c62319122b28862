import TraceFormat

/// A trace that an import writes, one thread after the other. Times are in nanoseconds.
struct TraceDraft {
  private let writer: TraceWriter
  private let buffer = EventBuffer()
  private var names = NameIDs()
  private var objects: UInt32 = 0
  /// The index of the thread that is being written.
  private var thread: UInt32?
  private var first = UInt64.max
  /// The time of the last event; 0 before the first one.
  private(set) var last: UInt64 = 0

  init(_ facts: [InfoEntry], to sink: any ByteSink, codec: any BlockCodec) throws(TraceFormatError) {
    writer = try TraceWriter(
      sink: sink,
      header: FileHeader(
        timeUnit: .ns1, codec: codec.id, captureLevel: .imported, clock: .imported, hasHighStamps: false),
      codec: codec)
    try writer.write(facts)
  }

  var eventCount: UInt64 { writer.eventCount }
  var spanNs: UInt64 { last >= first ? last - first : 0 }

  mutating func string(_ text: String) -> UInt32 { names.string(text) }
  mutating func mode(_ name: String) -> UInt8 { names.mode(name) }

  /// Returns a new object id.
  mutating func object() -> UInt32 {
    objects += 1
    return ObjectID(number: objects).rawValue
  }

  /// Begins a thread, to which the following events belong. A trace needs one before its first event.
  mutating func begin(
    thread name: String, osThread: UInt64 = 0, isMain: Bool = false
  ) throws(TraceFormatError) {
    try flush()
    let index = thread.map { $0 + 1 } ?? 0
    thread = index
    try writer.write([ThreadDefinition(index: index, osThread: osThread, isMain: isMain, name: name)])
  }

  /// Adds an event. The events of a thread must be in time order.
  mutating func emit(
    _ time: UInt64, _ kind: EventKind, mode: UInt8 = 0, object: UInt32 = 0, _ arguments: [UInt64] = []
  ) throws(TraceFormatError) {
    if buffer.isFull { try flush() }
    (first, last) = (min(first, time), max(last, time))
    buffer.append(time: time, kind: kind.rawValue, mode: mode, object: object, arguments: arguments)
  }

  mutating func close() throws(TraceFormatError) {
    try flush()
    try writer.close()
  }

  private mutating func flush() throws(TraceFormatError) {
    guard let thread else { return }
    try names.write(to: writer)
    try writer.write(buffer, thread: thread)
    buffer.removeAll()
  }
}
