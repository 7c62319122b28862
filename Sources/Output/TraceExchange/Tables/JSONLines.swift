import ReportWriting
import TraceTables

extension ExportFormat {
  static let jsonLines = ExportFormat(
    name: "jsonl",
    about: ["One JSON object per line, UTF-8. A null means that the recording does not contain the value."],
    header: { _, _ in },
    row: { cells, names, bytes in
      bytes += "{".utf8
      Array(zip(names, cells)).append(",", to: &bytes) { cell, bytes in
        JSONString.append(cell.0, to: &bytes)
        bytes += ":".utf8
        JSONLines.append(cell.1, to: &bytes)
      }
      bytes += "}\n".utf8
    },
    form: { names in
      RowText.Form(
        before: names.enumerated().map { place, name in
          var bytes = Array((place == 0 ? "{" : ",").utf8)
          JSONString.append(name, to: &bytes)
          return bytes + ":".utf8
        }, unknown: "null", end: "}\n", append: JSONLines.append)
    })
}

/// Writes one JSON object for each line, with unchanged names.
private enum JSONLines {
  static func append(_ cell: Value, to bytes: inout [UInt8]) {
    switch cell {
    case .unknown: bytes += "null".utf8
    case .text(let text): JSONString.append(text, to: &bytes)
    case .list(let list):
      bytes += "[".utf8
      list.append(",", to: &bytes) { append($0, to: &$1) }
      bytes += "]".utf8
    case .object, .rows: bytes += "null".utf8
    case .integer, .signed, .number, .truth: NumberText.append(cell, to: &bytes)
    }
  }
}
