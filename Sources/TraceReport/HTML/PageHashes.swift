/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "PZKcDxZf0mSZbVX2p2I6GmdfmJxIklemfgOICOodlMY="
  static let style = "50o86sXk/nvecLFEHQuS2ttN8Cr1p4HPpd7unb6YFQI="
}
