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

  /// One line of error.
  static func complain(_ message: String) { writeError("rltrace: \(message)\n") }

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
    var done = 0
    while done < bytes.count {
      #if canImport(Glibc)
      let count = bytes.withUnsafeBytes {
        Glibc.write(STDOUT_FILENO, $0.baseAddress! + done, bytes.count - done)
      }
      #else
      let count = bytes.withUnsafeBytes {
        Darwin.write(STDOUT_FILENO, $0.baseAddress! + done, bytes.count - done)
      }
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { throw OutputClosed() }
        throw Failure(
          status: .ioError, message: "cannot write standard output: \(String(cString: strerror(errno)))")
      }
      done += count
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
