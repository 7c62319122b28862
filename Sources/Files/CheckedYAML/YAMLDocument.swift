import Yams

/// Parses YAML from users, which is untrusted input.
package enum YAMLDocument {
  /// Returns the root of the text's only document.
  package static func root(of text: String) throws(TextFileError) -> Node {
    guard text.utf8.count <= YAMLLimits.bytes else {
      throw TextFileError(line: 0, what: "more than \(YAMLLimits.bytes) bytes of text")
    }
    let root: Node?
    // Some editors write a byte-order mark.
    let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    do { root = try Yams.compose(yaml: text) } catch { throw TextFileError(yaml: error) }
    guard let root else { throw TextFileError(line: 0, what: "the file is empty") }
    return root
  }
}
