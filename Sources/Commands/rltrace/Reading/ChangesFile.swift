import CheckedYAML

/// Reads the file of `what-if --changes`: the key `changes` with a list of texts as for `--do`.
enum ChangesFile {
  static func read(_ path: String) throws(Failure) -> [String] { try TextFile.load(path, texts) }

  private static func texts(_ text: String) throws(TextFileError) -> [String] {
    let root = try YAMLDocument.root(of: text)
    var fields = try Fields(root, "a list of changes")
    let list = try fields.required("changes")
    guard let nodes = list.sequence, !nodes.isEmpty else {
      throw TextFileError(list, "expected a list of changes, such as '- timer refresh in common'")
    }
    var texts: [String] = []
    for node in nodes { texts.append(try node.text()) }
    try fields.end()
    return texts
  }
}
