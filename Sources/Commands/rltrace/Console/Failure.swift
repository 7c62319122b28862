import ArgumentParser
import SystemSupport
import TraceFormat

/// The exit statuses, as in sysexits.h; docs/reference/commands/README.md documents them.
enum ExitStatus: Int32 {
  case usage = 64
  case badData = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  case cannotCreate = 73
  case ioError = 74
  /// The same value as in shells.
  case notExecutable = 126
  case notFound = 127
}

/// A failure that ends the command: one line on standard error, and an exit status.
struct Failure: Error {
  let status: ExitStatus
  /// The trace with the failure, if the reason does not name it.
  let file: String?
  private(set) var reason: String

  init(status: ExitStatus, file: String? = nil, message reason: String) {
    self.status = status
    self.file = file
    self.reason = reason
  }

  /// The line for the user. An empty name is shown as `''`.
  var message: String { file.map { "\($0.isEmpty ? "''" : $0): \(reason)" } ?? reason }

  /// Prints the line and returns the exit code that ends the process.
  func report() -> ExitCode {
    Terminal.complain(message)
    return ExitCode(status.rawValue)
  }

  /// Returns a failure to read `file`.
  static func reading(_ file: String, _ error: TraceFormatError) -> Failure {
    let status: ExitStatus =
      switch error {
      case .system(.opening, _): .noInput
      case .system: .ioError
      case .codecMissing, .busy: .unavailable
      default: .badData
      }
    return Failure(status: status, file: file, message: "\(error)")
  }

  /// Returns the failure for a file that was read as completely as possible but has this error.
  static func incomplete(_ file: String, _ error: TraceFormatError, _ reader: TraceReader) -> Failure {
    var failure = reading(file, error)
    if reader.loss.parts > 0 { failure.reason += "; \(reader.loss)" }
    return failure
  }

  /// The maximum size in bytes of a file of this process; nil if there is no limit.
  private static var fileSizeLimit: UInt64? {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else { return nil }
    return UInt64(limit.rlim_cur)
  }

  /// Returns a failure to write `file`. `option` is the option that named the file; `-` is standard output. `kept` is
  /// the spool that still holds the data for the file.
  static func writing(
    _ file: String, _ error: TraceFormatError, option: String = "-o", kept spool: String? = nil
  ) -> Failure {
    if let spool, case .nameTaken(let what) = error {
      return Failure(
        status: .cannotCreate,
        message:
          "\(what); the recording is kept: free that name or choose another one, then run "
          + "`rltrace recover \(spool) \(option) FILE`")
    }
    if let spool, case .system(_, let code) = error {
      let remedy: [Int32: String] = [
        EFBIG: "raise the limit (ulimit -f), then ", ENOSPC: "free disk space, then ",
        EDQUOT: "free disk space, then ",
      ]
      let isCreate = error.isOfCreating && !Terminal.isStandardOutput(file)
      return Failure(
        status: isCreate ? .cannotCreate : .ioError,
        message: "\(error); the recording is kept: \(remedy[code] ?? "")run `rltrace recover \(spool)`")
    }
    // The reader already received the earlier output.
    if Terminal.isStandardOutput(file), case .system = error {
      return Failure(status: .ioError, message: "\(error)")
    }
    switch error {
    // The file could not be opened for writing, or a later write failed.
    case .system(_, let code):
      // A different place does not help if the process has reached its limit on file sizes.
      if code == EFBIG, let limit = fileSizeLimit {
        return Failure(
          status: .ioError,
          message:
            "\(error): the limit for files is \(limit) bytes (ulimit -f); "
            + "nothing was kept; raise the limit"
        )
      }
      return Failure(
        status: error.isOfCreating ? .cannotCreate : .ioError,
        message: "\(error); nothing was kept; choose another place with \(option)"
      )
    case .nameTaken(let what):
      return Failure(
        status: .cannotCreate, message: "\(what); nothing was kept; choose another place with \(option)")
    default: return Failure(status: .badData, message: "\(file): \(error)")
    }
  }
}

extension TraceFormatError {
  /// Whether the file cannot be created, as opposed to a failed write.
  fileprivate var isOfCreating: Bool {
    guard case .system(_, let code) = self else { return false }
    return [ENOENT, EACCES, EROFS, EISDIR, ENOTDIR, EPERM, EEXIST, ENAMETOOLONG, ELOOP].contains(code)
  }
}
