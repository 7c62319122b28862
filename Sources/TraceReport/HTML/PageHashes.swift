/// The SHA-256 hashes of the page's script and style, for its content security policy. `tools/generate` writes them;
/// a test compares them with the output of sha256sum.
enum PageHashes {
  static let script = "uo0qkKMq1rBuRtFzI2tRnM+arH5I2TAnCGyV2e6w9k0="
  static let style = "I1/24LUmZLRdAo4hgCf427XGiJD6jEpMdFBeyP3swM8="
}
