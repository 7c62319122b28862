/// The SHA-256 hashes of the page's script and style, for its content security policy. `tools/generate` writes them;
/// a test compares them with the output of sha256sum.
enum PageHashes {
  static let script = "sbdFDXMDZ3a6888MMayoT5gRtjQOLTg98wst9asO2U0="
  static let style = "+eg/Mib30/5+52hFHefWE68otbhL7aJmFjxGfTLLojM="
}
