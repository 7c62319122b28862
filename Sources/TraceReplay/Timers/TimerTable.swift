import TraceFormat

/// What held at the moment when a point came due.
struct HeldAtDue {
  var cause = Cause.scheduler
  /// Of the clock, and the mode id.
  var column = 0
  var mode: ModeID = .outside
  /// The loop's clock.
  var since = LaneClock.Reading()
}

/// A timer that lives.
struct FollowedTimer {
  var object: ObjectID
  var name: StringID
  var site: StringID
  var toleranceNs: UInt64 = 0
  var schedule: TimerSchedule
  var membership = TimerMembership()
  var loop = -1
  /// The neighbouring timers of its loop, in the order in which they came; -1 = none.
  var nextOfLoop = -1
  var previousOfLoop = -1
  var classIndex = -1
  var isCounted = false
  /// When the timer last entered a first mode; never: it is in none.
  var cameAt = Moment.never
  /// Whether the timer counts among the live timers of its class.
  var isLive = false
  /// Was created in the recording; else only its fires are known.
  var isKnown = true
  /// Which gap of which thread it was first added in: what is added before that thread goes on makes up its class.
  var firstGap: UInt64 = 0
  /// Of the point in force. `since` moves on when its membership changes: what held before is in `booked`.
  var atDue = HeldAtDue()
  var booked = BookedLateness()
  /// When its membership changed last while overdue: who ran before was not in its way, or was in another mode's.
  var bookedUntil: Moment = .origin
  /// The clock when the tolerance was used up.
  var toleranceEnd: LaneClock.Reading?
  /// Grid points passed behind the one in force, and what held at the first of them.
  var tallies: UInt64 = 0
  var atNext = HeldAtDue()
  /// The point that its last callout answered, and whether no event had put that point in force.
  var answeredNs = Int64.min
  var isAhead = false
  /// The point in force came due before the analyzed window.
  var isBeforeWindow = false
  /// Heap entries of another version are stale.
  var version: UInt32 = 0
  /// Which timer of this place it is: its membership changes whatever becomes of its due points.
  var life: UInt32 = 0
}

/// The timers that live, found by the slot of their object id.
///
/// Raw storage: a fire touches its timer some ten times.
struct TimerTable: ~Copyable {
  private var storage = Rows<FollowedTimer>(capacity: 64)
  private var free: [Int] = []
  /// By slot; -1 = none.
  private var indexes = Rows<Int32>(repeating: -1, count: 1024)
  private var slotCount = 1024
  /// Timers beyond the limit.
  private(set) var refused: UInt64 = 0

  var count: Int { storage.count }

  subscript(index: Int) -> FollowedTimer {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(storage.pointer(index)) }
    @inline(__always) unsafeMutableAddress { unsafe storage.pointer(index) }
  }

  /// The timer that has an object's slot, of whatever generation.
  @inline(__always)
  func indexOfSlot(_ object: ObjectID) -> Int? {
    let slot = Int(object.slot)
    guard slot < slotCount, indexes[slot] >= 0 else { return nil }
    return Int(indexes[slot])
  }

  /// The timer with an object id.
  @inline(__always)
  func find(_ object: ObjectID) -> Int? {
    guard let index = indexOfSlot(object), storage[index].object == object else { return nil }
    return index
  }

  /// Whether a place is that of a timer which somebody finds.
  func isFound(_ index: Int) -> Bool { find(storage[index].object) == index }

  /// Takes a timer in. Nil, and counted, when it has no id or too many live.
  @discardableResult
  mutating func place(_ timer: FollowedTimer) -> Int? {
    guard timer.object != .none, storage.count - free.count < AnalysisLimits.liveTimers else {
      refused += 1
      return nil
    }
    let slot = Int(timer.object.slot)
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
      index = storage.count
      if index == storage.capacity { storage.grow(to: index * 2) }
      storage.append(timer)
    }
    indexes[slot] = Int32(index)
    return index
  }

  /// The timer keeps its place, yet nobody finds it any more.
  mutating func detach(_ index: Int) {
    let slot = Int(storage[index].object.slot)
    if indexes[slot] == Int32(index) { indexes[slot] = -1 }
  }

  mutating func remove(_ index: Int) {
    detach(index)
    storage[index].version &+= 1
    storage[index].life &+= 1
    storage[index].schedule.leave()
    free.append(index)
  }

  private mutating func growSlots(beyond slot: Int) {
    let larger = max(slotCount * 2, slot + 1)
    indexes.grow(to: larger)
    indexes.fill(with: -1, to: larger)
    slotCount = larger
  }
}
