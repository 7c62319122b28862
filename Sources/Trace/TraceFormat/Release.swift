/// The version of rltrace: of the tool and of the libraries.
package enum Release {
  /// The semantic version.
  package static let version = "0.1.0"

  /// Returns the version of a part of rltrace, as it is printed and stored in traces: `rltrace 0.1.0 (trace format 1.2)`.
  package static func of(_ part: String) -> String {
    "\(part) \(version) (trace format \(FileHeader.version))"
  }
}

/// A trace of a later minor version than this reader knows. The reader skips what the later version added.
package struct NewerFormat: Equatable, Sendable {
  /// The minor version of the trace.
  package let minor: UInt16
  /// The program that wrote the trace, with its version, as the trace states it; nil = the trace does not state it.
  package let writer: String?

  /// Characters of the writer. Beyond: cut.
  static let writerLimit = 80
}

extension NewerFormat: CustomStringConvertible {
  /// The format, its writer and the remedy, as a sentence without a full stop. The name of the writer is from the
  /// file.
  package var description: String {
    "trace format \(FileHeader.major).\(minor)" + (writer.map { ", written by \($0)" } ?? "")
      + "; this rltrace reads up to \(FileHeader.version) and skips what is newer: update rltrace"
  }
}
