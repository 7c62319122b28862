import TraceResults
import TraceTables

/// Writes JSON like Foundation's encoder, with sorted keys and indented lines. Foundation's encoder keeps about 300
/// bytes for each number until the last one is written.
package struct JSONText {
  private static let pieceBytes = 1 << 16

  private var bytes: [UInt8] = []
  private var depth = 0
  private let write: (String) throws -> Void

  /// Returns the JSON. Keys are sorted, so that outputs can be compared as text.
  package static func pretty(_ value: Value) -> String {
    var pieces: [String] = []
    // The closure does not throw, so neither does the writer.
    try? write(value) { pieces.append($0) }
    return pieces.joined()
  }

  /// Writes the JSON in pieces. Rows that are created one by one are never all in memory.
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
    // Foundation's encoder writes an extra empty line in an empty list or object.
    if isFirst { bytes.append(UInt8(ascii: "\n")) }
    beginLine()
    bytes += end.utf8
  }

  private mutating func beginLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
  }

  private mutating func append(_ text: String) { JSONString.append(text, to: &bytes) }
}
