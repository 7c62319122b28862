import TraceFormat

/// A source, an observer or a timer in a mode of a loop.
package struct BoundItem {
  package var object: ObjectID
  package var kind: LoopItemKind
  package var name: StringID
  /// When it came into its first mode. For an observer, whose addition is not recorded: when the recording first
  /// mentions the loop.
  package var since: Moment
}
