import TraceFormat
import TraceTables

/// A new database file. Errors carry SQLite's own message.
final class SQLiteDatabase {
  private let library: SQLiteLibrary
  private var connection: SQLiteLibrary.Connection?

  /// Creates an empty database.
  init(path: String) throws(SQLiteExportError) {
    guard let library = SQLiteLibrary.shared else { throw .noLibrary }
    self.library = library
    let result = path.withCString { library.open($0, &connection, SQLiteLibrary.readWriteCreate, nil) }
    guard result == SQLiteLibrary.ok else { throw failure("open \(path)") }
    // The file gets its name only when it is complete, so a journal would protect nothing.
    try execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;")
  }

  deinit { _ = library.close(connection) }

  func execute(_ sql: String) throws(SQLiteExportError) {
    let result = sql.withCString { library.execute(connection, $0, nil, nil, nil) }
    guard result == SQLiteLibrary.ok else { throw failure(String(sql.prefix(60))) }
  }

  func close() throws(SQLiteExportError) {
    try execute("COMMIT;")
    guard library.close(connection) == SQLiteLibrary.ok else { throw failure("close") }
    connection = nil
  }

  private func failure(_ what: String) -> SQLiteExportError {
    .database("\(what): \(library.errorMessage(connection).map { String(cString: $0) } ?? "no memory")")
  }

  /// A statement that inserts one row at a time.
  final class Insertion {
    private let database: SQLiteDatabase
    private var statement: SQLiteLibrary.Statement?
    /// The values of the columns, which stay bound from one row to the next.
    private var bound: [Bound]

    private enum Bound: Equatable {
      case null
      case code(UInt8)
      case value
    }

    init(_ sql: String, columns: Int, in database: SQLiteDatabase) throws(SQLiteExportError) {
      self.database = database
      bound = Array(repeating: .null, count: columns)
      let result = sql.withCString {
        database.library.prepare(database.connection, $0, -1, &statement, nil)
      }
      guard result == SQLiteLibrary.ok else { throw database.failure(String(sql.prefix(60))) }
    }

    deinit { _ = database.library.finalize(statement) }

    func insert(_ cells: [Value]) throws(SQLiteExportError) {
      let library = database.library
      for (place, cell) in zip(Int32(1)..., cells) {
        let result: Int32 =
          switch cell {
          // SQLite's integers are signed.
          case .integer(let value): library.bindInteger(statement, place, Int64(clamping: value))
          case .signed(let value): library.bindInteger(statement, place, value)
          case .truth(let value): library.bindInteger(statement, place, value ? 1 : 0)
          case .number(let value): library.bindNumber(statement, place, value)
          case .text(let text): bind(text, place)
          case .list(let values): bind(values.compactMap(\.text).joined(separator: ", "), place)
          case .unknown, .object, .rows: library.bindNull(statement, place)
          }
        guard result == SQLiteLibrary.ok else { throw database.failure("bind") }
      }
      guard library.step(statement) == SQLiteLibrary.done, library.reset(statement) == SQLiteLibrary.ok else {
        throw database.failure("insert")
      }
    }

    /// Inserts a row. Binds only cells that may differ from those of the row before.
    func insert(_ row: RowBuffer) throws(SQLiteExportError) {
      let library = database.library
      for (column, cell) in row.cells.enumerated() {
        let place = Int32(truncatingIfNeeded: column + 1)
        var result = SQLiteLibrary.ok
        switch cell {
        case .number(let number):
          result = library.bindInteger(statement, place, Int64(clamping: number))
          bound[column] = .value
        case .text(let text):
          result = bind(text, place)
          bound[column] = .value
        case .code(let code):
          if bound[column] == .code(code) { continue }
          let text = row.text(of: code, in: column)
          result = text.map { bind($0, place) } ?? library.bindNull(statement, place)
          bound[column] = .code(code)
        case .unknown:
          if bound[column] == .null { continue }
          result = library.bindNull(statement, place)
          bound[column] = .null
        }
        guard result == SQLiteLibrary.ok else { throw database.failure("bind") }
      }
      guard library.step(statement) == SQLiteLibrary.done, library.reset(statement) == SQLiteLibrary.ok else {
        throw database.failure("insert")
      }
    }

    private func bind(_ text: String, _ place: Int32) -> Int32 {
      var text = text
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { chars in
          database.library.bindText(
            statement, place, chars.baseAddress, Int32(clamping: chars.count), SQLiteLibrary.transient)
        }
      }
    }
  }
}

/// Why a database could not be written.
package enum SQLiteExportError: Error, CustomStringConvertible {
  case noLibrary
  case database(String)

  package var description: String {
    switch self {
    case .noLibrary:
      "the system has no SQLite library; install libsqlite3-0 (Debian, Ubuntu) or sqlite-libs (Fedora)"
    case .database(let what): "SQLite: \(what)"
    }
  }

  /// Why no database can be written on this system; nil = one can.
  package static var obstacle: SQLiteExportError? { SQLiteLibrary.shared == nil ? .noLibrary : nil }
}

extension Value {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
