/// Limits on the contents of a text. Each is far above what run loops have. Messages state the limit that was
/// exceeded.
package enum TopologyLimits {
  /// Bytes of text. Beyond: text refused.
  package static let textBytes = 1 << 24
  /// Descriptions of run loops in a text. Beyond: not read.
  package static let dumps = 1 << 10
  /// Modes of a run loop, and common modes. Beyond: description refused.
  package static let modes = 1 << 12
  /// Items of all modes, counted in each. Beyond: description refused.
  package static let items = 1 << 14
  /// Bytes that describe an item. Beyond: description refused.
  package static let itemBytes = 1 << 16
  /// Bytes of an item's context. Beyond: cut.
  package static let contextBytes = 1 << 10
  /// Bytes of a name. Beyond: not read as a name.
  package static let nameBytes = 1 << 12
  /// Bytes of the name of a field or a collection. Beyond: description refused.
  package static let headBytes = 1 << 8
}
