import TraceFormat

enum TimerStatus { case unscheduled, scheduled, overdue, firing }

/// A timer that lives, and where it stands on its grid.
struct FollowedTimer {
  var object: UInt32
  var name: UInt32
  var site: UInt32
  var intervalNs: Int64
  var toleranceNs: Int64 = 0
  var modes = ModeSet()
  var isCommon = false
  /// Was taken out of single common modes; it still joins modes that become common.
  var joinsCommonModes = false
  var loop = -1
  var classIndex = -1
  var isCounted = false
  /// Was created in the recording; else only its fires are known.
  var isKnown = true
  var status = TimerStatus.unscheduled
  /// The due point in force, and the next grid point behind it while overdue or firing.
  var pointNs: Int64
  var gridNs: Int64 = 0
  /// The point in force will be skipped whatever happens.
  var isPointDropped = false
  /// When it entered a first mode, nil in none: due points count from then on.
  var addedAt: UInt64?
  /// Which gap of which thread it was first added in: what is added before that thread goes on makes up its class.
  var firstGap: UInt64 = 0
  var causeAtDue = Cause.scheduler
  var columnAtDue = 0
  var modeAtDue: UInt8 = 0
  /// The loop's clock when the point became due, or when its membership changed last; what held before stands in
  /// `booked`.
  var overdueSince = LaneClock.Reading()
  var booked = BookedLateness()
  /// When its membership changed last while overdue: who ran before was not in its way, or was in another mode's.
  var bookedUntil: UInt64 = 0
  /// The clock when the tolerance was used up.
  var toleranceEnd: LaneClock.Reading?
  /// Its own callout moved the point in force; it is honoured, even when it passes meanwhile.
  var isMovedWhileFiring = false
  /// On its loop's thread, in its callout: then the old grid ended with the point that fired.
  var isMovedByItself = false
  /// Where the old grid stood then: the loop goes back to it if the date is moved once more, to the past.
  var gridBeforeMove: Int64 = 0
  var firedNs: Int64 = 0
  var isDueWhileFiring = false
  /// Grid points passed behind the one in force, and what held at the first of them.
  var tallies: UInt64 = 0
  var nextCause = Cause.scheduler
  var nextColumn = 0
  var nextMode: UInt8 = 0
  var nextSince = LaneClock.Reading()
  /// Became due before the analyzed window.
  var isBeforeWindow = false
  /// Heap entries of another version are stale.
  var version: UInt32 = 0
  /// Which timer of this place it is: its membership changes whatever becomes of its due points.
  var life: UInt32 = 0

  /// The point that fired, while it fires.
  var pointBeforeMove: Int64 { isMovedWhileFiring ? firedNs : pointNs }

  /// A due point has passed, and nothing has answered it.
  var isOverdue: Bool { status == .overdue || isDueWhileFiring }
}

/// The timers that live, found by the slot of their object id.
///
/// Raw storage: a fire touches its timer some ten times.
struct TimerTable: ~Copyable {
  private var storage: UnsafeMutablePointer<FollowedTimer>
  private(set) var count = 0
  private var capacity = 64
  private var free: [Int] = []
  /// By slot; -1 = none.
  private var indexes: UnsafeMutablePointer<Int32>
  private var slotCount = 1024
  /// Timers beyond the limit.
  private(set) var refused: UInt64 = 0

  init() {
    // SAFETY: timers are indexed below `count`, slots below `slotCount`; `place` grows both with their storage.
    storage = .allocate(capacity: capacity)
    indexes = .allocate(capacity: slotCount)
    indexes.initialize(repeating: -1, count: slotCount)
  }

  deinit {
    storage.deinitialize(count: count)
    storage.deallocate()
    indexes.deallocate()
  }

  subscript(index: Int) -> FollowedTimer {
    @inline(__always) unsafeAddress { UnsafePointer(storage + index) }
    @inline(__always) unsafeMutableAddress { storage + index }
  }

  /// The timer that has an object's slot, of whatever generation.
  @inline(__always)
  func indexOfSlot(_ object: UInt32) -> Int? {
    let slot = Int(ObjectID.slot(object))
    guard slot < slotCount, indexes[slot] >= 0 else { return nil }
    return Int(indexes[slot])
  }

  /// The timer with an object id.
  @inline(__always)
  func find(_ object: UInt32) -> Int? {
    guard let index = indexOfSlot(object), storage[index].object == object else { return nil }
    return index
  }

  /// Takes a timer in. Nil, and counted, when it has no id or too many live.
  @discardableResult
  mutating func place(_ timer: FollowedTimer) -> Int? {
    guard timer.object != 0, count - free.count < AnalysisLimits.liveTimers else {
      refused += 1
      return nil
    }
    let slot = Int(ObjectID.slot(timer.object))
    if slot >= slotCount { growSlots(beyond: slot) }
    if indexes[slot] >= 0 { remove(Int(indexes[slot])) }
    let index: Int
    if let used = free.popLast() {
      let version = storage[used].version
      let life = storage[used].life
      storage[used] = timer
      storage[used].life = life
      // Moments of its former owner are stale.
      storage[used].version = version &+ 1
      index = used
    } else {
      if count == capacity { growStorage() }
      index = count
      (storage + index).initialize(to: timer)
      count += 1
    }
    indexes[slot] = Int32(index)
    return index
  }

  /// The timer keeps its place, yet nobody finds it any more.
  mutating func detach(_ index: Int) {
    let slot = Int(ObjectID.slot(storage[index].object))
    if indexes[slot] == Int32(index) { indexes[slot] = -1 }
  }

  mutating func remove(_ index: Int) {
    detach(index)
    storage[index].version &+= 1
    storage[index].life &+= 1
    storage[index].status = .unscheduled
    free.append(index)
  }

  private mutating func growStorage() {
    let larger = UnsafeMutablePointer<FollowedTimer>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: storage, count: count)
    storage.deallocate()
    storage = larger
    capacity *= 2
  }

  private mutating func growSlots(beyond slot: Int) {
    let larger = max(slotCount * 2, slot + 1)
    let moved = UnsafeMutablePointer<Int32>.allocate(capacity: larger)
    moved.initialize(repeating: -1, count: larger)
    moved.update(from: indexes, count: slotCount)
    indexes.deallocate()
    indexes = moved
    slotCount = larger
  }
}
