/// Copies a trace without its names: names of threads, modes, objects and code, paths, ids of the operating system,
/// addresses. Leaves out blocks, events and arguments that this version does not know, because names may hide in
/// them.
///
/// Times, counts, object numbers and table ids stay the same, so that an analysis of the copy differs only in names.
/// Works block by block. Holds one decoded block and the names, which `TraceLimits` bounds.
package struct TraceRedactor {
  /// The result of a redaction.
  package struct Summary: Equatable, Sendable {
    /// The number of different names that were replaced.
    package var names = 0
    /// The number of different operating-system thread ids that were replaced.
    package var threadIDs = 0
    /// The number of facts about the recording that were replaced.
    package var facts = 0
    /// The numbers of events, arguments and blocks left out because this version does not know them.
    package var droppedEvents: UInt64 = 0
    package var droppedArguments: UInt64 = 0
    package var droppedBlocks = 0
  }

  private let reader: TraceReader
  private let writer: TraceWriter
  private let buffer = EventBuffer()
  private var names = RedactedNames()
  /// The replacements of the strings that events have referred to so far.
  private var textOfString: [UInt32: String] = [:]
  private var numbers = RedactedAddresses()
  /// The number of a thread, by its operating-system id. 0 stays 0: the id is not known.
  private var numberOfThread: [UInt64: UInt64] = [0: 0]
  private var summary = Summary()

  /// Begins the copy. `codec` may differ from the original's.
  package init(_ reader: TraceReader, sink: any ByteSink, codec: any BlockCodec) throws(TraceFormatError) {
    self.reader = reader
    let original = reader.header
    let header = FileHeader(
      timeUnit: original.timeUnit, codec: codec.id, captureLevel: original.captureLevel,
      clock: original.clock,
      hasHighStamps: original.hasHighStamps, minor: min(original.minor, FileHeader.minor))
    writer = try TraceWriter(sink: sink, header: header, codec: codec)
  }

  /// Writes the copy and gives the file its name. Calls `progress` with the share of events done, 0...1.
  ///
  /// If the trace is incomplete, copies what can be read. Then the copy is incomplete as well, and the reader's
  /// `problem` describes the damage. Throws when reading or writing fails.
  package mutating func redact(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) -> Summary {
    try writeThreads()
    try writer.writeAll(
      reader.modes.ordered { $0.key < $1.key }.map {
        ModeDefinition(id: $0.key, name: names.mode(ModeDefinition(id: $0.key, name: $0.value)))
      })
    try writer.writeAll(reader.syncPoints)
    try writeEvents(progress)
    // Only the events show what a string names.
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
    for thread in reader.threads.values.ordered(by: { $0.index < $1.index }) {
      let number = threadNumber(thread.osThread)
      let name =
        thread.isMainQueue ? thread.name : names.name(thread.name, role: "thread", number: Int(thread.index))
      threads.append(
        ThreadDefinition(index: thread.index, osThread: number, isMain: thread.isMain, name: name))
    }
    try writer.writeAll(threads)
  }

  /// Returns the number of a thread. A thread without a definition has only sampled stacks, and gets a number on first
  /// use.
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
    try events.forEach { time, kind, mode, object, arguments throws(TraceFormatError) in
      guard EventTable.role(of: kind) != nil else {
        summary.droppedEvents += 1
        return
      }
      if buffer.isFull { try flush(events.thread) }
      buffer.append(
        time: time, kind: kind, mode: mode, object: object,
        arguments: redacted(arguments, EventKind(kind)))
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
        summary.droppedArguments += UInt64(clamping: arguments.count - position)
        return out
      }
    }
    return out
  }

  /// Notes the text of a string. Returns the id itself, or 0 if the value is not an id.
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
    for (id, text) in reader.strings.ordered(by: { $0.key < $1.key }) {
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
