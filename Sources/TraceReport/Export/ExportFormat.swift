import TraceAnalysis

/// The form that tables are written in.
public enum ExportFormat: String, CaseIterable, Sendable {
  case csv
  case jsonl

  public var fileExtension: String { rawValue }

  /// What stands before the rows.
  func header(_ names: [String], into bytes: inout [UInt8]) {
    if self == .csv { row(names.map { Value.text($0) }, names, into: &bytes) }
  }

  func row(_ cells: [Value], _ names: [String], into bytes: inout [UInt8]) {
    switch self {
    case .csv:
      for (number, cell) in cells.enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        CSV.append(cell, to: &bytes)
      }
      bytes += [13, 10]
    case .jsonl:
      bytes.append(UInt8(ascii: "{"))
      for (number, cell) in cells.enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONLines.append(names[number], to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        JSONLines.append(cell, to: &bytes)
      }
      bytes += [UInt8(ascii: "}"), 10]
    }
  }
}

/// RFC 4180, and harmless where it is opened: no control characters, and no text that a spreadsheet takes for a formula.
enum CSV {
  static func append(_ cell: Value, to bytes: inout [UInt8]) {
    switch cell {
    case .integer(let value): bytes += String(value).utf8
    case .signed(let value): bytes += String(value).utf8
    case .number(let value): bytes += shortest(value).utf8
    case .truth(let value): bytes += (value ? "true" : "false").utf8
    case .unknown: break
    case .text(let text): append(text, to: &bytes)
    case .list(let list): append(list.map(\.inTable).joined(separator: ", "), to: &bytes)
    // No column of a table is keyed by names.
    case .object: break
    }
  }

  /// As JSON has it: 1, not 1.0.
  private static func shortest(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }

  private static let formulaStarts: Set<UInt8> = Set("=+-@".utf8)

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let safe = harmless(text, limit: .max)
    let isFormula = safe.utf8.first.map(formulaStarts.contains) ?? false
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

/// One JSON object a line, names as they are.
enum JSONLines {
  static func append(_ cell: Value, to bytes: inout [UInt8]) {
    switch cell {
    case .unknown: bytes += "null".utf8
    case .text(let text): append(text, to: &bytes)
    case .list(let list):
      bytes.append(UInt8(ascii: "["))
      for (number, value) in list.enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        append(value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object: bytes += "null".utf8
    case .integer, .signed, .number, .truth: CSV.append(cell, to: &bytes)
    }
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
    let hex = Array("0123456789abcdef".utf8)
    let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")
    bytes.append(quote)
    for byte in text.utf8 {
      switch byte {
      case quote, backslash: bytes += [backslash, byte]
      case ..<0x20, 0x7F: bytes += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(quote)
  }
}

extension Value {
  /// As one of a list in a cell.
  fileprivate var inTable: String { if case .text(let text) = self { text } else { "" } }
}
