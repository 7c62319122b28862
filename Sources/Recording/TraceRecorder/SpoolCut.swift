/// The reason why a part of a spool is lost, together with everything that was stored after the loss.
package enum SpoolCut: UInt64, Sendable {
  /// Another process truncated the file.
  case byTruncation = 1
  /// The disk had no room for what was stored.
  case byFullDisk

  /// Returns a phrase that says what happened to `spool`.
  package func text(_ spool: String) -> String {
    switch self {
    case .byTruncation: "another process truncated \(spool)"
    case .byFullDisk: "the disk had no room for \(spool)"
    }
  }
}
