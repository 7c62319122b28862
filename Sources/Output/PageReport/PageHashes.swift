/// The SHA-256 hashes of the page's script and style, for its content security policy. `tools/generate` writes them;
/// a test compares them with the output of sha256sum.
enum PageHashes {
  static let script = "esPx/U8fT5DrZrIAvMaWhfANkN4w/V8EhU/GgXWtGoY="
  static let style = "+eg/Mib30/5+52hFHefWE68otbhL7aJmFjxGfTLLojM="
}
