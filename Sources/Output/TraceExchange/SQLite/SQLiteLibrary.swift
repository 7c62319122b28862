import SystemSupport

/// The functions of the system's SQLite library that an export calls.
///
/// Source: https://sqlite.org/c3ref/intro.html.
struct SQLiteLibrary: @unchecked Sendable {
  typealias Connection = OpaquePointer
  typealias Statement = OpaquePointer

  typealias Open =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafeMutablePointer<Connection?>?, Int32, UnsafePointer<CChar>?
    ) -> Int32
  typealias Close = @convention(c) (Connection?) -> Int32
  typealias ErrorMessage = @convention(c) (Connection?) -> UnsafePointer<CChar>?
  typealias Execute =
    @convention(c) (
      Connection?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> Int32
  typealias Prepare =
    @convention(c) (
      Connection?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<Statement?>?, OpaquePointer?
    ) -> Int32
  typealias BindInteger = @convention(c) (Statement?, Int32, Int64) -> Int32
  typealias BindNumber = @convention(c) (Statement?, Int32, Double) -> Int32
  typealias BindText = @convention(c) (Statement?, Int32, UnsafePointer<CChar>?, Int32, Int) -> Int32
  typealias BindNull = @convention(c) (Statement?, Int32) -> Int32
  typealias Step = @convention(c) (Statement?) -> Int32

  let open: Open
  let close: Close
  let errorMessage: ErrorMessage
  let execute: Execute
  let prepare: Prepare
  let bindInteger: BindInteger
  let bindNumber: BindNumber
  let bindText: BindText
  let bindNull: BindNull
  let step: Step
  let reset: Step
  let finalize: Step

  /// Return values, open flags, and the destructor value that makes SQLite copy a string.
  static let ok: Int32 = 0
  static let done: Int32 = 101
  /// Without a mutex: only one thread uses the connection.
  static let readWriteCreate: Int32 = 0x2 | 0x4 | 0x8000
  static let transient = -1

  private static let names = ["libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib"]

  /// Nil if the system has no such library.
  static let shared: SQLiteLibrary? = try? SQLiteLibrary(SystemLibrary(names))

  private init(_ library: SystemLibrary) throws(SystemLibrary.Missing) {
    open = try library.function("sqlite3_open_v2")
    close = try library.function("sqlite3_close_v2")
    errorMessage = try library.function("sqlite3_errmsg")
    execute = try library.function("sqlite3_exec")
    prepare = try library.function("sqlite3_prepare_v2")
    bindInteger = try library.function("sqlite3_bind_int64")
    bindNumber = try library.function("sqlite3_bind_double")
    bindText = try library.function("sqlite3_bind_text")
    bindNull = try library.function("sqlite3_bind_null")
    step = try library.function("sqlite3_step")
    reset = try library.function("sqlite3_reset")
    finalize = try library.function("sqlite3_finalize")
  }
}
