import ReportWriting
import SystemSupport
import TraceFormat
import TraceResults

/// The pipe behind standard output was closed by its reader.
struct OutputClosed: Error {}

/// Functions for standard output and standard error.
enum Terminal {
  /// The name of a file that stands for standard input or output.
  static let standardOutput = "-"

  static func isStandardOutput(_ path: String) -> Bool { path == standardOutput }

  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether to use colours: only on a terminal, and not when NO_COLOR is set (https://no-color.org).
  static var wantsColour: Bool {
    outputIsTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
      && (getenv("NO_COLOR").map { String(cString: $0) } ?? "").isEmpty
  }

  /// The number of characters in a line of standard output: that of the terminal, else COLUMNS, else a width that
  /// fits any screen.
  static var width: Int { knownWidth ?? TextStyle.usualWidth }

  static var knownWidth: Int? {
    var size = winsize()
    if outputIsTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 0
    return (1...10_000).contains(columns) ? columns : nil
  }

  static func style(isColoured: Bool) -> TextStyle { TextStyle(isColoured: isColoured, width: width) }

  /// Whether standard output is a regular file, so that its contents do not appear on the terminal.
  static var outputIsFile: Bool {
    var facts = stat()
    return fstat(STDOUT_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Writes all bytes to standard output. Returns the error's code; nil on success.
  static func writeOutput(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = write(STDOUT_FILENO, start, rest.count)
      if count < 0, errno != EINTR { return errno }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
    }
    return nil
  }

  /// Prints a text to standard output.
  static func print(_ text: String) throws {
    var out = OutputBuffer()
    try out.write(text)
    try out.flush()
  }

  static func print(lines: some Sequence<String>) throws { try print(lines.map { $0 + "\n" }.joined()) }

  /// Prints one line to standard error. Names of files and programs in it may hold control characters, so they are
  /// replaced.
  static func complain(_ message: String) { writeError("rltrace: \(harmless(message, limit: .max))\n") }

  static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}

/// Returns the size of a file in bytes; nil if it is not a regular file.
func sizeOfFile(_ path: String) -> UInt64? {
  var facts = stat()
  guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
  return UInt64(clamping: facts.st_size)
}

/// Returns whether a path names a folder.
func isFolder(_ path: String) -> Bool {
  var facts = stat()
  return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
}

/// Buffers standard output or a file. Throws when it cannot be written.
struct OutputBuffer {
  private var bytes: [UInt8] = []
  private let file: (any ByteSink)?

  /// `file`: nil = standard output.
  init(_ file: (any ByteSink)? = nil) { self.file = file }

  mutating func write(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= 1 << 16 { try flush() }
  }

  mutating func line(_ text: String) throws {
    try write(text)
    try write("\n")
  }

  mutating func flush() throws {
    if let file {
      do throws(TraceFormatError) { try file.write(bytes) } catch { throw Failure.writing("", error) }
    } else if let code = bytes.withUnsafeBytes(Terminal.writeOutput) {
      if code == EPIPE { throw OutputClosed() }
      throw Failure(
        status: .ioError, message: "cannot write standard output: \(String(cString: strerror(code)))")
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
