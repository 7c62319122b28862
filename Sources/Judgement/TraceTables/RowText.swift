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

/// The text of a table's rows, cell by cell, without intermediate values. It is for tables with a row for each pass or
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
  package var bytes: [UInt8] { Array(storage[..<count]) }
  /// The number of these bytes.
  package private(set) var count = 0
  /// Bytes up to `count` are rows. The rest is spare capacity, so that storing a cell does not resize it.
  private var storage = [UInt8](repeating: 0, count: RowText.cellBytes)
  private let form: Form
  /// The column of the next cell.
  private var column = 0
  /// Texts that were written before, by column and code.
  private var known: [[[UInt8]]]
  private static let codes = 256
  /// The maximum space for a number: a separator and three stores of eight bytes.
  private static let cellBytes = 32

  package init(_ form: Form) {
    self.form = form
    known = Array(repeating: [], count: form.before.count)
  }

  package mutating func removeAll() { count = 0 }

  // These functions are in this module so that they are compiled for this type.
  package mutating func add(_ row: Recorded<PassFact>) { row.write(to: &self) }
  package mutating func add(_ row: Recorded<PointFact>) { row.write(to: &self) }

  // MARK: Cells

  package mutating func add(_ number: UInt64) {
    if column > 0, let separator = form.separator {
      column += 1
      store(separator, decimal: number)
    } else {
      separate()
      store(nil, decimal: number)
    }
  }

  package mutating func addUnknown() {
    separate()
    store(form.unknown)
  }

  /// Calls `text` once for each code.
  package mutating func add(code: UInt8, _ text: () -> String?) {
    if known[column].isEmpty { known[column] = Array(repeating: [], count: RowText.codes) }
    if known[column][Int(code)].isEmpty {
      form.append(text().value, &known[column][Int(code)])
    }
    let place = column
    separate()
    store(known[place][Int(code)])
  }

  package mutating func add(_ text: String) {
    separate()
    var bytes: [UInt8] = []
    form.append(.text(text), &bytes)
    store(bytes)
  }

  package mutating func endRow() {
    store(form.end)
    column = 0
  }

  private mutating func separate() {
    if let separator = form.separator {
      if column > 0 {
        makeRoom(1)
        store(separator)
      }
    } else {
      store(form.before[column])
    }
    column += 1
  }

  // MARK: Storage

  private mutating func makeRoom(_ bytes: Int) {
    guard storage.count - count < bytes else { return }
    storage += [UInt8](repeating: 0, count: storage.count + bytes)
  }

  private mutating func store(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    makeRoom(bytes.count)
    unsafe storage.withUnsafeMutableBytes { storage in
      // SAFETY: there is room for all bytes.
      unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyBytes(from: bytes)
    }
    count += bytes.count
  }

  /// Stores a byte, for which there is room.
  private mutating func store(_ byte: UInt8) {
    storage[count] = byte
    count += 1
  }

  /// Stores a byte and the digits of a number.
  private mutating func store(_ byte: UInt8?, decimal number: UInt64) {
    makeRoom(RowText.cellBytes)
    if number < Digits.limit / 10 {
      let digits = number < 10 ? Digits(digit: number) : Digits(number)
      store(byte.map { digits.after($0) } ?? digits)
      return
    }
    if let byte { store(byte) }
    Digits.parts(of: number) { store($0) }
  }

  /// Stores eight bytes, and keeps those that are digits.
  private mutating func store(_ digits: Digits) {
    unsafe storage.withUnsafeMutableBytes { storage in
      // SAFETY: `makeRoom` made room for three stores.
      unsafe storage.storeBytes(of: digits.bytes.littleEndian, toByteOffset: count, as: UInt64.self)
    }
    count += digits.count
  }
}

/// The cells of a row, for an output that is not text.
package struct RowBuffer: RowCells {
  package enum Cell {
    case unknown
    case number(UInt64)
    case text(String)
    /// A text that `text(of:in:)` returns.
    case code(UInt8)
  }

  package private(set) var cells: [Cell] = []
  /// Texts by column and code.
  private var known: [[UInt8: String?]]

  package init(columns: Int) {
    known = Array(repeating: [:], count: columns)
    cells.reserveCapacity(columns)
  }

  // These functions are in this module so that they are compiled for this type.
  package mutating func set(_ row: Recorded<PassFact>) {
    cells.removeAll(keepingCapacity: true)
    row.write(to: &self)
  }
  package mutating func set(_ row: Recorded<PointFact>) {
    cells.removeAll(keepingCapacity: true)
    row.write(to: &self)
  }

  package func text(of code: UInt8, in column: Int) -> String? { known[column][code] ?? nil }

  package mutating func add(_ number: UInt64) { cells.append(.number(number)) }
  package mutating func add(_ text: String) { cells.append(.text(text)) }
  package mutating func addUnknown() { cells.append(.unknown) }
  package mutating func endRow() {}

  package mutating func add(code: UInt8, _ text: () -> String?) {
    if known[cells.count][code] == nil { known[cells.count][code] = .some(text()) }
    cells.append(.code(code))
  }
}
