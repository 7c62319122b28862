/// The SHA-256 hashes of the page's script and style, for its content security policy. `tools/generate` writes them;
/// a test compares them with the output of sha256sum.
enum PageHashes {
  static let script = "8yJJEXSX5gattBM37aQQ1sZBBGL2lDphZRao93d7S9s="
  static let style = "ohrKVMkv44Csj1P05pOSU7UPzgeGA+Ly1/h3l0lcOyQ="
}
