import CheckedYAML
import Foundation
import TraceFormat
import TraceResults

/// Reads text files: scenarios and profiles that users write, and the output of programs.
enum TextFile {
  /// Returns whether a name is that of a file rather than of a library entry.
  static func isPath(_ name: String) -> Bool {
    name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  static func isStandardInput(_ path: String) -> Bool { path == Terminal.standardOutput }

  /// Opens the file; `-` is standard input. Devices other than terminals have no end, and a pipe without a writer never
  /// has data: both are refused.
  static func open(_ path: String) throws(Failure) -> UnsafeMutablePointer<FILE> {
    FileUse.read(path, as: "text")
    let descriptor = isStandardInput(path) ? dup(STDIN_FILENO) : openWithoutWaiting(path)
    guard descriptor >= 0 else {
      throw Failure(
        status: .noInput, file: path, message: "cannot open: \(String(cString: strerror(errno)))")
    }
    var first: UInt8?
    let problem = isStandardInput(path) ? nil : problemOfInput(descriptor, &first)
    guard problem == nil, let file = fdopen(descriptor, "r") else {
      let reason = problem ?? "cannot open: \(String(cString: strerror(errno)))"
      close(descriptor)
      throw Failure(status: .noInput, file: path, message: reason)
    }
    if !isStandardInput(path), TraceFile.isTrace(path) {
      fclose(file)
      throw Failure(
        status: .badData, file: path,
        message: "a trace, where a text is expected; `rltrace analyze` reads traces")
    }
    if let first { ungetc(Int32(first), file) }
    return file
  }

  /// Returns the bytes of a file; `-` is standard input. Returns at most one byte more than the limit, so that the
  /// caller can report a file that is too long.
  static func bytes(_ path: String, atMost limit: Int) throws(Failure) -> [UInt8] {
    let file = try open(path)
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = fread(&piece, 1, min(piece.count, limit + 1 - bytes.count), file)
      if count == 0 { break }
      bytes += piece[..<count]
    }
    guard ferror(file) == 0 else {
      throw Failure(status: .ioError, message: "\(path): cannot read: \(String(cString: strerror(errno)))")
    }
    return bytes
  }

  /// Returns the whole text.
  private static func read(_ path: String) throws(Failure) -> String {
    let bytes = try bytes(path, atMost: YAMLLimits.bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    // Invalid UTF-8 is replaced, so the decoded text differs from the bytes.
    guard text.utf8.elementsEqual(bytes) else {
      throw Failure(status: .badData, message: "\(path): not UTF-8 text")
    }
    return text
  }

  /// Returns the result of `reader` for the file `name`, or for `text` if it is given.
  static func load<Value>(
    _ name: String, text: String? = nil, _ reader: (String) throws(TextFileError) -> Value
  ) throws(Failure) -> Value {
    let text = if let text { text } else { try read(name) }
    do throws(TextFileError) {
      return try reader(text)
    } catch {
      throw Failure(
        status: .badData, message: "\(error.line > 0 ? "\(name):\(error.line)" : name): \(error.what)")
    }
  }

  /// Returns the failure for a name that is neither a library entry nor a file.
  static func unknown(_ what: String, _ name: String, known: [String]) -> Failure {
    Failure(
      status: .usage,
      message:
        "unknown \(what) '\(name)'\(KnownNames.hint(name, in: known, limit: .max)); "
        + "a file's name has a '/', or ends in .yaml or .yml"
    )
  }
}

/// Opens a file for reading. Opening a pipe does not wait for its writer.
private func openWithoutWaiting(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }

/// Returns the reason why an open file cannot be read to its end; nil if it can. Then its reads wait for data, and `first` is
/// the byte that was taken from a pipe.
private func problemOfInput(_ descriptor: Int32, _ first: inout UInt8?) -> String? {
  var facts = stat()
  guard fstat(descriptor, &facts) == 0 else { return "cannot read: \(String(cString: strerror(errno)))" }
  switch facts.st_mode & S_IFMT {
  case S_IFREG: return nil
  case S_IFDIR: return "a folder; name a file"
  case S_IFIFO:
    // A read returns 0 bytes without a writer, and fails while a writer has not written yet.
    var byte: UInt8 = 0
    let count = read(descriptor, &byte, 1)
    if count == 0 { return "no program writes to this pipe" }
    if count == 1 { first = byte }
  case S_IFCHR where isatty(descriptor) == 1: break
  default: return "is not a file, a pipe or a terminal"
  }
  let flags = fcntl(descriptor, F_GETFL)
  _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
  return nil
}
