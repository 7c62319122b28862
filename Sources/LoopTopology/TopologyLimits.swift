/// Limits on what a text may hold. Each is far above what run loops have, and is said where it is hit.
public enum TopologyLimits {
  /// Of the text in which dumps are looked for.
  public static let textBytes = 1 << 26
  public static let dumps = 1 << 10
  public static let modes = 1 << 12
  public static let itemsPerCollection = 1 << 16
  /// Of one item's description.
  package static let itemBytes = 1 << 16
  /// Of a context's description; the rest is left out.
  package static let contextBytes = 1 << 10
  /// Of a name that a field has.
  package static let nameBytes = 1 << 12
  /// Of what a field is called, and of what stands before the entries of a collection.
  package static let headBytes = 1 << 8
}
