/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "jK/iSPRzNAeUFb7CI0IZ6zjezkHxuYHdad2SDUfxR8I="
  static let style = "2hVx6HZqCf+7l5m83YBuEd/302I9xTNdoQNr4WsSLig="
}
