import TraceAnalysis

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The pipe behind standard output was closed by its reader.
struct OutputClosed: Error {}

/// Standard output and error.
enum Terminal {
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Colours on a terminal only, and not when NO_COLOR is set (https://no-color.org).
  static var wantsColour: Bool {
    outputIsTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
      && (getenv("NO_COLOR").map { String(cString: $0) } ?? "").isEmpty
  }

  /// Writes all of it to standard output. Returns the error's code, nil when it went well.
  static func writeOutput(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = write(STDOUT_FILENO, start, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// One line of error.
  static func complain(_ message: String) { writeError("rltrace: \(message)\n") }

  /// Where something was written beside standard output.
  static func wrote(_ path: String) { writeError("wrote \(harmless(path, limit: 200))\n") }

  static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}

/// Standard output, buffered; tells when it cannot be written.
struct OutputBuffer {
  private var bytes: [UInt8] = []

  mutating func write(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= 1 << 16 { try flush() }
  }

  mutating func line(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
    if bytes.count >= 1 << 16 { try flush() }
  }

  mutating func flush() throws {
    if let code = bytes.withUnsafeBytes(Terminal.writeOutput) {
      if code == EPIPE { throw OutputClosed() }
      throw Failure(
        status: .ioError, message: "cannot write standard output: \(String(cString: strerror(code)))")
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
