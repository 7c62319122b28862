import RunLoopVocabulary
import TraceFormat

/// What run loops held, as the recorder wrote it down now and then.
///
/// A snapshot is a row of events of one thread. One that began and did not end, or of which items are missing, is kept and
/// counts as not whole.
package final class TopologyBook {
  package struct Mode {
    package var mode: ModeID
    package var isCommon: Bool
    /// Nothing was ever added to it, so the loop has no such mode yet.
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
    /// Of a timer, in time units; nil = not known.
    package var due: Int64?
    /// In the order of their events; kCFRunLoopCommonModes stands for the common items.
    package var modes: [ModeID]
  }

  package struct Snapshot {
    package var time: Moment
    package var loop: LoopID
    package var reason: SnapshotReason
    package var address: UInt64
    /// Of the innermost run.
    package var current: ModeID
    /// It may hold items that the recorder did not see.
    package var hasUnseen: Bool
    package fileprivate(set) var modes: [Mode] = []
    package fileprivate(set) var items: [Item] = []
    package fileprivate(set) var isWhole = false
    fileprivate var places: [ObjectID: Int] = [:]
    fileprivate var memberships: UInt64 = 0

    /// False for what no item can be made of.
    fileprivate mutating func add(
      _ object: ObjectID, _ mode: ModeID, _ arguments: [UInt64], _ name: StringID
    ) -> Bool {
      if let place = places[object] {
        items[place].modes.append(mode)
      } else if arguments.count >= 8, let kind = LoopItemKind(rawValue: arguments[0]) {
        places[object] = items.count
        items.append(
          Item(
            object: object, kind: kind, name: name, order: Int64(bitPattern: arguments[2]),
            address: arguments[3], activities: arguments[4], repeats: arguments[5] != 0,
            intervalNs: arguments[6], toleranceNs: arguments[7],
            due: arguments.count > 8 ? Int64(bitPattern: arguments[8]) : nil, modes: [mode]))
      } else {
        return false
      }
      memberships += 1
      return true
    }
  }

  /// In the order in which they ended.
  package private(set) var snapshots: [Snapshot] = []
  /// Beyond the limits.
  package private(set) var omitted: UInt64 = 0
  /// Under way, by lane.
  private var open: [Int: Snapshot] = [:]
  /// In the modes of all snapshots.
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

  /// `state` as in the event table.
  func mode(lane: Int, _ mode: ModeID, state: UInt64) {
    guard open[lane].map({ $0.modes.count < 256 }) == true else { return }
    open[lane]?.modes.append(Mode(mode: mode, isCommon: state & 1 != 0, isNone: state & 2 != 0))
  }

  /// `arguments` as in the event table; none = an item of before, in one more mode.
  func item(lane: Int, _ object: ObjectID, _ mode: ModeID, _ arguments: [UInt64], name: StringID) {
    // Where one is left out, the count at the end is another.
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
    for lane in open.keys.sorted() { finish(lane: lane) }
  }
}
