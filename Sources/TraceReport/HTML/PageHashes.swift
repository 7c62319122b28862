/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "fhEhEckaxIK6cVMx6PaQqoHOk5+coY0eZR8W9cbOYYQ="
  static let style = "w0RqvPtrUk5QSSWcYq7ibkcyQl/HvpOuTSS2sy4Xp0E="
}
