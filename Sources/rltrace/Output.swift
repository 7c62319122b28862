import TraceAnalysis
import TraceFormat

/// Where a command writes what it was asked for: a file, or standard output for `-`.
enum Output {
  static let standardOutput = "-"

  static func isStandardOutput(_ path: String) -> Bool { path == standardOutput }

  /// A sink for a trace. Bytes are not for a terminal's eyes.
  static func binary(_ path: String) throws(Failure) -> any ByteSink {
    if isStandardOutput(path), Terminal.outputIsTerminal {
      throw Failure(
        status: .usage,
        message: "a trace is not text for a terminal; send standard output elsewhere, or give -o FILE"
      )
    }
    return try sink(path)
  }

  static func sink(_ path: String, isDurable: Bool = true) throws(Failure) -> any ByteSink {
    if isStandardOutput(path) { return StandardOutput() }
    do throws(TraceFormatError) { return try FileSink(path: path, isDurable: isDurable) } catch {
      throw .writing(path, error)
    }
  }

  /// As messages name it.
  static func name(_ path: String) -> String { isStandardOutput(path) ? "standard output" : path }

  /// Says where something was written, on standard error; who reads standard output knows.
  static func say(wrote path: String) {
    guard !isStandardOutput(path) else { return }
    Terminal.complain(
      "wrote \(harmless(path, limit: 200))" + (sizeOfFile(path).map { ", " + Units.bytes($0) } ?? ""))
  }
}

/// Standard output as a sink: what was written is there.
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
