import Foundation

/// The functions of the system's SQLite library that an export calls. They are found at run time: a build needs no
/// headers, and the installed tool runs where the library is missing.
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

  /// Loads the library; nil if the system has none.
  static let shared: SQLiteLibrary? = {
    for name in names {
      if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return SQLiteLibrary(library) }
    }
    return nil
  }()

  private init?(_ library: UnsafeMutableRawPointer) {
    func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
      dlsym(library, "sqlite3_" + name).map { unsafeBitCast($0, to: type) }
    }
    guard let open = find("open_v2", Open.self),
      let close = find("close_v2", Close.self),
      let errorMessage = find("errmsg", ErrorMessage.self),
      let execute = find("exec", Execute.self),
      let prepare = find("prepare_v2", Prepare.self),
      let bindInteger = find("bind_int64", BindInteger.self),
      let bindNumber = find("bind_double", BindNumber.self),
      let bindText = find("bind_text", BindText.self),
      let bindNull = find("bind_null", BindNull.self),
      let step = find("step", Step.self),
      let reset = find("reset", Step.self),
      let finalize = find("finalize", Step.self)
    else { return nil }
    (self.open, self.close, self.errorMessage, self.execute) = (open, close, errorMessage, execute)
    (self.prepare, self.bindInteger, self.bindNumber) = (prepare, bindInteger, bindNumber)
    (self.bindText, self.bindNull, self.step) = (bindText, bindNull, step)
    (self.reset, self.finalize) = (reset, finalize)
  }
}
