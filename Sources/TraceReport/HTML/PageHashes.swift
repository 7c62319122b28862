/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "cHuEJ450xB9hWZbrXEKFBSLXqYcABGH+ApE00Mmgh7g="
  static let style = "NDvklR5eapXswF9tzmvusnFw4SbYkgZWv6fbd1zFw+g="
}
