import TraceFacts

/// Takes the rows of a table cell by cell, in the order of its columns.
package protocol RowCells {
  mutating func add(_ number: UInt64)
  mutating func add(_ text: String)
  /// Adds a text. In this column, equal codes have equal texts.
  mutating func add(code: UInt8, _ text: () -> String?)
  mutating func addUnknown()
  mutating func endRow()
}

extension RowCells {
  mutating func add(_ number: UInt64?) {
    if let number { add(number) } else { addUnknown() }
  }
}

/// The text of a table's rows, cell by cell, without a value in between. It is for tables with a row for each pass or
/// due point of a trace.
package struct RowText: RowCells {
  /// How a format writes rows whose cells follow each other.
  package struct Form: Sendable {
    /// The text before the cell of each column.
    let before: [[UInt8]]
    let unknown: [UInt8]
    let end: [UInt8]
    let append: @Sendable (Value, inout [UInt8]) -> Void
    /// The byte before each cell but the first, if nothing else comes before cells.
    let separator: UInt8?

    package init(
      before: [[UInt8]], unknown: String, end: String,
      append: @escaping @Sendable (Value, inout [UInt8]) -> Void
    ) {
      (self.before, self.append) = (before, append)
      (self.unknown, self.end) = (Array(unknown.utf8), Array(end.utf8))
      let separators = Set(before.dropFirst())
      separator =
        before.first == [] && separators.count == 1 && separators.first?.count == 1
        ? separators.first?.first : nil
    }
  }

  /// The rows that have not been taken yet.
  package private(set) var bytes: [UInt8] = []
  private let form: Form
  /// The column of the next cell.
  private var column = 0
  /// Texts that were written before, by column and code.
  private var known: [[[UInt8]]]
  private static let codes = 256

  package init(_ form: Form) {
    self.form = form
    known = Array(repeating: [], count: form.before.count)
  }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  // These functions are in this module so that they are compiled for this type.
  package mutating func add(_ row: Recorded<PassFact>) { row.write(to: &self) }
  package mutating func add(_ row: Recorded<PointFact>) { row.write(to: &self) }

  // MARK: Cells

  package mutating func add(_ number: UInt64) {
    if column > 0, let separator = form.separator {
      column += 1
      bytes.append(separator, decimal: number)
    } else {
      separate()
      bytes.appendDecimal(number)
    }
  }

  package mutating func addUnknown() {
    separate()
    bytes += form.unknown
  }

  /// Calls `text` once for each code.
  package mutating func add(code: UInt8, _ text: () -> String?) {
    if known[column].isEmpty { known[column] = Array(repeating: [], count: RowText.codes) }
    if known[column][Int(code)].isEmpty {
      form.append(text().value, &known[column][Int(code)])
    }
    let place = column
    separate()
    bytes += known[place][Int(code)]
  }

  package mutating func add(_ text: String) {
    separate()
    form.append(.text(text), &bytes)
  }

  package mutating func endRow() {
    bytes += form.end
    column = 0
  }

  private mutating func separate() {
    if let separator = form.separator {
      if column > 0 { bytes.append(separator) }
    } else {
      bytes += form.before[column]
    }
    column += 1
  }
}
