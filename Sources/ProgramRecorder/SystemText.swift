import TraceFormat

/// A text as the system has it: an argument, a variable, the name of a file. Its bytes need not be UTF-8, and are handed on
/// as they came.
public struct SystemText: Hashable, Sendable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  public init(_ text: String) { bytes = Array(text.utf8) }

  public init(cString: UnsafePointer<CChar>) {
    let characters = unsafe UnsafeBufferPointer(start: cString, count: Int(strlen(cString)))
    bytes = unsafe characters.map { UInt8(truncatingIfNeeded: $0) }
  }

  /// To be read by people: what is not UTF-8 is replaced.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public func ends(with text: String) -> Bool { bytes.suffix(text.utf8.count).elementsEqual(text.utf8) }

  /// With the zero behind it.
  var cString: [CChar] { bytes.map { CChar(truncatingIfNeeded: $0) } + [0] }

  /// Of a variable `NAME=VALUE` of this name.
  public func value(of name: String) -> SystemText? {
    let start = Array("\(name)=".utf8)
    return bytes.starts(with: start) ? SystemText(bytes: Array(bytes.dropFirst(start.count))) : nil
  }

  /// A path that is right in every folder.
  static func absolute(_ path: String) -> SystemText {
    guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return SystemText(path) }
    defer { unsafe free(folder) }
    return unsafe SystemText(bytes: SystemText(cString: folder).bytes + Array("/\(path)".utf8))
  }
}
