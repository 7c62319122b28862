/// JSON of any depth. All values are in one array, so that neither reading nor freeing them recurses.
///
/// Foundation's reader refuses more than 512 levels; MetricKit's call trees have two levels for each call.
struct JSONTree: Sendable {
  enum Kind: Sendable { case object, array, text(String), number(String), truth(Bool), null }

  struct Node: Sendable {
    var kind: Kind
    /// The value's key in an object.
    var key: String?
    let line: Int
    var firstChild: Int?
    var next: Int?
  }

  private(set) var nodes: [Node] = []
  /// The documents of the text, in its order.
  private(set) var documents: [Int] = []
  /// The place and kind of a premature end of the text; nil for complete JSON.
  private(set) var cut: BacktraceError?

  /// Parses a text. `line`: the number of its first line.
  init(_ text: [UInt8], line: Int = 1) throws(BacktraceError) {
    var reader = JSONReader(text, line: line)
    while reader.skipBlanks() {
      do throws(BacktraceError) { try readDocument(&reader) } catch {
        guard reader.isAtEnd, !documents.isEmpty else { throw error }
        cut = error
        return
      }
    }
  }

  private mutating func readDocument(_ reader: inout JSONReader) throws(BacktraceError) {
    var open: [(node: Int, last: Int?)] = []
    repeat {
      // Reads a member, an element, or the end of the innermost open value.
      if let top = open.last {
        let isObject = if case .object = nodes[top.node].kind { true } else { false }
        guard reader.skipBlanks() else {
          throw BacktraceError(
            reader.line,
            "the text ends inside the \(isObject ? "object" : "array") that begins on line \(nodes[top.node].line)"
          )
        }
        if reader.take(isObject ? "}" : "]") {
          open.removeLast()
          continue
        }
        if top.last != nil, !reader.take(",") {
          throw BacktraceError(reader.line, "expected ',' or '\(isObject ? "}" : "]")' in JSON")
        }
        var key: String?
        if isObject {
          guard reader.skipBlanks(), let found = try reader.string() else {
            throw BacktraceError(reader.line, "expected a key in double quotes in JSON")
          }
          key = found
          guard reader.skipBlanks(), reader.take(":") else {
            throw BacktraceError(reader.line, "expected ':' after a key in JSON")
          }
        }
        let node = try value(&reader, key)
        if let last = top.last { nodes[last].next = node } else { nodes[top.node].firstChild = node }
        open[open.count - 1].last = node
        try enter(node, &open)
      } else {
        let node = try value(&reader, nil)
        documents.append(node)
        try enter(node, &open)
      }
    } while !open.isEmpty
  }

  private func enter(_ node: Int, _ open: inout [(node: Int, last: Int?)]) throws(BacktraceError) {
    switch nodes[node].kind {
    case .object, .array:
      guard open.count < BacktraceLimits.deepestJSON else {
        throw BacktraceError(nodes[node].line, "JSON of more than \(BacktraceLimits.deepestJSON) levels")
      }
      open.append((node, nil))
    default: break
    }
  }

  private mutating func value(_ reader: inout JSONReader, _ key: String?) throws(BacktraceError) -> Int {
    guard nodes.count < BacktraceLimits.jsonValues else {
      throw BacktraceError(reader.line, "more than \(BacktraceLimits.jsonValues) JSON values")
    }
    guard reader.skipBlanks() else {
      throw BacktraceError(reader.line, "the text ends where a JSON value is expected")
    }
    let line = reader.line
    nodes.append(Node(kind: try reader.value(), key: key, line: line))
    return nodes.count - 1
  }
}

/// The tokens of JSON.
private struct JSONReader {
  private let text: [UInt8]
  private var at = 0
  private(set) var line: Int

  init(_ text: [UInt8], line: Int) {
    self.text = text
    self.line = line
  }

