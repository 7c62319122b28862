import RunLoopVocabulary

/// Limits on the contents of a text. Each is far above what run loops have. Messages state the limit that was
/// exceeded.
package enum TopologyLimits {
  /// Bytes of the text that is searched for dumps.
  package static let textBytes = 1 << 24
  package static let dumps = 1 << 10
  package static let modes = 1 << 12
  /// Items of all modes, and of the common modes.
  package static let items = 1 << 14
  /// Bytes of one item's description.
  package static let itemBytes = 1 << 16
  /// Bytes of a context's description.
  package static let contextBytes = 1 << 10
  /// Bytes of a name in a field.
  package static let nameBytes = 1 << 12
  /// Bytes of a field's key, and of the text before the entries of a collection.
  package static let headBytes = 1 << 8

  package static let all = [
    Limit("textBytes", textBytes, of: "bytes of text", refusing: "text"),
    Limit("dumps", dumps, of: "descriptions of run loops in a text", beyond: "not read"),
    Limit("modes", modes, of: "modes of a run loop, and common modes", refusing: "description"),
    Limit("items", items, of: "items of all modes, counted in each", refusing: "description"),
    Limit("itemBytes", itemBytes, of: "bytes that describe an item", refusing: "description"),
    Limit("contextBytes", contextBytes, of: "bytes of an item's context", beyond: "cut"),
    Limit("nameBytes", nameBytes, of: "bytes of a name", beyond: "not read as a name"),
    Limit(
      "headBytes", headBytes, of: "bytes of the name of a field or a collection", refusing: "description"),
  ]
}
