import Yams

/// YAML that people write and programs must not trust.
package enum YAMLDocument {
  /// Longer texts are refused: a node takes a hundred times the bytes that it stands for.
  package static let byteLimit = 1 << 19

  /// The text's one document.
  package static func root(of text: String) throws(TextFileError) -> Node {
    guard text.utf8.count <= byteLimit else {
      throw TextFileError(line: 0, what: "more than \(byteLimit) bytes of text")
    }
    let root: Node?
    do { root = try Yams.compose(yaml: text) } catch { throw TextFileError(yaml: error) }
    guard let root else { throw TextFileError(line: 0, what: "the file is empty") }
    return root
  }
}
