import ArgumentParser
import SystemSupport
import TraceAnalysis
import TraceFormat
import TraceRecorder

/// The destination of a command's output: a file, or standard output for `-`.
enum Output {
  /// Throws if `-o` cannot name the trace of a recording or a recovery.
  static func refuseNameOfRecording(_ path: String) throws {
    if path.isEmpty { throw ValidationError("-o needs the name of a file") }
    if path.hasSuffix("/") { throw ValidationError("-o \(path) names a folder; name a file in it") }
    let suffixes = [FileSink.partSuffix, SpoolName.spoolSuffix, SpoolName.begunSuffix]
    guard let suffix = suffixes.first(where: { path.hasSuffix($0) }) else { return }
    throw ValidationError(
      "-o \(path): names that end in \(suffix) are for unfinished files; choose another name")
  }

  /// Returns a sink for a trace. Throws if it would write bytes to a terminal.
  static func binary(_ path: String) throws(Failure) -> any ByteSink {
    if Terminal.isStandardOutput(path), Terminal.outputIsTerminal {
      throw Failure(
        status: .usage,
        message: "a trace is not text for a terminal; redirect standard output, or give -o FILE"
      )
    }
    return try sink(path)
  }

  static func sink(_ path: String, isDurable: Bool = true) throws(Failure) -> any ByteSink {
    if Terminal.isStandardOutput(path) { return StandardOutput() }
    do throws(TraceFormatError) { return try file(path, isDurable: isDurable) } catch {
      throw .writing(path, error)
    }
  }

  /// Returns a file sink. If a signal ends the process early, the unfinished file is removed.
  static func file(_ path: String, isDurable: Bool) throws(TraceFormatError) -> FileSink {
    try FileUse.open(path)
    return try UnfinishedFiles.made { () throws(TraceFormatError) in
      try FileSink(path: path, isDurable: isDurable)
    }
  }

  /// Returns the error of a failed write to `path`. If the reader of a pipe closed it, this is not a failure.
  static func failure(_ path: String, _ error: TraceFormatError, kept spool: String? = nil) -> any Error {
    if Terminal.isStandardOutput(path), case .system(_, EPIPE) = error { return OutputClosed() }
    return Failure.writing(path, error, kept: spool)
  }

  /// Returns the name for messages.
  static func name(_ path: String) -> String { Terminal.isStandardOutput(path) ? "standard output" : path }

  /// Reports a written file on standard error; nothing for standard output.
  static func report(wrote path: String) {
    guard !Terminal.isStandardOutput(path) else { return }
    Terminal.complain(
      "wrote \(harmless(path, limit: 200))" + (sizeOfFile(path).map { ", " + Units.bytes($0) } ?? ""))
  }
}

/// Standard output as a sink. It cannot take back what was written.
final class StandardOutput: ByteSink {
  func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
    if let code = Terminal.writeOutput(bytes) {
      throw .system(what: "cannot write standard output", code: code)
    }
  }
  func commit() {}
  func discard() {}
  func leave() {}
}
