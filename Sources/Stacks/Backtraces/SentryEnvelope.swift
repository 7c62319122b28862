/// An envelope of Sentry: a header line of JSON, then items. Each item is a line of JSON and a payload, whose length
/// the line may state. A payload is an event, or an attachment of arbitrary bytes.
enum SentryEnvelope {
  /// Returns the events of an envelope; nil when the text is not an envelope.
  static func events(of text: [UInt8], line: Int) throws(BacktraceError) -> [JSONTree]? {
    var cursor = LineCursor(text: text[...], line: line)
    guard let header = object(cursor.next()), isHeader(header) else { return nil }
    var events: [JSONTree] = []
    var others: [String] = []
    while let item = object(cursor.next()), let type = item["type"]?.text, item["event_id"] == nil {
      let payload = cursor.payload(item["length"]?.whole)
      if type == "event", !payload.text.isEmpty {
        events.append(try JSONTree(Array(payload.text), line: payload.line))
      } else {
        others.append(type)
      }
    }
    if !events.isEmpty { return events }
    guard !others.isEmpty else { return nil }
    throw BacktraceError(
      line, "this Sentry envelope has no event; it has: \(others.joined(separator: ", "))")
  }

  private static func isHeader(_ value: JSONValue) -> Bool {
    let keys = value.children.map(\.key)
    return keys.isEmpty
      || keys.contains { ["event_id", "sent_at", "dsn", "sdk"].contains($0) }
        && !keys.contains("exception") && !keys.contains("threads")
  }

  private static func object(_ line: (text: ArraySlice<UInt8>, line: Int)) -> JSONValue? {
    // An event may also fill one line, but it is not a header.
    guard line.text.first == UInt8(ascii: "{"), line.text.count <= longestHeader,
      let tree = try? JSONTree(Array(line.text), line: line.line), tree.cut == nil, tree.documents.count == 1
    else { return nil }
    return JSONValue(tree: tree, node: tree.documents[0])
  }

  private static let longestHeader = 1 << 14
}

private struct LineCursor {
  var text: ArraySlice<UInt8>
  var line: Int

  /// Takes the next line that is not empty.
  mutating func next() -> (text: ArraySlice<UInt8>, line: Int) {
    while let byte = text.first, byte == 0x0A || byte == 0x0D {
      if byte == 0x0A { line += 1 }
      text = text.dropFirst()
    }
    return take(text.prefix { $0 != 0x0A }.count)
  }

  /// Takes a payload of the given length if a line ends there, else the next line.
  mutating func payload(_ length: UInt64?) -> (text: ArraySlice<UInt8>, line: Int) {
    if text.first == 0x0D { text = text.dropFirst() }
    if text.first == 0x0A {
      text = text.dropFirst()
      line += 1
    }
    if let length = length.flatMap({ Int(exactly: $0) }) {
      let behind = text.dropFirst(length).first
      if behind == nil || behind == 0x0A || behind == 0x0D { return take(min(length, text.count)) }
    }
    return take(text.prefix { $0 != 0x0A }.count)
  }

  private mutating func take(_ count: Int) -> (text: ArraySlice<UInt8>, line: Int) {
    let taken = (text.prefix(count), line)
    line += taken.0.count { $0 == 0x0A }
    text = text.dropFirst(count)
    return taken
  }
}
