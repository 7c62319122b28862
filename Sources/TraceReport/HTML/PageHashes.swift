/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "3A1a7no0axxbwQEa1gKVXY9IwfJj0RMcucw1v6g/dbo="
  static let style = "B283HvJ1uIZ++4bkXMXEqzcP5sa47GDSl84eAy9/OGQ="
}
