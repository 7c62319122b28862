import SystemSupport

/// A text of the operating system: an argument, a variable, a file name. Its bytes need not be UTF-8 and are passed
/// on unchanged.
package struct SystemText: Hashable, Sendable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  package init(_ text: String) { bytes = Array(text.utf8) }

  package init(cString: UnsafePointer<CChar>) {
    let characters = unsafe UnsafeBufferPointer(start: cString, count: Int(strlen(cString)))
    bytes = unsafe characters.map { UInt8(truncatingIfNeeded: $0) }
  }

  /// The text for display, with bytes that are not UTF-8 replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package var isUTF8: Bool { text.utf8.elementsEqual(bytes) }

  /// The bytes with a terminating zero.
  var cString: [CChar] { bytes.map { CChar(truncatingIfNeeded: $0) } + [0] }

  /// Returns the value if the text is a variable `NAME=VALUE` of this name, otherwise nil.
  package func value(of name: String) -> SystemText? {
    let start = Array("\(name)=".utf8)
    return bytes.starts(with: start) ? SystemText(bytes: Array(bytes.dropFirst(start.count))) : nil
  }

  /// Returns a path that is valid in every folder.
  static func absolute(_ path: String) -> SystemText {
    guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return SystemText(path) }
    defer { unsafe free(folder) }
    return unsafe SystemText(bytes: SystemText(cString: folder).bytes + Array("/\(path)".utf8))
  }
}
