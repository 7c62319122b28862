import LoopTopology
import RunLoopVocabulary

/// The contents of a run loop at one moment, as the recorder wrote them.
public struct TopologySnapshot: Sendable {
  public var loop: String = ""
  public var timeNs: UInt64 = 0
  public var reason = SnapshotReason.start
  /// Whether the loop may hold items that the recorder did not see added.
  public var hasUnseenItems: Bool = false
  /// Whether no part of the snapshot was lost or left out.
  public var isWhole: Bool = false
  public var topology = Topology(address: 0)
  package init() {}
}

/// A source, an observer or a timer in one mode of a loop, over all snapshots of that loop.
public struct InventoryItem: Sendable {
  public var loop: String = ""
  public var mode: String = ""
  public var item = LoopItem(.source, address: 0)
  /// Its object id in the trace.
  public var object: UInt32 = 0
  /// Whether it was added to the common modes.
  public var isCommon: Bool = false
  /// The number of snapshots that contain it.
  public var snapshots: Int = 0
  /// The time of the first snapshot that contains it; nil = the loop's first snapshot, so it was there before.
  public var addedNs: UInt64?
  /// The time of the first whole snapshot after the last one that contains it; nil = it stayed.
  public var goneNs: UInt64?
  package init() {}

  /// The name of its callout; empty = not known.
  package var name: String { item.callout?.name ?? "" }

  /// Whether it is an observer of an activity.
  package func observes(_ activity: Activity) -> Bool {
    item.kind == .observer && item.activities?.activities.contains(activity) ?? false
  }
}

/// The calls to run one mode that returned, by reason for returning.
public struct RunsResult: Sendable {
  public var loop: String = ""
  public var mode: String = ""
  public var thread: UInt32 = 0
  public var returns: [RunResult: UInt64] = [:]
  public var calls: UInt64 { returns.values.reduce(0, &+) }
  /// The calls that returned at once, without a run, because the mode had no items.
  public var empty: UInt64 = 0
  package init() {}
}
