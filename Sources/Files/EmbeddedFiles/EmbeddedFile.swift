import CRLTraceFiles

/// A text file that is part of the program: a template, style or script of a page, a scenario, rules for
/// causes, or a reference page.
package enum EmbeddedFile {
  /// Returns the text of a file that Sources/Files/CRLTraceFiles/files.c lists. Any other name is a programming error.
  package static func text(_ name: String) -> String {
    guard let text = find(name) else { preconditionFailure("files.c does not list \(name)") }
    return text
  }

  static func find(_ name: String) -> String? {
    guard let file = unsafe rlt_file_named(name) else { return nil }
    // SAFETY: the bytes are constants of the program.
    return unsafe String(
      decoding: UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count), as: UTF8.self)
  }
}
