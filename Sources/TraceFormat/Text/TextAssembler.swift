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
    var rest = Substring(line)
    let isEntry = rest.first == " "
    rest = rest.drop { $0 == " " }
    if rest.isEmpty || rest.first == "#" { return }
    if lineNumber == 1 {
      guard line == TextForm.firstLine else { throw error("expected '\(TextForm.firstLine)'") }
      return
    }
    if case .ended = section { throw error("text after '\(TextForm.end)'") }
    if isEntry { try readEntry(rest) } else { try beginSection(rest) }
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
    var fields = Fields(line)
    let word = fields.word()
    if word == "header" {
      guard writer == nil else { throw error("a second header") }
      try readHeader(&fields)
      return
    }
    guard let writer else { throw error("expected 'header'") }
    switch word {
    case "strings": section = .strings
    case "threads": section = .threads
    case "modes": section = .modes
    case "sync": section = .sync
    case "info": section = .info
    case "events": section = .events(try number(&fields, "thread"))
    case "unknown":
      let type: UInt8 = try number(&fields, "type")
      let count: UInt32 = try number(&fields, "count")
      let thread: UInt32 = try number(&fields, "thread")
      guard let hex = fields.value("payload"), let payload = TextAssembler.bytes(hex: hex), count < 1 << 24 else {
        throw error("expected payload=HEX")
      }
      try writer.writeUnknown(type: BlockType(rawValue: type), count: Int(count), thread: thread, payload: payload)
    case "end": section = .ended
    case "unclean":
      section = .ended
      isClean = false
    default: throw error("unknown section '\(word)'")
    }
  }

  private mutating func readHeader(_ fields: inout Fields) throws(TraceFormatError) {
    let minor: UInt16 = try number(&fields, "minor")
    guard let unit = fields.value("unit").flatMap({ TimeUnit(name: String($0)) }) else {
      throw error("expected unit=1ns, 10ns, 100ns or 1us")
    }
    guard let codecName = fields.value("codec"), let named = CodecID.allCases.first(where: { $0.name == codecName })
    else { throw error("expected codec=none or codec=zstd") }
    guard let level = fields.value("capture").flatMap({ CaptureLevel(name: String($0)) }) else {
      throw error("expected capture=activities, callouts, callouts+stacks or imported")
    }
    guard let clock = fields.value("clock").flatMap({ ClockSource(name: String($0)) }) else {
      throw error("expected clock=monotonic, cycle-counter, virtual or imported")
    }
    guard let high = fields.value("high"), high == TextForm.yes || high == TextForm.no else {
      throw error("expected high=yes or high=no")
    }
    let id = codecOverride ?? named
    guard let codec = codecs(id) else { throw error("codec \(id.name) is not linked into this program") }
    writer = try TraceWriter(
      sink: sink,
      header: FileHeader(
        timeUnit: unit, codec: id, captureLevel: level, clock: clock, hasHighStamps: high == TextForm.yes, minor: minor),
      codec: codec)
  }

  /// Writes the section that just ended as one block.
  private mutating func flush() throws(TraceFormatError) {
    guard let writer else { return }
    switch section {
    case .strings: try writer.write(strings)
    case .threads: try writer.write(threads)
    case .modes: try writer.write(modes)
    case .sync: try writer.write(points)
    case .info: try writer.write(info)
    case .events(let thread): try writer.write(events, thread: thread)
    case .none, .ended: break
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
    var fields = Fields(line)
    switch section {
    case .strings:
      let id: UInt32 = try integer(fields.word(), "string id")
      strings.append(StringDefinition(id: id, text: try quoted(&fields)))
    case .threads:
      let index: UInt32 = try integer(fields.word(), "thread index")
      let os: UInt64 = try number(&fields, "os")
      guard let main = fields.value("main") else { throw error("expected main=yes or main=no") }
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
  }

  private mutating func readEvent(_ fields: inout Fields) throws(TraceFormatError) {
    let time: UInt64 = try integer(fields.word(), "time")
    guard events.isEmpty || time >= events.lastTime else {
      throw error("time \(time) is before the event above it, \(events.lastTime)")
    }
    guard !events.isFull else { throw error("more than \(EventBuffer.capacity) events in a section") }
    let name = String(fields.word())
    let definition = EventTable.definition(named: name)
    guard let kind = definition?.kind.rawValue ?? TextAssembler.unknownKind(name) else {
      throw error("unknown event '\(name)'; names are listed in docs/trace-format.md, unknown kinds are 'kind-N'")
    }
    let mode: UInt8 = try prefixed(&fields, "m")
    let object: UInt32 = try prefixed(&fields, "#")
    var arguments: [UInt64] = []
    while let (key, value) = fields.pair() {
      let expected = TextDumper.argumentDefinition(definition, arguments.count)?.name ?? "arg"
      guard key == expected else { throw error("expected \(expected)=, found \(key)=") }
      guard arguments.count < TraceLimits.argumentsPerEvent else { throw error("more than 255 arguments") }
      arguments.append(try argument(value, key))
    }
    guard fields.isAtEnd else { throw error("expected name=value, found '\(fields.word())'") }
    events.append(time: time, kind: kind, mode: mode, object: object, arguments: arguments)
  }

  // MARK: Numbers and names

  private func integer<T: FixedWidthInteger>(_ text: Substring, _ what: String) throws(TraceFormatError) -> T {
    guard let value = T(text) else { throw error("\(what) '\(text)' is not a number from 0 to \(T.max)") }
    return value
  }

  private func number<T: FixedWidthInteger>(_ fields: inout Fields, _ key: String) throws(TraceFormatError) -> T {
    guard let value = fields.value(key) else { throw error("expected \(key)=NUMBER") }
    return try integer(value, key)
  }

  private func prefixed<T: FixedWidthInteger>(_ fields: inout Fields, _ prefix: Character) throws(TraceFormatError) -> T {
    guard fields.next == prefix else { return 0 }
    return try integer(fields.word().dropFirst(), "'\(prefix)' number")
  }

  private func argument(_ text: Substring, _ name: Substring) throws(TraceFormatError) -> UInt64 {
    if text.hasPrefix("0x") {
      guard let value = UInt64(text.dropFirst(2), radix: 16) else { throw error("\(name)=\(text) is not a number") }
      return value
    }
    if let value = UInt64(text) { return value }
    guard let value = Int64(text) else { throw error("\(name)=\(text) is not a 64-bit number") }
    return UInt64(bitPattern: value)
  }

  private func quoted(_ fields: inout Fields) throws(TraceFormatError) -> String {
    guard let text = fields.quoted() else { throw error("expected a name in double quotes") }
    return text
  }

  private static func unknownKind(_ name: String) -> UInt8? {
    guard name.hasPrefix("kind-"), let code = UInt8(name.dropFirst(5)),
      EventTable.definition(of: EventKind(code)) == nil
    else { return nil }
    return code
  }

  private static func bytes(hex: Substring) -> [UInt8]? {
    let digits = Array(hex.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for i in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[i...(i + 1)], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

/// The fields of a line, taken one after another; a `;` outside quotes ends them.
private struct Fields {
  private var rest: Substring

  init(_ line: Substring) { rest = line }

  private mutating func skipSpace() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  var next: Character? {
    rest.first { $0 != " " && $0 != "\t" }
  }

  var isAtEnd: Bool { next == nil || next == ";" }

  mutating func word() -> Substring {
    skipSpace()
    guard !isAtEnd else { return "" }
    let word = rest.prefix { $0 != " " && $0 != "\t" }
    rest = rest[word.endIndex...]
    return word
  }

  /// The value of the next field if its key is `key`.
  mutating func value(_ key: String) -> Substring? {
    let before = rest
    guard let pair = pair(), pair.key == key else {
      rest = before
      return nil
    }
    return pair.value
  }

  /// The next field if it has the form key=value.
  mutating func pair() -> (key: Substring, value: Substring)? {
    let before = rest
    let field = word()
    guard let equals = field.firstIndex(of: "="), equals != field.startIndex else {
      rest = before
      return nil
    }
    return (field[..<equals], field[field.index(after: equals)...])
  }

  mutating func quoted() -> String? {
    skipSpace()
    return QuotedText.take(&rest)
  }
}
