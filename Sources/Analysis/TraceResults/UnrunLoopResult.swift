import RunLoopVocabulary

/// A run loop to which the program added items, and that never ran in the recording.
package struct UnrunLoopResult: Sendable {
  package struct Item: Sendable, Equatable {
    package var kind: LoopItemKind
    package var name: String

    package init(kind: LoopItemKind, name: String) {
      self.kind = kind
      self.name = name
    }
  }

  package var loop = ""
  /// The items that were in its modes when the recording or its thread ended, at least one.
  package var items: [Item] = []
  /// When the first of them was added, and the time from there to the end, without suspension.
  package var boundNs: UInt64 = 0
  package var waitedNs: UInt64 = 0
  /// When the loop's thread ended; nil = it did not.
  package var endedNs: UInt64?
  package init() {}

  /// Whether the loop or the system would have called an item without an event of the recording. The recording shows
  /// the signals of source0s and the due points of timers.
  package var hasUnseenCalls: Bool { items.contains { $0.kind == .observer || $0.kind == .source1 } }
}
