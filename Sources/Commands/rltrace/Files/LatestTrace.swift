import ProgramRecorder
import SystemSupport
import TraceFormat
import TraceRecorder

/// The trace in the current folder that was written last.
enum LatestTrace {
  /// Returns the trace for `analyze` without a file.
  static func inFolder() throws(Failure) -> String {
    let names = Files.neighbours(of: "").names.filter { $0.hasSuffix(SpoolName.traceSuffix) }
    guard let latest = latest(of: names) else {
      throw Failure(
        status: .noInput,
        message:
          "no trace (NAME\(SpoolName.traceSuffix)) in this folder; record one with `rltrace record COMMAND`, "
          + "or name the trace: rltrace analyze FILE")
    }
    return latest
  }

  /// Returns the trace among files that was written last; nil if none is a trace. If the file system reports the same
  /// time for several, the last name is the latest.
  static func latest(of names: some Sequence<String>) -> String? {
    let found = names.compactMap { name -> (time: timespec, name: String)? in
      var status = stat()
      guard TraceFile.isTrace(name), stat(name, &status) == 0 else { return nil }
      #if canImport(Darwin)
      return (status.st_mtimespec, name)
      #else
      return (status.st_mtim, name)
      #endif
    }
    return found.max { one, other in
      (one.time.tv_sec, one.time.tv_nsec, one.name) < (other.time.tv_sec, other.time.tv_nsec, other.name)
    }?.name
  }
}
