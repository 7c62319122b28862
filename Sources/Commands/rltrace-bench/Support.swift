import ArgumentParser
import CRLTraceShims
import Foundation
import TraceFormat
import TraceRecorder

/// Returns the CPU time in nanoseconds that `body` takes on the calling thread.
func threadCPUNs(_ body: () throws -> Void) rethrows -> UInt64 {
  let start = rlt_thread_cpu_ns()
  try body()
  return rlt_thread_cpu_ns() - start
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// Prints one JSON object on one line: integers as they are, costs with three decimals.
func printJSON(_ fields: KeyValuePairs<String, any Numeric>) {
  let pairs = fields.map { name, value in
    "\"\(name)\": " + ((value as? Double).map { String(format: "%.3f", $0) } ?? "\(value)")
  }
  print("{" + pairs.joined(separator: ", ") + "}")
}

/// Calls `record` with the path of a trace, which is removed afterwards.
func withTemporaryTrace(_ record: (_ path: String) throws -> Void) throws {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("rltrace-bench-\(UUID().uuidString).rltrace").path
  defer { try? FileManager.default.removeItem(atPath: path) }
  do {
    try record(path)
  } catch let error as TraceFormatError {
    throw failure(73, "\(error)")
  } catch let error as RecordingError {
    throw failure(70, "\(error)")
  }
}

/// Writes one line to standard error and returns the exit status as an error.
func failure(_ status: Int32, _ message: String) -> ExitCode {
  FileHandle.standardError.write(Data("rltrace-bench: \(message)\n".utf8))
  return ExitCode(status)
}
