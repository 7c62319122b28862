import RunLoopVocabulary

/// Limits on what a text may hold. Each is far above what run loops have, and is said where it is hit.
public enum TopologyLimits {
  /// Of the text in which dumps are looked for.
  public static let textBytes = 1 << 24
  public static let dumps = 1 << 10
  public static let modes = 1 << 12
  /// Of all modes, and of the common modes.
  public static let items = 1 << 14
  /// Of one item's description.
  public static let itemBytes = 1 << 16
  /// Of a context's description.
  public static let contextBytes = 1 << 10
  /// Of a name that a field has.
  public static let nameBytes = 1 << 12
  /// Of what a field is called, and of what stands before the entries of a collection.
  public static let headBytes = 1 << 8

  /// All of them.
  public static let all = [
    Limit("textBytes", textBytes, of: "bytes of text", refusing: "text"),
    Limit("dumps", dumps, of: "run loops described in it", beyond: "not looked for"),
    Limit("modes", modes, of: "modes of a run loop, and common modes", refusing: "description"),
    Limit("items", items, of: "items of all modes, each as often as it is in one", refusing: "description"),
    Limit("itemBytes", itemBytes, of: "bytes that describe an item", refusing: "description"),
    Limit("contextBytes", contextBytes, of: "bytes of an item's context", beyond: "cut"),
    Limit("nameBytes", nameBytes, of: "bytes of a name", beyond: "taken for no name"),
    Limit(
      "headBytes", headBytes, of: "bytes of what a field or a collection is called", refusing: "description"),
  ]
}
