import LoopTopology

/// What a run loop held at a moment, as the recorder wrote it down.
public struct TopologySnapshot: Sendable {
  public var loop: String = ""
  public var timeNs: UInt64 = 0
  public var reason = SnapshotReason.start
  /// The loop may hold items that the recorder did not see added.
  public var hasUnseenItems: Bool = false
  /// Nothing of it was lost, or left out.
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
  /// Added to the common modes.
  public var isCommon: Bool = false
  /// That have it.
  public var snapshots: Int = 0
  /// The first snapshot that has it; nil = the loop's first one, so it was there before.
  public var addedNs: UInt64?
  /// The first whole snapshot behind the last one that has it; nil = it stayed.
  public var goneNs: UInt64?
  package init() {}
}

/// The calls for runs of one mode that returned, by why they did.
public struct RunsResult: Sendable {
  public var loop: String = ""
  public var mode: String = ""
  public var thread: UInt32 = 0
  public var returns: [RunResult: UInt64] = [:]
  public var calls: UInt64 { returns.values.reduce(0, &+) }
  /// Those that came back at once, without a run: nothing was in the mode.
  public var empty: UInt64 = 0
  package init() {}
}
