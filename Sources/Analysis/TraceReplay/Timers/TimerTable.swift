import TraceFormat

/// The state at the moment when a point came due.
struct HeldAtDue {
  var cause = Cause.scheduler
  /// The column of the clock, and the mode id.
  var column = 0
  var mode: ModeID = .outside
  /// The reading of the loop's clock.
  var since = LaneClock.Reading()
}

/// A live timer.
struct FollowedTimer {
  var object: ObjectID
  var name: StringID
  var site: StringID
  var toleranceNs: UInt64 = 0
  var schedule: TimerSchedule
  var membership = ModeMembership()
  var loop = -1
  /// The neighbours in its loop's list, in order of addition; -1 = none.
  var nextOfLoop = -1
  var previousOfLoop = -1
  var classIndex = -1
  var isCounted = false
  /// When the timer last went from no mode into a mode; `.never` = it is in no mode.
  var cameAt = Moment.never
  /// Whether the timer counts among the live timers of its class.
  var isLive = false
  /// Whether the timer was created in the recording. Otherwise only its fires are known.
  var isKnown = true
  /// The gap and thread in which the timer was first added. Modes added before that thread's next activity belong to
  /// its class.
  var firstGap: UInt64 = 0
  /// The state when the point in force came due. `since` advances at each change of modes; the time before is in
  /// `booked`.
  var atDue = HeldAtDue()
  var booked = BookedLateness()
  /// The time up to which the lateness has been booked. Callouts before that time are not named as blockers.
  var bookedUntil: Moment = .origin
  /// The clock's reading when the tolerance was used up.
  var toleranceEnd: LaneClock.Reading?
  /// The number of grid points that passed after the one in force, and the state at the first of them.
  var tallies: UInt64 = 0
  var missed = MissedInARow()
  var atNext = HeldAtDue()
  /// The point that its last callout answered, and whether no event had put that point in force.
  var answeredNs = Int64.min
  var isAhead = false
  /// The number of losses of events up to which the schedule is certain.
  var losses: UInt32 = 0
  /// The number of callouts outside any run before it was added to a loop. Its class is known then.
  var manualBefore: UInt64 = 0
  /// Whether the point in force came due before the analyzed window.
  var isBeforeWindow = false
  /// The place of its frames in the frame book; -1 = its frames are not followed.
  var frames = -1
  /// Heap entries of other versions are stale.
  var version: UInt32 = 0
  /// The number of the timer in this place. Unlike `version`, it does not change with the due points.
  var life: UInt32 = 0
}

/// The live timers, found by the slot of their object id.
///
/// Raw storage, because each fire accesses its timer about ten times.
struct TimerTable: ~Copyable {
  private var storage = Rows<FollowedTimer>(capacity: 64)
  private var free: [Int] = []
  /// Indexed by slot; -1 = none.
  private var indexes = Rows<Int32>(repeating: -1, count: 1024)
  private var slotCount = 1024
  /// The number of timers beyond the limit.
  private(set) var refused: UInt64 = 0

  var count: Int { storage.count }

  subscript(index: Int) -> FollowedTimer {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(storage.pointer(index)) }
    @inline(__always) unsafeMutableAddress { unsafe storage.pointer(index) }
  }

  /// Returns the timer that has an object's slot, of any generation.
  @inline(__always)
  func indexOfSlot(_ object: ObjectID) -> Int? {
    let slot = Int(object.slot)
    guard slot < slotCount, indexes[slot] >= 0 else { return nil }
    return Int(indexes[slot])
  }

  /// Returns the timer with an object id.
  @inline(__always)
  func find(_ object: ObjectID) -> Int? {
    guard let index = indexOfSlot(object), storage[index].object == object else { return nil }
    return index
  }

  /// Returns whether the timer in a place can be found by its object id.
  func isFound(_ index: Int) -> Bool { find(storage[index].object) == index }

  /// Adds a timer. Returns nil, and counts it, if it has no id or too many timers are live.
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
      // Moments of the previous timer are stale.
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

  /// Hides the timer from lookups. It keeps its place.
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
