/// The SHA-256 hashes of the page's script and style, for its content security policy. `tools/generate` writes them;
/// a test compares them with the output of sha256sum.
enum PageHashes {
  static let script = "58E5L41yNCsnIXAF+bm0o0+lerjr0vY4Azko3SSoTBA="
  static let style = "F88WO7UIM2Eru1NW2TEE2ehvGYJfZ9Vw0Z+xB3n1Twk="
}
