/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "M0NoLcSm2Og+VIZK+PndMOzX+d1Tsr9rCp10LeHzfIg="
  static let style = "HWuUBRbN0dFqLEprv91zKh2kD8cspXLOlJHFrkOd+JY="
}
