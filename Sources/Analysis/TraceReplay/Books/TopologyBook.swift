import TraceFormat

/// The snapshots of what run loops hold, as the recorder wrote them.
///
/// A snapshot is a sequence of events of one thread. A snapshot without an end or with missing items is kept and
/// counts as incomplete.
package final class TopologyBook {
  package struct Mode {
    package var mode: ModeID
    package var isCommon: Bool
    /// Nothing was ever added to the mode, so the loop does not have it yet.
    package var isNone: Bool
  }

  package struct Item {
    package var object: ObjectID
    package var kind: LoopItemKind
    package var name: StringID
    package var order: Int64
    package var address: UInt64
    package var activities: UInt64
    package var repeats: Bool
    package var intervalNs: UInt64
    package var toleranceNs: UInt64
    /// For a timer, in time units; nil = not known.
    package var due: Int64?
    /// In the order of the events. kCFRunLoopCommonModes means the common items.
    package var modes: [ModeID]
  }

  package struct Snapshot {
    package var time: Moment
    package var loop: LoopID
    package var reason: SnapshotReason
    package var address: UInt64
    /// The mode of the innermost run.
    package var current: ModeID
    /// The loop may hold items that the recorder did not see.
    package var hasUnseen: Bool
    package fileprivate(set) var modes: [Mode] = []
    package fileprivate(set) var items: [Item] = []
    package fileprivate(set) var isWhole = false
    fileprivate var places: [ObjectID: Int] = [:]
    fileprivate var memberships: UInt64 = 0

    /// Adds an item, or one more mode of a known item. Returns false if the event does not describe an item.
    fileprivate mutating func add(
      _ object: ObjectID, _ mode: ModeID, _ arguments: [UInt64], _ name: StringID
    ) -> Bool {
      typealias Argument = EventKind.TopologyItem
      if let place = places[object] {
        items[place].modes.append(mode)
      } else if arguments.count > Argument.toleranceNs,
        let kind = LoopItemKind(rawValue: arguments[Argument.kind])
      {
        places[object] = items.count
        items.append(
          Item(
            object: object, kind: kind, name: name, order: Int64(bitPattern: arguments[Argument.order]),
            address: arguments[Argument.address], activities: arguments[Argument.activities],
            repeats: arguments[Argument.repeats] != 0, intervalNs: arguments[Argument.intervalNs],
            toleranceNs: arguments[Argument.toleranceNs],
            due: arguments.count > Argument.due ? Int64(bitPattern: arguments[Argument.due]) : nil,
            modes: [mode]))
      } else {
        return false
      }
      memberships += 1
      return true
    }
  }

  /// In the order in which they ended.
  package private(set) var snapshots: [Snapshot] = []
  /// The number of snapshots beyond the limit.
  package private(set) var omitted: UInt64 = 0
  /// The unfinished snapshots, by lane.
  private var open: [Int: Snapshot] = [:]
  /// The number of memberships in all snapshots.
  private var items = 0

  func begin(
    lane: Int, _ loop: LoopID, _ current: ModeID, at time: Moment, reason: UInt64, address: UInt64,
    hasUnseen: Bool
  ) {
    finish(lane: lane)
    guard let reason = SnapshotReason(rawValue: reason) else { return }
    open[lane] = Snapshot(
      time: time, loop: loop, reason: reason, address: address, current: current, hasUnseen: hasUnseen)
  }

  /// Adds a mode. `state` is as in the event table.
  func mode(lane: Int, _ mode: ModeID, state: UInt64) {
    guard open[lane].map({ $0.modes.count < 256 }) == true else { return }
    open[lane]?.modes.append(Mode(mode: mode, isCommon: state & 1 != 0, isNone: state & 2 != 0))
  }

  /// Adds an item. `arguments` are as in the event table; if there are none, a known item is in one more mode.
  func item(lane: Int, _ object: ObjectID, _ mode: ModeID, _ arguments: [UInt64], name: StringID) {
    // If an item is left out, the count at the end does not match.
    guard var snapshot = open.removeValue(forKey: lane) else { return }
    if items < AnalysisLimits.topologyItems, snapshot.add(object, mode, arguments, name) { items += 1 }
    open[lane] = snapshot
  }

  func end(lane: Int, items: UInt64, omitted: UInt64) {
    guard let memberships = open[lane]?.memberships else { return }
    open[lane]?.isWhole = memberships == items && omitted == 0
    finish(lane: lane)
  }

  private func finish(lane: Int) {
    guard let snapshot = open.removeValue(forKey: lane) else { return }
    if snapshots.count < AnalysisLimits.topologySnapshots {
      snapshots.append(snapshot)
    } else {
      omitted &+= 1
    }
  }

  func finish() {
    for lane in open.keys.ordered() { finish(lane: lane) }
  }
}
