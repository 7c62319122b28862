import CheckedYAML
import Foundation
import TraceResults

/// Text files: those that people write, scenarios and profiles, and those that programs print.
enum TextFile {
  /// Whether a name stands for a file, not for one of the library.
  static func isPath(_ name: String) -> Bool {
    name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  static func isStandardInput(_ path: String) -> Bool { path == Output.standardOutput }

  /// `-` is standard input.
  static func open(_ path: String) throws(Failure) -> UnsafeMutablePointer<FILE> {
    FileUse.read(path, as: "text")
    guard let file = isStandardInput(path) ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "r") else {
      throw Failure(status: .noInput, message: "\(path): cannot open: \(String(cString: strerror(errno)))")
    }
    return file
  }

  /// All of a file, `-` is standard input; one byte more than the limit at most, so that a reader can say that it is
  /// too long.
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

  /// The text, read whole.
  private static func read(_ path: String) throws(Failure) -> String {
    let bytes = try bytes(path, atMost: YAMLLimits.bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    // What is no UTF-8 is replaced, and so does not come out as it went in.
    guard text.utf8.elementsEqual(bytes) else {
      throw Failure(status: .badData, message: "\(path): not UTF-8 text")
    }
    return text
  }

  /// What `reader` makes of the file `name`, or of `text`, where that is what the name stands for.
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

  /// A name that is none of the library's, and no file's.
  static func unknown(_ what: String, _ name: String, known: [String]) -> Failure {
    Failure(
      status: .usage,
      message:
        "unknown \(what) '\(name)'\(KnownNames.hint(name, in: known, limit: .max)); a file's name ends in .yaml"
    )
  }
}
