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

  static func isStandardInput(_ path: String) -> Bool { path == Output.standardOutput }

  /// Opens the file; `-` is standard input.
  static func open(_ path: String) throws(Failure) -> UnsafeMutablePointer<FILE> {
    FileUse.read(path, as: "text")
    guard let file = isStandardInput(path) ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "r") else {
      throw Failure(
        status: .noInput, file: path, message: "cannot open: \(String(cString: strerror(errno)))")
    }
    do throws(Failure) { try check(path, file) } catch {
      fclose(file)
      throw error
    }
    return file
  }

  /// Throws for a folder and for a trace, which users give by mistake.
  private static func check(_ path: String, _ file: UnsafeMutablePointer<FILE>) throws(Failure) {
    var facts = stat()
    guard fstat(fileno(file), &facts) == 0 else { return }
    if facts.st_mode & S_IFMT == S_IFDIR {
      throw Failure(status: .noInput, file: path, message: "a folder; name a file")
    }
    if !isStandardInput(path), TraceFile.isTrace(path) {
      throw Failure(
        status: .badData, file: path,
        message: "a trace, where a text is expected; `rltrace analyze` reads traces")
    }
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
