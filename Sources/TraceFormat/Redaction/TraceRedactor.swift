/// Copies a trace without its names: names of threads, modes, objects and code, paths, ids of the operating system,
/// addresses. Left out is what this version does not know and names may hide in: blocks, events and arguments.
///
/// Times, counts, object numbers and ids of tables stay as they are, so that an analysis of the copy differs in names
/// only. Works block by block; holds one decoded block, and the names, which `TraceLimits` bounds.
public struct TraceRedactor {
  /// What was done.
  public struct Summary: Equatable, Sendable {
    /// Different names that were replaced.
    public var names = 0
    /// Different ids of threads, of the operating system, that were replaced.
    public var threadIDs = 0
    /// Facts about the recording that were replaced.
    public var facts = 0
    /// What this version does not know, and left out.
    public var droppedEvents: UInt64 = 0
    public var droppedArguments: UInt64 = 0
    public var droppedBlocks = 0
  }

  private let reader: TraceReader
  private let writer: TraceWriter
  private let buffer = EventBuffer()
  private var names = RedactedNames()
  /// Of strings that events have named so far.
  private var textOfString: [UInt32: String] = [:]
  private var numbers = RedactedAddresses()
  /// By id of the operating system. 0 stays: the id is not known.
  private var numberOfThread: [UInt64: UInt64] = [0: 0]
  private var summary = Summary()

  /// Begins the copy. `codec` may be another than the original's.
  public init(_ reader: TraceReader, sink: any ByteSink, codec: any BlockCodec) throws(TraceFormatError) {
    self.reader = reader
    let original = reader.header
    let header = FileHeader(
      timeUnit: original.timeUnit, codec: codec.id, captureLevel: original.captureLevel,
      clock: original.clock,
      hasHighStamps: original.hasHighStamps, minor: min(original.minor, FileHeader.minor))
    writer = try TraceWriter(sink: sink, header: header, codec: codec)
  }

  /// Writes the copy and gives the file its name. `progress` is told the share of events done, 0...1.
  ///
  /// Of a trace that is not whole it copies what can be read; the copy is not whole either, and the reader's `problem`
  /// says what is wrong. Throws when reading or writing fails.
  public mutating func redact(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) -> Summary {
    try writeThreads()
    try writer.writeAll(
      reader.modes.sorted { $0.key < $1.key }.map {
        ModeDefinition(id: $0.key, name: names.mode(ModeDefinition(id: $0.key, name: $0.value)))
      })
    try writer.writeAll(reader.syncPoints)
    try writeEvents(progress)
    // Only events tell what a string names.
    try writeStrings()
    try writeFacts()
    summary.names = names.count
    summary.threadIDs = numberOfThread.count - 1
    summary.droppedBlocks = reader.unknownBlocks
    if reader.isClean { try writer.close() } else { try writer.abandon() }
    return summary
  }

  private mutating func writeThreads() throws(TraceFormatError) {
    var threads: [ThreadDefinition] = []
    for thread in reader.threads.values.sorted(by: { $0.index < $1.index }) {
      let number = threadNumber(thread.osThread)
      let name =
        thread.isMainQueue ? thread.name : names.name(thread.name, role: "thread", number: Int(thread.index))
      threads.append(
        ThreadDefinition(index: thread.index, osThread: number, isMain: thread.isMain, name: name))
    }
    try writer.writeAll(threads)
  }

  /// A thread of which only stacks were sampled has no definition, and a number all the same.
  private mutating func threadNumber(_ osThread: UInt64) -> UInt64 {
    let number = numberOfThread[osThread] ?? UInt64(numberOfThread.count)
    if number < UInt64(TraceLimits.threads) { numberOfThread[osThread] = number }
    return numberOfThread[osThread] ?? 0
  }

  private mutating func writeEvents(_ progress: ((Double) -> Void)?) throws(TraceFormatError) {
    try reader.forEachReadableBlock(progress: progress) { events throws(TraceFormatError) in
      try copy(events)
    }
  }

  private mutating func copy(_ events: DecodedEvents) throws(TraceFormatError) {
    var ordinals = [Int](repeating: 0, count: 256)
    for i in 0..<events.count {
      let kind = events.kinds[i]
      let ordinal = ordinals[Int(kind)]
      ordinals[Int(kind)] += 1
      guard EventTable.role(of: kind) != nil else {
        summary.droppedEvents += 1
        continue
      }
      if buffer.isFull { try flush(events.thread) }
      let arguments =
        events.hasArguments(kind: kind)
        ? redacted(events.arguments(kind: kind, ordinal: ordinal), EventKind(kind)) : []
      buffer.append(
        time: events.times[i], kind: kind, mode: events.modes[i], object: events.objects[i],
        arguments: arguments)
    }
    try flush(events.thread)
  }

  private func flush(_ thread: UInt32) throws(TraceFormatError) {
    try writer.write(buffer, thread: thread)
    buffer.removeAll()
  }

  private mutating func redacted(_ arguments: [UInt64], _ kind: EventKind) -> [UInt64] {
    guard let definition = EventTable.definition(of: kind) else { return [] }
    var out: [UInt64] = []
    for (position, value) in arguments.enumerated() {
      switch RedactedArgument(definition, position) {
      case .kept: out.append(value)
      case .zero: out.append(0)
      case .osThread: out.append(value == .max ? value : threadNumber(value))
      case .address:
        out.append(numbers.number(value, isReturn: StackAddress.isReturn(position, of: definition.kind)))
      case .string(let role): out.append(string(value, role))
      case nil:
        summary.droppedArguments += UInt64(arguments.count - position)
        return out
      }
    }
    return out
  }

  /// The id itself; 0 for what is none.
  private mutating func string(_ value: UInt64, _ role: String) -> UInt64 {
    guard value != 0, value <= UInt64(TraceLimits.strings) else { return 0 }
    let id = UInt32(value)
    if textOfString[id] == nil, let text = reader.strings[id] {
      textOfString[id] = names.name(text, role: role)
    }
    return value
  }

  private mutating func writeStrings() throws(TraceFormatError) {
    var strings: [StringDefinition] = []
    for (id, text) in reader.strings.sorted(by: { $0.key < $1.key }) {
      strings.append(
        StringDefinition(id: id, text: textOfString[id] ?? names.name(text, role: "string")))
    }
    try writer.writeAll(strings)
  }

  private mutating func writeFacts() throws(TraceFormatError) {
    var facts: [InfoEntry] = []
    for (position, fact) in reader.info.enumerated() where fact.key != RedactedFacts.note.key {
      let redacted = RedactedFacts.redacted(fact, number: position + 1, names: names)
      if redacted != fact { summary.facts += 1 }
      facts.append(redacted)
    }
    if facts.count < TraceLimits.infoEntries { facts.append(RedactedFacts.note) }
    try writer.writeAll(facts)
  }
}
