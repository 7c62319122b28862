/// Reads the text form, a line at a time, and writes the trace it describes.
///
/// Errors carry the line, from 1. Nothing is left under the final name unless `finish` returned.
public struct TextAssembler {
  private enum Section { case none, strings, threads, modes, sync, info, events(UInt32), ended }

  private let sink: any ByteSink
  private let codecs: CodecProvider
  /// Nil = the codec that the text names.
  private let codecOverride: CodecID?
  private var writer: TraceWriter?
  private var section = Section.none
  private var lineNumber = 0
  private var sawFirstLine = false
  /// The codec that the text names.
  private var namedCodec = CodecID.none
  private var isClean = true
  private let events = EventBuffer()
  private var strings: [StringDefinition] = []
  private var threads: [ThreadDefinition] = []
  private var modes: [ModeDefinition] = []
  private var points: [SyncPoint] = []
  private var info: [InfoEntry] = []

  public init(sink: any ByteSink, codecs: @escaping CodecProvider, codec: CodecID? = nil) {
    self.sink = sink
    self.codecs = codecs
    codecOverride = codec
  }

  /// Takes the next line, without its newline.
  public mutating func read(_ line: String) throws(TraceFormatError) {
    lineNumber += 1
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

  /// Ends the trace. Throws when the text was cut short.
  public mutating func finish() throws(TraceFormatError) {
    guard case .ended = section, let writer else {
      lineNumber += 1
      throw error("the text ends without '\(TextForm.end)'")
    }
    if isClean { try writer.close() } else { try writer.abandon() }
  }

  private func error(_ what: String) -> TraceFormatError { .text(line: lineNumber, what: what) }

  // MARK: Sections

  private mutating func beginSection(_ line: Substring) throws(TraceFormatError) {
    try flush()
    var fields = TextFields(line)
    let word = fields.word()
    if word == "header" {
      guard writer == nil else { throw error("a second header") }
      try readHeader(&fields)
      return try end(&fields)
    }
    guard let writer else { throw error("expected 'header'") }
    switch word {
    case "strings": section = .strings
    case "threads": section = .threads
    case "modes": section = .modes
    case "sync": section = .sync
    case "info": section = .info
    case "events": section = .events(try number(&fields, "thread"))
    case "unknown": try copyUnknown(&fields, writer)
    case "end": section = .ended
    case "unclean":
      section = .ended
      isClean = false
    default: throw error("unknown section '\(word)'")
    }
    try end(&fields)
  }

  private func copyUnknown(_ fields: inout TextFields, _ writer: TraceWriter) throws(TraceFormatError) {
    let type = BlockType(rawValue: try number(&fields, "type"))
    guard !type.isKnown else {
      throw error("a block of type \(type.rawValue) has a section of its own, '\(type.name)'")
    }
    let count: UInt32 = try number(&fields, "count")
    guard count < 1 << 24 else { throw error("count \(count) is above \(1 << 24 - 1)") }
    let thread: UInt32 = try number(&fields, "thread")
    let first: UInt64 = try number(&fields, "first")
    let last: UInt64 = try number(&fields, "last")
    let plain: UInt32 = try number(&fields, "plain")
    guard let payload = fields.value("payload").flatMap(TextForm.bytes(hex:)) else {
      throw error("expected payload=HEX")
    }
    guard Int(plain) == payload.count || writer.header.codec == namedCodec else {
      throw error("this block is stored with codec \(namedCodec.name), write the trace with the same")
    }
    try writer.writeBlock(
      BlockHeader(
        type: type, payloadBytes: payload.count, plainBytes: Int(plain), count: Int(count), thread: thread,
        first: first, last: last), payload)
  }

  private mutating func readHeader(_ fields: inout TextFields) throws(TraceFormatError) {
    let minor: UInt16 = try number(&fields, "minor")
    let unit = try named(TimeUnit.self, &fields, "unit")
    let codecNamed = try named(CodecID.self, &fields, "codec")
    let level = try named(CaptureLevel.self, &fields, "capture")
    let clock = try named(ClockSource.self, &fields, "clock")
    guard let high = fields.value("high"), high == TextForm.yes || high == TextForm.no else {
      throw error("expected high=yes or high=no")
    }
    namedCodec = codecNamed
    let id = codecOverride ?? codecNamed
    guard let codec = codecs(id) else { throw error("codec \(id.name) is not linked into this program") }
    writer = try TraceWriter(
      sink: sink,
      header: FileHeader(
        timeUnit: unit, codec: id, captureLevel: level, clock: clock, hasHighStamps: high == TextForm.yes,
        minor: minor),
      codec: codec)
  }

  /// Writes the section that just ended as one block.
  private mutating func flush() throws(TraceFormatError) {
    guard let writer else { return }
    do throws(TraceFormatError) {
      switch section {
      case .strings: try writer.write(strings)
      case .threads: try writer.write(threads)
      case .modes: try writer.write(modes)
      case .sync: try writer.write(points)
      case .info: try writer.write(info)
      case .events(let thread): try writer.write(events, thread: thread)
      case .none, .ended: break
      }
    } catch {
      guard case .invalidInput(let what) = error else { throw error }
      throw self.error("the section above has \(what)")
    }
    strings = []
    threads = []
    modes = []
    points = []
    info = []
    events.removeAll()
    section = .none
  }

  // MARK: Entries

  private mutating func readEntry(_ line: Substring) throws(TraceFormatError) {
    var fields = TextFields(line)
    switch section {
    case .strings:
      let id: UInt32 = try integer(fields.word(), "string id")
      strings.append(StringDefinition(id: id, text: try quoted(&fields)))
    case .threads:
      let index: UInt32 = try integer(fields.word(), "thread index")
      let os: UInt64 = try number(&fields, "os")
      guard let main = fields.value("main"), main == TextForm.yes || main == TextForm.no else {
        throw error("expected main=yes or main=no")
      }
      threads.append(
        ThreadDefinition(index: index, osThread: os, isMain: main == TextForm.yes, name: try quoted(&fields)))
    case .modes:
      let id: UInt8 = try integer(fields.word(), "mode id")
      modes.append(ModeDefinition(id: id, name: try quoted(&fields)))
    case .sync:
      let time: UInt64 = try integer(fields.word(), "time")
      let monotonic: UInt64 = try number(&fields, "monotonic")
      let boottime: UInt64 = try number(&fields, "boottime")
      let realtime: UInt64 = try number(&fields, "realtime")
      points.append(
        SyncPoint(time: time, monotonicNs: monotonic, boottimeNs: boottime, realtimeNs: realtime))
    case .info:
      let key = try quoted(&fields)
      info.append(InfoEntry(key: key, value: try quoted(&fields)))
    case .events: try readEvent(&fields)
    case .none, .ended: throw error("an entry outside a section")
    }
    try end(&fields)
  }

  private func end(_ fields: inout TextFields) throws(TraceFormatError) {
    guard fields.isAtEnd else { throw error("unexpected '\(fields.word())'") }
  }

  private mutating func readEvent(_ fields: inout TextFields) throws(TraceFormatError) {
    let time: UInt64 = try integer(fields.word(), "time")
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
        "unknown event '\(name)'; names are listed in docs/trace-format.md, unknown kinds are 'kind-N'")
    }
    let mode: UInt8 = try prefixed(&fields, UInt8(ascii: "m"), "mode")
    let object: UInt32 = try prefixed(&fields, UInt8(ascii: "#"), "object")
    var arguments: [UInt64] = []
    while let (key, value) = fields.pair() {
      let expected = TextDumper.argumentDefinition(definition, arguments.count)?.name ?? "arg"
      guard key == expected else { throw error("expected \(expected)=, found \(key)=") }
      guard arguments.count < TraceLimits.argumentsPerEvent else { throw error("more than 255 arguments") }
      arguments.append(try argument(value, key))
    }
    events.append(time: time, kind: kind, mode: mode, object: object, arguments: arguments)
  }

  // MARK: Numbers and names

  private func integer<T: FixedWidthInteger>(_ text: Substring, _ what: String) throws(TraceFormatError) -> T
  {
    guard let value = T(text) else { throw error("\(what) '\(text)' is not a number from 0 to \(T.max)") }
    return value
  }

  private func number<T: FixedWidthInteger>(_ fields: inout TextFields, _ key: String)
    throws(TraceFormatError) -> T
  {
    guard let value = fields.value(key) else { throw error("expected \(key)=NUMBER") }
    return try integer(value, key)
  }

  private func named<Value: Named>(
    _ type: Value.Type, _ fields: inout TextFields, _ key: String
  ) throws(TraceFormatError) -> Value {
    guard let value = fields.value(key).flatMap({ Value(name: String($0)) }) else {
      let names = Value.allCases.map(\.name)
      throw error("expected \(key)=\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")")
    }
    return value
  }

  private func prefixed<T: FixedWidthInteger>(
    _ fields: inout TextFields, _ prefix: UInt8, _ what: String
  ) throws(TraceFormatError) -> T {
    guard let digits = fields.number(after: prefix) else { return 0 }
    return try integer(digits, what)
  }

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

  private func quoted(_ fields: inout TextFields) throws(TraceFormatError) -> String {
    guard let text = fields.quoted() else { throw error("expected a name in double quotes") }
    return text
  }

  private static func unknownKind(_ name: String) -> UInt8? {
    guard name.hasPrefix("kind-"), let code = UInt8(name.dropFirst(5)),
      EventTable.definition(of: EventKind(code)) == nil
    else { return nil }
    return code
  }
}
