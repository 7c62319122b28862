import TraceFormat

/// The lines of a text file or of standard input, in bounded memory (the longest line).
final class LineReader {
  private let file: UnsafeMutablePointer<FILE>
  private var buffer: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  private(set) var bytesRead = 0

  static var lastError: String { String(cString: strerror(errno)) }

  /// `-` is standard input. Nil when the file cannot be opened; `lastError` says why.
  init?(path: String) {
    guard let file = path == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "r") else { return nil }
    self.file = file
  }

  deinit {
    free(buffer)
    fclose(file)
  }

  /// Why reading ended before the end of the file, nil when it did not.
  var failure: String? { ferror(file) != 0 ? LineReader.lastError : nil }

  /// The next line without its newline, nil at the end.
  func next() -> String? {
    var length = getline(&buffer, &capacity, file)
    guard length >= 0, let buffer else { return nil }
    bytesRead += length
    if length > 0, buffer[length - 1] == 0x0A { length -= 1 }
    return String(decoding: UnsafeRawBufferPointer(start: buffer, count: length), as: UTF8.self)
  }
}
