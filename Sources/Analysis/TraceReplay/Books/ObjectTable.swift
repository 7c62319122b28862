import TraceFormat

/// The state of a live object in a replay.
struct ObjectRow {
  var object: ObjectID = .none
  var name: StringID = .none
  /// When the object was created. For a block, when it was queued or, if later, when it first became eligible to run.
  /// Not adjusted for later suspensions; see `since`.
  var created: Moment = .origin
  /// For a source, the first signal that no callout has served. Not adjusted for later suspensions.
  var signalled = Moment.never
  /// For a source, when a callout began without a signal before it.
  var begunUnsignalled = Moment.never
  /// The rows in the callout table and in the source table, -1 = none yet.
  var calloutRow: Int32 = -1
  var sourceRow: Int32 = -1
  /// The kind of work that is queued and has not begun; nil for everything else.
  var queued: QueuedWorkKind?
  /// For a block of a loop, the mode that it may run in; `outside` = several modes, or not known.
  var mode = ModeID.outside
  /// For queued work, the loop.
  var loop = ObjectID.none
}

/// The live objects by slot. A slot's next generation replaces the previous one.
package final class ObjectTable {
  private struct Slots: ~Copyable {
    var rows = Rows(repeating: ObjectRow(), count: 1024)
    var count = 1024
    /// The number of slots up to the last one that ever had an object.
    var used = 0
  }

  /// Accessed by address, because every access to a class's variable is checked, and each callout accesses the slots.
  private let slots = Rows<Slots>(capacity: 1)

  private let stoodStill = Rows<SuspensionShift>(capacity: 1)

  init() {
    slots.append(Slots())
    stoodStill.append(SuspensionShift())
  }

  func define(_ object: ObjectID, name: StringID, at time: Moment) {
    let slot = Int(object.slot)
    guard object != .none else { return }
    if slot >= slots[0].count { grow(beyond: slot) }
    if slot >= slots[0].used { slots[0].used = slot + 1 }
    slots[0].rows[slot] = ObjectRow(object: object, name: name, created: time)
  }

  /// The last blocks that began before they were queued. Two threads' events in one time unit may come in either
  /// order.
  private var begunUnqueued: [(object: ObjectID, at: Moment)] = []
  private var nextUnqueued = 0
  private static let unqueuedKept = 16

  /// Notes that an unknown block begins.
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

  /// Notes a queued block, which may run from `time` on.
  func queue(
    _ object: ObjectID, _ kind: QueuedWorkKind, name: StringID, loop: LoopID, mode: ModeID, at time: Moment
  ) {
    define(object, name: name, at: time)
    guard let row = row(object), !hasBegun(object, queuedAt: time) else { return }
    row.pointee.queued = kind
    row.pointee.loop = loop.object
    row.pointee.mode = mode
  }

  /// Blocks of loops that were released after a long wait without having run, up to a limit.
  private(set) var released: [(row: ObjectRow, at: Moment)] = []
  private(set) var releasedOmitted: UInt64 = 0

  func forgetReleased() { (released, releasedOmitted) = ([], 0) }

  /// Notes that a queued block was released without having run. Blocks that waited at least `long` are kept.
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

  /// Notes that the object is gone. Its work no longer waits.
  func end(_ object: ObjectID) {
    guard let row = row(object) else { return }
    row.pointee.queued = nil
    row.pointee.signalled = .never
  }

  func forEachLiving(_ body: (ObjectRow) -> Void) {
    for slot in 0..<slots[0].used where slots[0].rows[slot].object != .none { body(slots[0].rows[slot]) }
  }

  private func grow(beyond slot: Int) {
    let larger = max(slots[0].count * 2, slot + 1)
    slots[0].rows.grow(to: larger)
    slots[0].rows.fill(with: ObjectRow(), to: larger)
    slots[0].count = larger
  }

  /// Notes that the process did not run from `from` to `to`. That time does not count as waiting for the loop.
  func suspend(from: Moment, to: Moment) { stoodStill[0].add(from: from, to: to) }

  /// Returns the start of a wait that began at `moment`, moved forward by the suspensions since then.
  @inline(__always)
  func since(_ moment: Moment) -> Moment { stoodStill[0].moved(moment) }

  /// The rows as they are until the next `define`, for looking up many objects.
  struct Living {
    fileprivate let first: RowAddress<ObjectRow>
    fileprivate let count: Int

    /// Returns the object's row, nil if the object was not defined.
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

  /// The names of loops, also of those whose slot another object has taken. Each has its own row in the results.
  private var loopNames: [ObjectID: StringID] = [:]

  /// The kinds of event loops and pools.
  private var loopKinds: [ObjectID: LoopKind] = [:]

  func defineLoop(_ object: ObjectID, name: StringID, kind: UInt64, at time: Moment) {
    define(object, name: name, at: time)
    guard loopNames.count < AnalysisLimits.loops || loopNames[object] != nil else { return }
    loopNames[object] = name
    let kind = LoopKind(rawValue: kind)
    loopKinds[object] = kind == .runLoop ? nil : kind
  }

  /// Returns the kind of a loop. A kind that this version does not know counts as a run loop.
  package func kind(of loop: LoopID) -> LoopKind {
    loopKinds.isEmpty ? .runLoop : loopKinds[loop.object] ?? .runLoop
  }

  /// The loops that the recording defines, in the order of their numbers.
  var loops: [LoopID] { loopNames.keys.sorted { $0.rawValue < $1.rawValue }.map { LoopID($0) } }

  /// Returns the string id of a loop's name, `none` if it has none.
  package func name(of loop: LoopID) -> StringID { loopNames[loop.object] ?? name(of: loop.object) }

  /// Returns the string id of an object's name, `none` if it has none.
  package func name(of object: ObjectID) -> StringID { row(object)?.pointee.name ?? .none }
}
