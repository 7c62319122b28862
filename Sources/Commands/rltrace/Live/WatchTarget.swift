import Foundation
import TraceFormat
import TraceRecorder

/// The recording that a word on the command line means.
struct WatchTarget {
  let spool: String
  let trace: String

  init(spool: String, trace: String) {
    self.spool = spool
    self.trace = trace
  }

  static func find(_ word: String) throws(Failure) -> WatchTarget {
    if let process = Int32(word), process > 0, access(word, F_OK) != 0 { return try find(process: process) }
    let name = SpoolSearch.recording(word)
    let spool = name.hasSuffix(SpoolName.spoolSuffix) ? name : SpoolName.path(trace: name)
    guard access(spool, F_OK) == 0 else {
      if let trace = SpoolSearch.trace(named: name) {
        throw Failure(
          status: .noInput,
          message: "\(word): \(trace) is not being recorded; `rltrace analyze \(trace)` analyzes it")
      }
      throw Failure(
        status: .noInput,
        message: "\(word): no recording of this name is under way: \(spool) does not exist")
    }
    return try WatchTarget(spool: spool, of: word)
  }

  private init(spool: String, of word: String) throws(Failure) {
    guard let trace = SpoolSearch.trace(of: spool) else {
      throw Failure(status: .noInput, message: "\(word): the name does not end in .rltrace.spool")
    }
    self.spool = spool
    self.trace = trace
  }

  /// Finds the spool that a process has mapped: the recorded program, or its recorder.
  private static func find(process: Int32) throws(Failure) -> WatchTarget {
    let suffix = SpoolName.traceSuffix + SpoolName.spoolSuffix
    let maps: String
    do {
      maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    } catch {
      throw Failure(
        status: .noInput,
        message: kill(process, 0) == 0 || errno == EPERM
          ? "cannot read which files process \(process) uses: \(String(cString: strerror(EACCES)))"
          : "process \(process) is not running")
    }
    for line in maps.split(separator: "\n") where line.hasSuffix(suffix) {
      guard let start = line.firstIndex(of: "/") else { continue }
      return try WatchTarget(spool: String(line[start...]), of: "process \(process)")
    }
    throw Failure(
      status: .noInput,
      message: "process \(process) is not being recorded; start it with `rltrace record`")
  }
}
