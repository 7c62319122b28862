import TraceResults
import TraceTables

/// JSON as Foundation's encoder writes it, with keys in order and lines indented: that one keeps some three hundred bytes
/// for each number until the last is written.
struct JSONText {
  private static let pieceBytes = 1 << 16

  private var bytes: [UInt8] = []
  private var depth = 0
  private let write: (String) throws -> Void

  /// Keys are sorted, so that outputs compare as text.
  static func pretty(_ value: Value) -> String {
    var pieces: [String] = []
    // What it calls does not throw.
    try? write(value) { pieces.append($0) }
    return pieces.joined()
  }

  /// The same in pieces: rows that are made one by one are never there together.
  static func write(_ value: Value, to write: @escaping (String) throws -> Void) throws {
    var text = JSONText(write: write)
    try text.append(value)
    try text.flush()
  }

  private init(write: @escaping (String) throws -> Void) { self.write = write }

  private mutating func flush() throws {
    try write(String(decoding: bytes, as: UTF8.self))
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ value: Value) throws {
    switch value {
    case .unknown: bytes += "null".utf8
    case .text(let text): append(text)
    case .list(let values): try append("[", values, "]") { try $0.append($1) }
    case .rows(let rows): try append("[", rows, "]") { try $0.append($1) }
    case .object(let values):
      try append("{", values.sorted { $0.key < $1.key }, "}") { text, member in
        text.append(member.key)
        text.bytes += " : ".utf8
        try text.append(member.value)
      }
    case .integer, .signed, .number, .truth: NumberText.append(value, to: &bytes)
    }
  }

  private mutating func append<Elements: Sequence>(
    _ start: String, _ elements: Elements, _ end: String,
    _ body: (inout JSONText, Elements.Element) throws -> Void
  ) throws {
    bytes += start.utf8
    depth += 1
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      beginLine()
      try body(&self, element)
      if bytes.count >= Self.pieceBytes { try flush() }
    }
    depth -= 1
    // As it writes what is empty: a line of its own for nothing.
    if isFirst { bytes.append(UInt8(ascii: "\n")) }
    beginLine()
    bytes += end.utf8
  }

  private mutating func beginLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
  }

  private mutating func append(_ text: String) { JSONText.append(text, to: &bytes) }

  /// A string with its quotes. Nothing in it is raw that moves a cursor or turns text around: JSON is looked at as well.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")
    bytes.append(quote)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [backslash, UInt8(ascii: scalar)]
      // Nearly all are.
      case " "..."~": bytes.append(UInt8(ascii: scalar))
      case "\u{8}": bytes += "\\b".utf8
      case "\t": bytes += "\\t".utf8
      case "\n": bytes += "\\n".utf8
      case "\u{C}": bytes += "\\f".utf8
      case "\r": bytes += "\\r".utf8
      default:
        if scalar.visible == scalar {
          bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        } else {
          bytes += escaped(scalar).utf8
        }
      }
    }
    bytes.append(quote)
  }

  /// By its UTF-16.
  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    UTF16.encode(scalar).map { units in
      units.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
    } ?? ""
  }
}
