/// SHA-256 of what the page may run and be styled with, as its content security policy has them. A test compares them
/// with sha256sum's; with RLTRACE_UPDATE_GOLDEN=1 it writes this file anew.
enum PageHashes {
  static let script = "3NXoj3bBM9PUpz+jyj9ssnvWTz8gVu7D2PajfLr+b/I="
  static let style = "59Rnxf4/QFNJJhJIpTpjT3dPCezKgxdi2dn4ufJa8lI="
}
