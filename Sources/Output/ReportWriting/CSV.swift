import TraceAnalysis
import TraceTables

/// Writes CSV by RFC 4180. The output has no control characters, and no text that a spreadsheet reads as a formula.
package enum CSV {
  package static func row(_ cells: [Value], to bytes: inout [UInt8]) {
    cells.append(",", to: &bytes) { append($0, to: &$1) }
    bytes += "\r\n".utf8
  }

  package static func append(_ cell: Value, to bytes: inout [UInt8]) {
    switch cell {
    case .integer, .signed, .number, .truth: NumberText.append(cell, to: &bytes)
    case .unknown: break
    case .text(let text): append(text, to: &bytes)
    case .list(let list): append(list.map(\.inTable).joined(separator: ", "), to: &bytes)
    // Columns of tables hold neither values keyed by name nor rows of other tables.
    case .object, .rows: break
    }
  }

  /// Letters, digits, spaces and punctuation that is common in names. Except for "-", no character begins a formula
  /// or separates cells.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x20, 0x23, 0x28, 0x29, 0x2D, 0x2E, 0x2F, 0x3A, 0x5F: true
    default: false
    }
  }

  private static let formulaStarts: Set<Unicode.Scalar> = Set("=+-@＝＋－＠".unicodeScalars)

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    // Fast path for nearly all texts: letters, digits, and punctuation that needs no escaping.
    if text.utf8.first.map({ isPlain($0) && $0 != 0x20 && $0 != 0x2D }) ?? true, text.utf8.allSatisfy(isPlain)
    {
      bytes += text.utf8
      return
    }
    let safe = harmless(text, limit: .max)
    let first = safe.unicodeScalars.first { !$0.properties.isWhitespace }
    let isFormula = first.map(formulaStarts.contains) ?? false
    guard isFormula || safe.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C }) else {
      bytes += safe.utf8
      return
    }
    bytes.append(0x22)
    if isFormula { bytes.append(UInt8(ascii: "'")) }
    for byte in safe.utf8 {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }
}

extension Value {
  /// The text of one element of a list in a cell.
  fileprivate var inTable: String { if case .text(let text) = self { text } else { "" } }
}

extension Array {
  /// Appends the output of `body` for each element, with a separator between them.
  @inlinable package func append(
    _ separator: Unicode.Scalar, to bytes: inout [UInt8], _ body: (Element, inout [UInt8]) -> Void
  ) {
    for (number, element) in enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: separator)) }
      body(element, &bytes)
    }
  }
}
