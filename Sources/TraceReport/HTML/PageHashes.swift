/// SHA-256 of what the page may run and be styled with, as its content security policy has them. A test compares them
/// with sha256sum's; with RLTRACE_UPDATE_GOLDEN=1 it writes this file anew.
enum PageHashes {
  static let script = ""
  static let style = ""
}
