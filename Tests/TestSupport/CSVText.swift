/// A strict reader of comma-separated values as RFC 4180 defines them.
package struct CSVText {
  package let header: [String]
  package let rows: [[String]]

  package struct Malformed: Error { public let line: Int }

  package init(_ text: String) throws {
    var rows: [[String]] = [[]]
    var cell: [UInt8] = []
    var isQuoted = false, wasQuoted = false
    var bytes = Array(text.utf8)[...]
    func malformed() -> Malformed { Malformed(line: rows.count) }
    func endCell() {
      rows[rows.count - 1].append(String(decoding: cell, as: UTF8.self))
      cell = []
      wasQuoted = false
    }
    while let byte = bytes.popFirst() {
      switch byte {
      case 0x22 where isQuoted && bytes.first == 0x22:
        cell.append(0x22)
        bytes.removeFirst()
      case 0x22 where isQuoted:
        isQuoted = false
        wasQuoted = true
      case _ where isQuoted: cell.append(byte)
      case 0x22:
        guard cell.isEmpty, !wasQuoted else { throw malformed() }
        isQuoted = true
      case 0x2C: endCell()
      case 13:
        guard bytes.popFirst() == 10 else { throw malformed() }
        endCell()
        rows.append([])
      case 10: throw malformed()
      default:
        guard !wasQuoted else { throw malformed() }
        cell.append(byte)
      }
    }
    // The last line must also end with CR LF.
    guard !isQuoted, cell.isEmpty, rows.last == [] else { throw malformed() }
    rows.removeLast()
    guard let header = rows.first, rows.allSatisfy({ $0.count == header.count }) else { throw malformed() }
    self.header = header
    self.rows = Array(rows.dropFirst())
  }

  /// The cells of the named column; nil when no column has the name.
  package subscript(column: String) -> [String]? {
    header.firstIndex(of: column).map { at in rows.map { $0[at] } }
  }
}
