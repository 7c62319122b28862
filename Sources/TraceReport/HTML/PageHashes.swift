/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "7eMQaCjyB/cVlSjDkKODAGkRv85AdGAFHG0l9fE0px0="
  static let style = "59Rnxf4/QFNJJhJIpTpjT3dPCezKgxdi2dn4ufJa8lI="
}
