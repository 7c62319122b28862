import LoopTopology
import RunLoopVocabulary

/// The contents of a run loop at one moment, as the recorder wrote them.
package struct TopologySnapshot: Sendable {
  package var loop: String = ""
  package var timeNs: UInt64 = 0
  package var reason = SnapshotReason.start
  /// Whether the loop may hold items that the recorder did not see added.
  package var hasUnseenItems: Bool = false
  /// Whether no part of the snapshot was lost or left out.
  package var isWhole: Bool = false
  package var topology = Topology(address: 0)
  package init() {}
}

/// A source, an observer or a timer in one mode of a loop, over all snapshots of that loop.
package struct InventoryItem: Sendable {
  package var loop: String = ""
  package var mode: String = ""
  package var item = LoopItem(.source, address: 0)
  /// Its object id in the trace.
  package var object: UInt32 = 0
  /// Whether it was added to the common modes.
  package var isCommon: Bool = false
  /// The number of snapshots that contain it.
  package var snapshots: Int = 0
  /// The time of the first snapshot that contains it; nil = the loop's first snapshot, so it was there before.
  package var addedNs: UInt64?
  /// The time of the first whole snapshot after the last one that contains it; nil = it stayed.
  package var goneNs: UInt64?
  package init() {}

  /// The name of its callout; empty = not known.
  package var name: String { item.callout?.name ?? "" }

  /// Whether it is an observer of an activity.
  package func observes(_ activity: Activity) -> Bool {
    item.kind == .observer && item.activities?.activities.contains(activity) ?? false
  }
}

/// The calls to run one mode that returned, by reason for returning.
package struct RunsResult: Sendable {
  package var loop: String = ""
  package var mode: String = ""
  package var thread: UInt32 = 0
  package var returns: [RunResult: UInt64] = [:]
  package var calls: UInt64 { returns.values.reduce(0, &+) }
  /// The calls that returned at once, without a run, because the mode had no items.
  package var empty: UInt64 = 0
  package init() {}
}
