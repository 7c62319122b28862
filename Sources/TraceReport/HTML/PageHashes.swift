/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "2zRnFnaqPgU9p2UMy7gyzUeYcKZ3YayrYHK+2Xy+6HM="
  static let style = "ohrKVMkv44Csj1P05pOSU7UPzgeGA+Ly1/h3l0lcOyQ="
}
