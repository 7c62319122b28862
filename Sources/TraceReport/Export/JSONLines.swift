import TraceTables

extension ExportFormat {
  static let jsonLines = ExportFormat(
    name: "jsonl", about: ["One JSON object per line, UTF-8. null: the recording does not know."],
    header: { _, _ in },
    row: { cells, names, bytes in
      bytes += "{".utf8
      Array(zip(names, cells)).append(",", to: &bytes) { cell, bytes in
        JSONLines.append(cell.0, to: &bytes)
        bytes += ":".utf8
        JSONLines.append(cell.1, to: &bytes)
      }
      bytes += "}\n".utf8
    })
}

/// One JSON object per line, names as they are.
private enum JSONLines {
  static func append(_ cell: Value, to bytes: inout [UInt8]) {
    switch cell {
    case .unknown: bytes += "null".utf8
    case .text(let text): append(text, to: &bytes)
    case .list(let list):
      bytes += "[".utf8
      list.append(",", to: &bytes) { append($0, to: &$1) }
      bytes += "]".utf8
    case .object, .rows: bytes += "null".utf8
    case .integer, .signed, .number, .truth: NumberText.append(cell, to: &bytes)
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
