import TraceFormat

/// A set of mode ids.
struct ModeSet: Hashable {
  private var bits = SIMD4<UInt64>()

  mutating func insert(_ mode: UInt8) { bits[Int(mode >> 6)] |= 1 << UInt64(mode & 63) }
  mutating func remove(_ mode: UInt8) { bits[Int(mode >> 6)] &= ~(1 << UInt64(mode & 63)) }
  mutating func formUnion(_ other: ModeSet) { bits |= other.bits }

  func contains(_ mode: UInt8) -> Bool { bits[Int(mode >> 6)] & 1 << UInt64(mode & 63) != 0 }

  var modes: [UInt8] { (0...255).filter { contains($0) } }
}

/// What makes two timers one class: creation site (the name where there is none), interval and modes.
struct TimerClassKey: Hashable {
  var site: UInt32
  var name: UInt32
  /// Of a timer that was created before the recording: nothing but its id is known.
  var anonymousObject: UInt32 = 0
  var intervalNs: UInt64
  var modes: ModeSet
  var isCommon: Bool
  var loop: Int
}

/// What the due points of one timer class add up to, in time units.
struct TimerClass {
  let key: TimerClassKey
  let name: UInt32
  var objects: UInt64 = 0
  var fired: UInt64 = 0
  var manual: UInt64 = 0
  /// Fires whose due point the recording does not hold.
  var firedWithoutDue: UInt64 = 0
  var early: UInt64 = 0
  var withdrawn: UInt64 = 0
  var pending: UInt64 = 0
  var pendingOverdue: UInt64 = 0
  var skippedBy = SIMD8<UInt64>()
  var wrongModeBy = ModeClock.Reading()
  var overdueBy = ModeClock.Reading()
  var lateness = DurationCounts()

  init(key: TimerClassKey, name: UInt32) {
    self.key = key
    self.name = name
  }

  var skipped: UInt64 { skippedBy.wrappedSum() }

  mutating func skip(_ count: UInt64, _ cause: Cause, column: Int) {
    skippedBy[cause.rawValue] &+= count
    if cause == .wrongMode { wrongModeBy[column] &+= count }
  }

  mutating func unskip(_ cause: Cause, column: Int) {
    skippedBy[cause.rawValue] &-= 1
    if cause == .wrongMode { wrongModeBy[column] &-= 1 }
  }
}

/// The classes, at most `AnalysisLimits.timerClasses`; later ones share the row `other`.
final class TimerClassTable {
  let classes: UnsafeMutablePointer<TimerClass>
  private(set) var count = 0
  private var indexOfKey: [TimerClassKey: Int] = [:]
  private(set) var sharedRow: Int?

  init() {
    // SAFETY: `index` hands out at most timerClasses + 1 rows; they live as long as the table.
    classes = .allocate(capacity: AnalysisLimits.timerClasses + 1)
  }

  deinit {
    for i in 0..<count { classes[i].lateness.deallocate() }
    classes.deinitialize(count: count)
    classes.deallocate()
  }

  func index(_ key: TimerClassKey, name: UInt32) -> Int {
    if let known = indexOfKey[key] { return known }
    if let sharedRow { return sharedRow }
    (classes + count).initialize(to: TimerClass(key: key, name: name))
    count += 1
    if count > AnalysisLimits.timerClasses {
      sharedRow = count - 1
      return count - 1
    }
    indexOfKey[key] = count - 1
    return count - 1
  }

  func reset() {
    for i in 0..<count {
      var fresh = TimerClass(key: classes[i].key, name: classes[i].name)
      classes[i].lateness.deallocate()
      swap(&classes[i], &fresh)
    }
  }
}
