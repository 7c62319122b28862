/// Writes the text form of a trace, block by block, in bounded memory.
package struct TextDumper {
  private let reader: TraceReader
  private let unit: UInt64
  /// The object names for the comments.
  private var objectNames: ObjectNames?
  /// The number of definitions that each thread has made so far.
  private var definitions: [UInt32: UInt32] = [:]
  private let nameOfMode: [UInt8: String]
  /// The number of object definitions beyond the limit. The comments of their events may lack a name.
  package var omittedDefinitions: UInt64 { objectNames?.omitted ?? 0 }
  private static let payloadBytesPerLine = 1 << 14
  /// The maximum number of Unicode scalars of a name in a comment.
  private static let nameLength = 60

  package init(_ reader: TraceReader) {
    self.reader = reader
    unit = reader.header.timeUnit.nanoseconds
    nameOfMode = reader.modes.mapValues(TextDumper.short)
  }

  private static func short(_ name: String) -> String {
    let scalars = name.unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: nameLength, limitedBy: scalars.endIndex)
    return QuotedText.escape(scalars[..<(end ?? scalars.endIndex)]) + (end == nil ? "" : "…")
  }

  /// Calls `line` with each line, without its newline. Calls `progress` with the share of blocks done, 0...1. Throws
  /// what `line` throws, and the errors of reading a block.
  package mutating func dump(
    progress: ((Double) -> Void)? = nil, _ line: (String) throws -> Void
  ) throws {
    let header = reader.header
    try line(TextForm.firstLine)
    try line(
      "header minor=\(header.minor) unit=\(header.timeUnit.name) codec=\(header.codec.name)"
        + " capture=\(header.captureLevel.name) clock=\(header.clock.name)"
        + " " + TextForm.flag("high", header.hasHighStamps))
    objectNames = ObjectNames(reader)
    definitions = [:]
    let events = DecodedEvents()
    for number in reader.blocks.indices {
      let entry = reader.blocks[number]
      progress?(Double(number) / Double(reader.blocks.count))
      switch entry.type {
      case .events:
        try line("events thread=\(entry.thread)")
        try reader.events(of: number, into: events)
        try dumpEvents(events, of: entry.thread, line)
      case let type:
        if let definition = definitionTypes.first(where: { $0.type == type }) {
          try line(type.name)
          try dump(definition, number, line)
          continue
        }
        let (header, payload) = try reader.storedBlock(number)
        try line(
          "unknown type=\(type.rawValue) count=\(entry.count) thread=\(entry.thread) first=\(entry.first)"
            + " last=\(entry.last) plain=\(header.plainBytes)")
        for start in stride(from: 0, to: payload.count, by: TextDumper.payloadBytesPerLine) {
          let end = min(start + TextDumper.payloadBytesPerLine, payload.count)
          try line("  " + TextForm.hex(payload[start..<end]))
        }
      }
    }
    try line(reader.isClean ? TextForm.end : TextForm.unclean)
  }

  private func dump<Entry: Definition>(
    _ type: Entry.Type, _ number: Int, _ line: (String) throws -> Void
  ) throws {
    for entry in try reader.definitions(type, number) { try line("  " + entry.line) }
  }

  private mutating func dumpEvents(
    _ events: DecodedEvents, of thread: UInt32, _ line: (String) throws -> Void
  ) throws {
    var ordinals = [Int](repeating: 0, count: 256)
    for i in 0..<events.count {
      let kind = events.kinds[i]
      let arguments = events.arguments(kind: kind, ordinal: ordinals[Int(kind)])
      ordinals[Int(kind)] += 1
      let time = events.times[i], mode = events.modes[i], object = events.objects[i]
      if ObjectNames.isDefinition(kind) { definitions[thread, default: 0] += 1 }
      let name = objectNames?.name(
        of: object, at: time, thread: thread, definitions: definitions[thread, default: 0])
      let event = TextDumper.text(time: time, kind: kind, mode: mode, object: object, arguments: arguments)
      try line(event + "\t; " + comment(time: time, mode: mode, name: name))
    }
  }

  private static func text(time: UInt64, kind: UInt8, mode: UInt8, object: UInt32, arguments: [UInt64])
    -> String
  {
    let definition = EventTable.definition(of: EventKind(kind))
    var text = "  \(time) \(definition?.name ?? "kind-\(kind)")"
    if mode != 0 { text += " m\(mode)" }
    if object != 0 { text += " #\(object)" }
    for (position, value) in arguments.enumerated() {
      text += " " + argument(definition, position, value)
    }
    return text
  }

  private static func argument(_ definition: EventDefinition?, _ position: Int, _ value: UInt64) -> String {
    guard let argument = definition?.argument(position) else { return "arg=\(value)" }
    switch argument.unit {
    case .time, .signed: return "\(argument.name)=\(Int64(bitPattern: value))"
    case .address: return "\(argument.name)=0x\(String(value, radix: 16))"
    default: return "\(argument.name)=\(value)"
    }
  }

  private func comment(time: UInt64, mode: UInt8, name: UInt32?) -> String {
    let (ns, overflow) = time.multipliedReportingOverflow(by: unit)
    var text = overflow ? "" : SecondsText.of(ns: ns)
    if mode != 0, let name = nameOfMode[mode] { text += " " + name }
    if let name, let string = reader.strings[name] { text += " \"\(TextDumper.short(string))\"" }
    return text
  }
}
