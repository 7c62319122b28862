import ArgumentParser
import TraceFormat

/// Exit statuses, as in sysexits.h; documented in docs/commands/README.md.
enum ExitStatus: Int32 {
  case usage = 64
  case badData = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  case cannotCreate = 73
  case ioError = 74
  /// As shells have them.
  case notExecutable = 126
  case notFound = 127
}

/// A failure that ends the command: one line on standard error, and an exit status.
struct Failure: Error {
  let status: ExitStatus
  /// The trace that it is about, where the reason does not name it.
  let file: String?
  private(set) var reason: String

  init(status: ExitStatus, file: String? = nil, message reason: String) {
    self.status = status
    self.file = file
    self.reason = reason
  }

  var message: String { file.map { "\($0): \(reason)" } ?? reason }

  /// Prints the line and returns what ends the process with the status.
  func report() -> ExitCode {
    Terminal.complain(message)
    return ExitCode(status.rawValue)
  }

  /// A failure to read `file`.
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

  /// `file` was read as far as it can be, and this is wrong with it.
  static func notWhole(_ file: String, _ error: TraceFormatError, _ reader: TraceReader) -> Failure {
    var failure = reading(file, error)
    if reader.loss.parts > 0 { failure.reason += "; \(reader.loss)" }
    return failure
  }

  /// Bytes that a file of this process may have; nil where there is no limit.
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

  /// A failure to write `file`, which `option` names on the command line; `-` is standard output. `kept`: the spool that
  /// holds what it was to be made of.
  static func writing(
    _ file: String, _ error: TraceFormatError, option: String = "-o", kept spool: String? = nil
  ) -> Failure {
    if let spool, case .nameTaken(let what) = error {
      return Failure(
        status: .cannotCreate,
        message:
          "\(what); what was recorded is kept: make way for it, or choose another place, with "
          + "`rltrace recover \(spool) \(option) FILE`")
    }
    if let spool, case .system(_, let code) = error {
      let remedy: [Int32: String] = [
        EFBIG: "raise the limit (ulimit -f), then ", ENOSPC: "make room, then ", EDQUOT: "make room, then ",
      ]
      let isCreate = error.isOfCreating && !Output.isStandardOutput(file)
      return Failure(
        status: isCreate ? .cannotCreate : .ioError,
        message: "\(error); what was recorded is kept: \(remedy[code] ?? "")`rltrace recover \(spool)`")
    }
    // What went there is with its reader.
    if Output.isStandardOutput(file), case .system = error {
      return Failure(status: .ioError, message: "\(error)")
    }
    switch error {
    // Opening the file for writing failed, or a later write did.
    case .system(_, let code):
      // No other place helps against a limit of the process.
      if code == EFBIG, let limit = fileSizeLimit {
        return Failure(
          status: .ioError,
          message:
            "\(error): files may have \(limit) bytes at most here (ulimit -f); "
            + "nothing was kept, raise the limit"
        )
      }
      return Failure(
        status: error.isOfCreating ? .cannotCreate : .ioError,
        message: "\(error); nothing was kept, choose another place with \(option)"
      )
    case .nameTaken(let what):
      return Failure(
        status: .cannotCreate, message: "\(what); nothing was kept, choose another place with \(option)")
    default: return Failure(status: .badData, message: "\(file): \(error)")
    }
  }
}

extension TraceFormatError {
  /// Not a write: no file can be made there.
  fileprivate var isOfCreating: Bool {
    guard case .system(_, let code) = self else { return false }
    return [ENOENT, EACCES, EROFS, EISDIR, ENOTDIR, EPERM, EEXIST, ENAMETOOLONG, ELOOP].contains(code)
  }
}
