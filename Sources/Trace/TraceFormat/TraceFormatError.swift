import SystemSupport

/// A problem with a trace: what is wrong, where, and what to do about it.
public enum TraceFormatError: Error, Equatable, Sendable {
  /// The file has no bytes.
  case emptyFile
  /// The first bytes are not those of a trace.
  case notATrace
  /// This version cannot read the format.
  case unsupportedVersion(major: UInt16, minor: UInt16)
  /// The file ends within a block, or within the header (block nil).
  case truncated(offset: UInt64, block: Int?)
  /// The bytes contradict their checksum or each other.
  case damaged(offset: UInt64, block: Int?, what: String)
  /// A number in the file exceeds what any recorder writes.
  case limit(offset: UInt64, block: Int?, what: String)
  /// The block's codec is not linked into this program.
  case codecMissing(offset: UInt64, block: Int?, codec: UInt8)
  /// The text form is wrong.
  case text(line: Int, what: String)
  /// The operating system refused. `code` is errno.
  case system(Operation, code: Int32)
  /// The caller passed something that the format cannot represent.
  case invalidInput(what: String)
  /// The name belongs to a file that must not be changed, or another process is writing it.
  case nameTaken(what: String)
  /// Another process is working on the file.
  case busy(what: String)

  /// An operation that the operating system refused.
  public enum Operation: Equatable, Sendable {
    /// Opening the file to read.
    case opening
    case reading
    case other(what: String)
  }

  /// Creates the error for any other refused operation, described in words.
  package static func system(what: String, code: Int32) -> TraceFormatError {
    .system(.other(what: what), code: code)
  }
}

extension TraceFormatError.Operation: CustomStringConvertible {
  /// The operation as part of a sentence.
  public var description: String {
    switch self {
    case .opening: "cannot open"
    case .reading: "cannot read"
    case .other(let what): what
    }
  }
}

extension TraceFormatError: CustomStringConvertible {
  /// A sentence that says what is wrong, where, and what to do.
  public var description: String {
    func place(_ offset: UInt64, _ block: Int?) -> String {
      "at byte \(offset)" + (block.map { ", block \($0)" } ?? ", file header")
    }
    switch self {
    case .emptyFile:
      return "the file is empty; record again, or check that the recording was stopped"
    case .notATrace:
      return
        "not an rltrace file at byte 0; expected a file written by `rltrace record` or `rltrace assemble`"
    case .unsupportedVersion(let major, let minor):
      return "trace format \(major).\(minor) at byte 8; this rltrace reads up to \(FileHeader.version): "
        + (major > FileHeader.major ? "update rltrace" : "the file is damaged, or not a trace")
    case .truncated(let offset, let block):
      return "cut short \(place(offset, block)); everything before that is intact, the rest is missing"
    case .damaged(let offset, let block, let what):
      return "damaged \(place(offset, block)): \(what); copy the file again from its source"
    case .limit(let offset, let block, let what):
      return "refused \(place(offset, block)): \(what)"
    case .codecMissing(let offset, let block, let codec):
      return "codec \(codec) \(place(offset, block)) is unknown to this program; update rltrace"
    case .text(let line, let what):
      return "line \(line): \(what)"
    case .system(let operation, let code):
      return "\(operation): \(String(cString: strerror(code)))"
    case .invalidInput(let what), .nameTaken(let what), .busy(let what):
      return what
    }
  }
}

extension TraceFormatError {
  /// The problem alone, without its place or the advice.
  package var reason: String {
    switch self {
    case .truncated: "cut short"
    case .damaged(_, _, let what), .limit(_, _, let what): what
    default: description
    }
  }
}
