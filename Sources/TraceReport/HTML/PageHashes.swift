/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "vJeB6pgmmrbpEfbVvSFHTGA2/Hq+Daa9NkP0qQX5VNA="
  static let style = "w0RqvPtrUk5QSSWcYq7ibkcyQl/HvpOuTSS2sy4Xp0E="
}
