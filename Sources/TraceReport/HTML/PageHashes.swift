/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "8yJJEXSX5gattBM37aQQ1sZBBGL2lDphZRao93d7S9s="
  static let style = "ohrKVMkv44Csj1P05pOSU7UPzgeGA+Ly1/h3l0lcOyQ="
}
