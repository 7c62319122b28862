import TraceFormat

/// What is known of an object that lives.
struct ObjectRow {
  var object: UInt32 = 0
  /// String id.
  var name: UInt32 = 0
  /// When it was made: of a block, when it was queued, or from when on it may run.
  var created: UInt64 = 0
  /// Of a source: the first signal that no callout has answered.
  var signalled = ObjectRow.never
  /// Of a source: a callout began without a signal before it.
  var begunUnsignalled = ObjectRow.never
  /// Rows of the tables of callouts and of sources; -1 = none yet.
  var calloutRow: Int32 = -1
  var sourceRow: Int32 = -1

  static let never = UInt64.max
}

/// The objects that live, by slot. A slot's next generation replaces the one before.
package final class ObjectTable {
  private struct Storage {
    var rows: UnsafeMutablePointer<ObjectRow>
    var capacity: Int
  }

  /// Behind a pointer: a class's variable is checked at each access, and this is touched at each callout.
  private let storage: UnsafeMutablePointer<Storage>

  init() {
    // SAFETY: indexed by slots below `capacity`; `define` grows it.
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage(rows: .allocate(capacity: 1024), capacity: 1024))
    storage.pointee.rows.initialize(repeating: ObjectRow(), count: 1024)
  }

  deinit {
    storage.pointee.rows.deallocate()
    storage.deallocate()
  }

  func define(_ object: UInt32, name: UInt32, at time: UInt64 = 0) {
    let slot = Int(ObjectID.slot(object))
    guard object != 0 else { return }
    if slot >= storage.pointee.capacity { grow(beyond: slot) }
    storage.pointee.rows[slot] = ObjectRow(object: object, name: name, created: time)
  }

  private func grow(beyond slot: Int) {
    let old = storage.pointee
    let larger = max(old.capacity * 2, slot + 1)
    let moved = UnsafeMutablePointer<ObjectRow>.allocate(capacity: larger)
    moved.initialize(repeating: ObjectRow(), count: larger)
    moved.update(from: old.rows, count: old.capacity)
    old.rows.deallocate()
    storage.pointee = Storage(rows: moved, capacity: larger)
  }

  /// Nothing ran from `from` on for `length`: what waited then waited so much less for the loop.
  func suspend(from: UInt64, length: UInt64) {
    for slot in 0..<storage.pointee.capacity {
      let row = storage.pointee.rows + slot
      let created = row.pointee.created
      // What comes due meanwhile waits from the end on.
      row.pointee.created = created <= from ? created &+ length : max(created, from &+ length)
      if row.pointee.signalled <= from { row.pointee.signalled &+= length }
    }
  }

  /// The object's row, nil when it was not defined. Valid until the next `define`.
  @inline(__always)
  func row(_ object: UInt32) -> UnsafeMutablePointer<ObjectRow>? {
    let slot = Int(ObjectID.slot(object))
    guard slot < storage.pointee.capacity, object != 0 else { return nil }
    let row = storage.pointee.rows + slot
    return row.pointee.object == object ? row : nil
  }

  /// The string id of an object's name, 0 when it has none.
  package func name(of object: UInt32) -> UInt32 { row(object)?.pointee.name ?? 0 }
}
