/// Reads the text form line by line, and writes the trace that it describes.
///
/// Errors state the line, from 1. Unless `finish` returns, there is no file under the final name.
package struct TextAssembler {
  private enum Section {
    case none, definitions(any Definition.Type), events(UInt32), unknown(UnknownBlock), ended
  }

  /// The header of a block whose type this version does not know, according to its section.
  private struct UnknownBlock {
    let type: BlockType
    let plainBytes: Int
    let count: Int
    let thread: UInt32
    let first: UInt64
    let last: UInt64
  }

  private let sink: any ByteSink
  private let codecs: CodecProvider
  /// The codec to use; nil = the one that the text names.
  private let codecOverride: CodecID?
  private var writer: TraceWriter?
  private var section = Section.none
  private var lineNumber = 0
  private var sawFirstLine = false
  /// The codec that the text names.
  private var namedCodec = CodecID.none
  private var isClean = true
  private let events = EventBuffer()
  /// The payload of an unknown block.
  private var payload: [UInt8] = []
  private var definitions: [any Definition] = []
  /// The size of all definitions, computed as readers do.
  private var definitionBytes = 0

  package init(sink: any ByteSink, codecs: @escaping CodecProvider, codec: CodecID? = nil) {
    self.sink = sink
    self.codecs = codecs
    codecOverride = codec
  }

  /// Reads the next line, without its newline.
  package mutating func read(_ line: String) throws(TraceFormatError) {
    lineNumber += 1
    guard line.utf8.count <= TraceLimits.lineBytes else {
      throw error("the line is longer than \(TraceLimits.lineBytes) bytes (lineBytes)")
    }
    let bytes = line.utf8.last == UInt8(ascii: "\r") ? line.utf8.dropLast() : line.utf8[...]
    let rest = Substring(bytes.drop(while: TextFields.isSpace))
    guard let first = rest.utf8.first, first != UInt8(ascii: "#") else { return }
    guard sawFirstLine else {
      guard rest == TextForm.firstLine else { throw error("expected '\(TextForm.firstLine)'") }
      sawFirstLine = true
      return
    }
    if case .ended = section { throw error("text after '\(TextForm.end)'") }
    if bytes.first.map(TextFields.isSpace) == true { try readEntry(rest) } else { try beginSection(rest) }
  }

  /// Completes the trace. Throws when the text was cut short.
  package mutating func finish() throws(TraceFormatError) {
    guard case .ended = section, let writer else {
      lineNumber += 1
      throw error("the text ends without '\(TextForm.end)'")
    }
    if isClean { try writer.close() } else { try writer.abandon() }
  }

  private func error(_ what: String) -> TraceFormatError { TextForm.error(line: lineNumber, what) }

  // MARK: Sections

  private mutating func beginSection(_ line: Substring) throws(TraceFormatError) {
    try flush()
    var fields = TextFields(line, lineNumber: lineNumber)
    let word = fields.word()
    if word == "header" {
      guard writer == nil else { throw error("a second header") }
      try readHeader(&fields)
      return try end(&fields)
    }
    guard writer != nil else { throw error("expected 'header'") }
    switch word {
    case "events": section = .events(try fields.number("thread"))
    case "unknown": section = .unknown(try unknownBlock(&fields))
    case "end": section = .ended
    case "unclean":
      section = .ended
      isClean = false
    default:
      guard let type = definitionTypes.first(where: { $0.type.name == word }) else {
        throw error("unknown section '\(word)'")
      }
      section = .definitions(type)
    }
    try end(&fields)
  }

  private func unknownBlock(_ fields: inout TextFields) throws(TraceFormatError) -> UnknownBlock {
    let type = BlockType(rawValue: try fields.number("type"))
    guard !type.isKnown else {
      throw error("a block of type \(type.rawValue) has a section of its own, '\(type.name)'")
    }
    let count: UInt32 = try fields.number("count")
    guard count < 1 << 24 else { throw error("count \(count) is above \(1 << 24 - 1)") }
    let thread: UInt32 = try fields.number("thread")
    let first: UInt64 = try fields.number("first")
    let last: UInt64 = try fields.number("last")
    let plain: UInt32 = try fields.number("plain")
    return UnknownBlock(
      type: type, plainBytes: Int(plain), count: Int(count), thread: thread, first: first, last: last)
  }

  private mutating func readPayload(_ fields: inout TextFields) throws(TraceFormatError) {
    guard let bytes = TextForm.bytes(hex: fields.word()) else {
      throw error("expected pairs of hexadecimal digits")
    }
    guard payload.count + bytes.count <= TraceLimits.payloadBytes else {
      throw error("more than \(TraceLimits.payloadBytes) bytes of payload (payloadBytes)")
    }
    payload += bytes
  }

  private func write(_ block: UnknownBlock, _ writer: TraceWriter) throws(TraceFormatError) {
    guard block.plainBytes == payload.count || writer.header.codec == namedCodec else {
      throw error(
        "the block above is stored with codec \(namedCodec.name); write the trace with the same codec")
    }
    try writer.writeBlock(
      BlockHeader(
        type: block.type, payloadBytes: payload.count, plainBytes: block.plainBytes, count: block.count,
        thread: block.thread, first: block.first, last: block.last), payload)
  }

  private mutating func readHeader(_ fields: inout TextFields) throws(TraceFormatError) {
    let minor: UInt16 = try fields.number("minor")
    let unit = try fields.named(TimeUnit.self, "unit")
    let codecNamed = try fields.named(CodecID.self, "codec")
    let level = try fields.named(CaptureLevel.self, "capture")
    let clock = try fields.named(ClockSource.self, "clock")
    let hasHighStamps = try fields.flag("high")
    namedCodec = codecNamed
    let id = codecOverride ?? codecNamed
    guard let codec = codecs(id) else { throw error("codec \(id.name) is not linked into this program") }
    writer = try TraceWriter(
      sink: sink,
      header: FileHeader(
        timeUnit: unit, codec: id, captureLevel: level, clock: clock, hasHighStamps: hasHighStamps,
        minor: minor),
      codec: codec)
  }

  /// Writes the section that just ended as one block.
  private mutating func flush() throws(TraceFormatError) {
    guard let writer else { return }
    do throws(TraceFormatError) {
      switch section {
      case .definitions(let type): try writeDefinitions(type, writer)
      case .events(let thread): try writer.write(events, thread: thread)
      case .unknown(let block): try write(block, writer)
      case .none, .ended: break
      }
    } catch {
      guard case .invalidInput(let what) = error else { throw error }
      throw self.error("the section above has \(what)")
    }
    definitions = []
    events.removeAll()
    payload = []
    section = .none
  }

  private func writeDefinitions<Entry: Definition>(
    _ type: Entry.Type, _ writer: TraceWriter
  ) throws(TraceFormatError) {
    try writer.writeDefinitions(definitions.compactMap { $0 as? Entry })
  }

  // MARK: Entries

  private mutating func readEntry(_ line: Substring) throws(TraceFormatError) {
    var fields = TextFields(line, lineNumber: lineNumber)
    switch section {
    case .definitions(let type): try readDefinition(type, &fields)
    case .events: try readEvent(&fields)
    case .unknown: try readPayload(&fields)
    case .none, .ended: throw error("an entry outside a section")
    }
    try end(&fields)
  }

  /// Reads a definition. A section is kept in memory until it ends, so entries beyond the limits are refused at once.
  private mutating func readDefinition<Entry: Definition>(
    _ type: Entry.Type, _ fields: inout TextFields
  ) throws(TraceFormatError) {
    let entry = try Entry(&fields)
    guard definitions.count < Entry.limit else {
      throw error("more than \(Entry.limit) \(Entry.type.name) in a section")
    }
    if Entry.type != .sync {
      definitionBytes += Entry.encode([entry]).count + TraceReader.bytesPerDefinition
      guard definitionBytes <= TraceLimits.definitionBytes else {
        throw error("more than \(TraceLimits.definitionBytes) bytes of definitions (definitionBytes)")
      }
    }
    definitions.append(entry)
  }

  private func end(_ fields: inout TextFields) throws(TraceFormatError) {
    guard fields.isAtEnd else { throw error("unexpected '\(fields.word())'") }
  }

  private mutating func readEvent(_ fields: inout TextFields) throws(TraceFormatError) {
    let time: UInt64 = try fields.number(named: "time")
    guard events.isEmpty || time >= events.lastTime else {
      throw error("time \(time) is before the event above it, \(events.lastTime)")
    }
    guard !events.isFull else {
      throw error(
        "more than \(EventBuffer.capacity) events or \(TraceLimits.argumentsPerBlock) arguments in a section")
    }
    let name = String(fields.word())
    let definition = EventTable.definition(named: name)
    guard let kind = definition?.kind.rawValue ?? TextAssembler.unknownKind(name) else {
      throw error(
        "unknown event '\(name)'; names are listed in docs/reference/trace-format.md, unknown kinds are 'kind-N'"
      )
    }
    let mode: UInt8 = try fields.number(after: UInt8(ascii: "m"), named: "mode")
    let object: UInt32 = try fields.number(after: UInt8(ascii: "#"), named: "object")
    var arguments: [UInt64] = []
    while let (key, value) = fields.pair() {
      let expected = definition?.argument(arguments.count)?.name ?? "arg"
      guard key == expected else { throw error("expected \(expected)=, found \(key)=") }
      guard arguments.count < TraceLimits.argumentsPerEvent else { throw error("more than 255 arguments") }
      arguments.append(try argument(value, key))
    }
    events.append(time: time, kind: kind, mode: mode, object: object, arguments: arguments)
  }

  // MARK: Numbers and names

  private func argument(_ text: Substring, _ name: Substring) throws(TraceFormatError) -> UInt64 {
    if text.hasPrefix("0x") {
      guard let value = UInt64(text.dropFirst(2), radix: 16) else {
        throw error("\(name)=\(text) is not a number")
      }
      return value
    }
    if let value = UInt64(text) { return value }
    guard let value = Int64(text) else { throw error("\(name)=\(text) is not a 64-bit number") }
    return UInt64(bitPattern: value)
  }

  private static func unknownKind(_ name: String) -> UInt8? {
    guard name.hasPrefix("kind-"), let code = UInt8(name.dropFirst(5)),
      EventTable.definition(of: EventKind(code)) == nil
    else { return nil }
    return code
  }
}