  /// Skips blanks. Returns false at the end.
  mutating func skipBlanks() -> Bool {
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      default: return true
      }
      at += 1
    }
    return false
  }

  /// Whether the rest of the text is empty or a truncated word.
  var isAtEnd: Bool {
    let rest = text[at...]
    return rest.isEmpty || ["true", "false", "null"].contains { $0.utf8.starts(with: rest) }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard at < text.count, text[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func take(word: String) -> Bool {
    guard text[at...].starts(with: word.utf8) else { return false }
    at += word.utf8.count
    return true
  }

  /// Reads a value; for an object or array, only its opening bracket.
  mutating func value() throws(BacktraceError) -> JSONTree.Kind {
    if take("{") { return .object }
    if take("[") { return .array }
    if let text = try string() { return .text(text) }
    if take(word: "true") { return .truth(true) }
    if take(word: "false") { return .truth(false) }
    if take(word: "null") { return .null }
    let digits = text[at...].prefix { "+-.0123456789eE".utf8.contains($0) }
    let number = String(decoding: digits, as: UTF8.self)
    guard Double(number) != nil else { throw BacktraceError(line, "this is not a JSON value") }
    at += digits.count
    return .number(number)
  }

  /// Reads a string; nil when none begins here.
  mutating func string() throws(BacktraceError) -> String? {
    let begin = line
    guard take("\"") else { return nil }
    var bytes: [UInt8] = []
    while at < text.count {
      let byte = text[at]
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(&bytes)
      case UInt8(ascii: "\n"): throw BacktraceError(begin, "a JSON string does not end on its line")
      default: bytes.append(byte)
      }
    }
    throw BacktraceError(begin, "the text ends inside a JSON string")
  }

  private mutating func escape(_ bytes: inout [UInt8]) throws(BacktraceError) {
    guard at < text.count else { return }
    let byte = text[at]
    at += 1
    switch byte {
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "u"):
      var code = try unit()
      if (0xD800..<0xDC00).contains(code), take(word: "\\u") {
        code = 0x10000 + (code - 0xD800) << 10 + (try unit() & 0x3FF)
      }
      bytes.append(contentsOf: String(Unicode.Scalar(code).map(Character.init) ?? "\u{FFFD}").utf8)
    default: throw BacktraceError(line, "JSON has no escape '\\\(Unicode.Scalar(byte))'")
    }
  }

  private mutating func unit() throws(BacktraceError) -> UInt32 {
    let digits = text[at...].prefix(4)
    guard digits.count == 4, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw BacktraceError(line, "expected four hexadecimal digits after \\u in JSON")
    }
    at += 4
    return code
  }
}

/// A value of a tree.
struct JSONValue {
  let tree: JSONTree
  let node: Int

  var line: Int { tree.nodes[node].line }
  var key: String { tree.nodes[node].key ?? "" }

  /// The members of an object or the elements of an array.
  var children: some Sequence<JSONValue> {
    sequence(state: tree.nodes[node].firstChild) { next -> JSONValue? in
      guard let at = next else { return nil }
      next = tree.nodes[at].next
      return JSONValue(tree: tree, node: at)
    }
  }

  /// Returns the first member with this key.
  subscript(key: String) -> JSONValue? {
    guard case .object = tree.nodes[node].kind else { return nil }
    return children.first { $0.key == key }
  }

  var elements: [JSONValue]? {
    guard case .array = tree.nodes[node].kind else { return nil }
    return Array(children)
  }

  var isObject: Bool { if case .object = tree.nodes[node].kind { true } else { false } }

  var text: String? { if case .text(let text) = tree.nodes[node].kind { text } else { nil } }

  var truth: Bool? { if case .truth(let truth) = tree.nodes[node].kind { truth } else { nil } }

  /// The value as a number, as the text has it.
  var number: String? { if case .number(let number) = tree.nodes[node].kind { number } else { nil } }

  /// The value as a whole number, which may be written as text or in hexadecimal.
  var whole: UInt64? {
    switch tree.nodes[node].kind {
    case .number(let number): UInt64(number)
    case .text(let text):
      text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    default: nil
    }
  }
}
