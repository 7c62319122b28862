import RunLoopVocabulary
import TraceFormat

/// What is known of an object that lives.
struct ObjectRow {
  var object: ObjectID = .none
  /// String id.
  var name: StringID = .none
  /// When it was made: of a block, when it was queued, or from when on it may run. As of that moment, see `since`.
  var created: Moment = .origin
  /// Of a source: the first signal that no callout has answered. As of that moment.
  var signalled = Moment.never
  /// Of a source: a callout began without a signal before it.
  var begunUnsignalled = Moment.never
  /// Rows of the tables of callouts and of sources; -1 = none yet.
  var calloutRow: Int32 = -1
  var sourceRow: Int32 = -1
  /// Work that is queued and has not begun; nil for everything else.
  var queued: QueuedWorkKind?
  /// For a block of a loop, the mode that it may run in; `outside` = several modes, or not known.
  var mode = ModeID.outside
  /// For queued work: the loop.
  var loop = ObjectID.none
}

/// The objects that live, by slot. A slot's next generation replaces the one before.
package final class ObjectTable {
  private struct Slots: ~Copyable {
    var rows = Rows(repeating: ObjectRow(), count: 1024)
    var count = 1024
  }

  /// Behind an address: a class's variable is checked at each access, and this is touched at each callout.
  private let slots = Rows<Slots>(capacity: 1)

  private let stoodStill = Rows<StoodStill>(capacity: 1)

  init() {
    slots.append(Slots())
    stoodStill.append(StoodStill())
  }

  func define(_ object: ObjectID, name: StringID, at time: Moment) {
    let slot = Int(object.slot)
    guard object != .none else { return }
    if slot >= slots[0].count { grow(beyond: slot) }
    slots[0].rows[slot] = ObjectRow(object: object, name: name, created: time)
  }

  /// The last blocks that began before they were queued: of two threads' events in one time unit, either may come first.
  private var begunUnqueued: [(object: ObjectID, at: Moment)] = []
  private var nextUnqueued = 0
  private static let unqueuedKept = 16

  /// A block begins that is not known.
  @inline(never)
  func beginUnqueued(_ object: ObjectID, at time: Moment) {
    if begunUnqueued.count < ObjectTable.unqueuedKept {
      begunUnqueued.append((object, time))
    } else {
      begunUnqueued[nextUnqueued] = (object, time)
      nextUnqueued = (nextUnqueued + 1) % ObjectTable.unqueuedKept
    }
  }

  private func hasBegun(_ object: ObjectID, queuedAt time: Moment) -> Bool {
    begunUnqueued.contains { $0.object == object && time <= $0.at &+ .unit }
  }

  /// A block is queued. It may run from `time` on.
  func queue(
    _ object: ObjectID, _ kind: QueuedWorkKind, name: StringID, loop: LoopID, mode: ModeID, at time: Moment
  ) {
    define(object, name: name, at: time)
    guard let row = row(object), !hasBegun(object, queuedAt: time) else { return }
    row.pointee.queued = kind
    row.pointee.loop = loop.object
    row.pointee.mode = mode
  }

  /// Blocks of loops that were released after a long wait without having run. The first ones.
  private(set) var released: [(row: ObjectRow, at: Moment)] = []
  private(set) var releasedOmitted: UInt64 = 0

  func forgetReleased() { (released, releasedOmitted) = ([], 0) }

  /// A queued block is released without having run. `long`: the block is kept from this wait on.
  func discard(_ object: ObjectID, at time: Moment, long: Length) {
    guard let row = row(object) else { return }
    if row.pointee.queued == .block, time.since(since(row.pointee.created)) >= long {
      if released.count < AnalysisLimits.unservedRows {
        released.append((row.pointee, time))
      } else {
        releasedOmitted &+= 1
      }
    }
    end(object)
  }

  /// The object is gone: none of its work waits any more.
  func end(_ object: ObjectID) {
    guard let row = row(object) else { return }
    row.pointee.queued = nil
    row.pointee.signalled = .never
  }

  func forEachLiving(_ body: (ObjectRow) -> Void) {
    for slot in 0..<slots[0].count where slots[0].rows[slot].object != .none { body(slots[0].rows[slot]) }
  }

  private func grow(beyond slot: Int) {
    let larger = max(slots[0].count * 2, slot + 1)
    slots[0].rows.grow(to: larger)
    slots[0].rows.fill(with: ObjectRow(), to: larger)
    slots[0].count = larger
  }

  /// Nothing ran from `from` to `to`: what waited then waited so much less for the loop.
  func suspend(from: Moment, to: Moment) { stoodStill[0].add(from: from, to: to) }

  /// Since when something has waited for the loop, that began to wait at `moment`.
  @inline(__always)
  func since(_ moment: Moment) -> Moment { stoodStill[0].moved(moment) }

  /// The rows as they are until the next `define`, for whoever looks up many.
  struct Living {
    fileprivate let first: RowAddress<ObjectRow>
    fileprivate let count: Int

    /// The object's row, nil when it was not defined.
    @inline(__always)
    func row(_ object: ObjectID) -> RowAddress<ObjectRow>? {
      let slot = Int(object.slot)
      guard slot < count, object != .none else { return nil }
      let row = first.advanced(by: slot)
      return row.pointee.object == object ? row : nil
    }
  }

  @inline(__always)
  var living: Living { Living(first: slots[0].rows.address(0), count: slots[0].count) }

  @inline(__always)
  func row(_ object: ObjectID) -> RowAddress<ObjectRow>? { living.row(object) }

  /// The string id of an object's name, 0 when it has none.
  package func name(of object: ObjectID) -> StringID { row(object)?.pointee.name ?? .none }
}
