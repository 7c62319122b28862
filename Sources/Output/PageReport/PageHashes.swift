/// The SHA-256 hashes of the page's script and style, for its content security policy. `tools/generate` writes them;
/// a test compares them with the output of sha256sum.
enum PageHashes {
  static let script = "5nKkc99hREbGcCj+L4XKhzOWqTLgPGgw+r8ftzuwnns="
  static let style = "+eg/Mib30/5+52hFHefWE68otbhL7aJmFjxGfTLLojM="
}
