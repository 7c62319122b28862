/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "6MY9LJ98YDhalqtpH8eGYJl0kcYfI4MRjGOsgBiWuvY="
  static let style = "+givmmj8Fv2mqFpbF0zTnuL/V3lTauTFqsvt5H40xow="
}
