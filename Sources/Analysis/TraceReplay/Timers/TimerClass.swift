import TraceFormat

/// Lateness by its causes, and by the column of the mode that ran meanwhile. Suspended and unknown time has no
/// column.
package struct BookedLateness {
  /// Indexed by `Cause.rawValue`.
  package var causes = CauseAmounts()
  package var byColumn = SIMD16<UInt64>()

  static func &+= (a: inout BookedLateness, b: BookedLateness) {
    a.causes &+= b.causes
    a.byColumn &+= b.byColumn
  }

  /// Adjusts the sum to `lateness`. A difference goes first to the cause and column at the due point, then to the
  /// others.
  mutating func fit(_ lateness: Length, cause: Cause, column: Int) {
    BookedLateness.fit(&causes, to: lateness, first: cause.rawValue)
    let inModes = lateness &- causes.length(.suspended) &- causes.length(.unknown)
    BookedLateness.fit(&byColumn, to: inModes, first: column)
  }

  private static func fit<V: SIMD>(_ values: inout V, to length: Length, first: Int)
  where V.Scalar == UInt64 {
    let target = length.rawValue
    let sum = values.wrappedSum()
    if sum <= target {
      values[first] &+= target &- sum
      return
    }
    var excess = sum &- target
    func trim(_ i: Int) {
      let part = min(excess, values[i])
      values[i] &-= part
      excess &-= part
    }
    trim(first)
    for i in values.indices where excess > 0 { trim(i) }
  }
}

/// The properties that define a timer class: creation site (or the name if there is none), interval, the modes at
/// creation, and loop.
package struct TimerClassKey: Hashable {
  package var site: StringID
  var name: StringID
  /// The timer's object if it was created before the recording: only its id is known.
  package var anonymousObject = ObjectID.none
  package var intervalNs: UInt64
  package var modes: ModeSet
  package var isCommon: Bool
  package var loop: Int
}

/// The totals for the due points of one timer class.
package struct TimerClass: ~Copyable {
  package let key: TimerClassKey
  /// The name of its first timer.
  package let name: StringID
  /// Further names of timers with the same site, the first few; and whether there were more.
  package fileprivate(set) var otherNames: [StringID] = []
  package fileprivate(set) var hasMoreNames = false
  package var objects: UInt64 = 0
  package var lives = ItemLivesBook()
  // The next two are adjacent, because such a fire updates both.
  /// The number of fires whose due point is not in the recording.
  package var firedWithoutDue: UInt64 = 0
  package var longestCallout: Length = .zero
  package var manual: UInt64 = 0
  package var early: UInt64 = 0
  package var withdrawn: UInt64 = 0
  package var pending: UInt64 = 0
  /// How long the pending point was overdue at the end; the longest time if several timers were overdue.
  package var longestPending: Length = .zero
  package var skips = Skips()
  package var longestMissed = LongestMissed()
  /// By cause, and by the mode that ran meanwhile.
  package var overdue = BookedLateness()
  /// The fires whose due point is in the recording.
  package var lateness = DurationCounts()
  /// The outcomes of points, by the column of the mode in which they came due.
  package var firedIn = SIMD16<UInt64>()
  package var withdrawnIn = SIMD16<UInt64>()
  package var pendingIn = SIMD16<UInt64>()
  package var worstIn = SIMD16<UInt64>()
  /// The time of callouts, by the column of the mode in which they ran.
  package var calloutIn = SIMD16<UInt64>()
  package var toleranceNs: UInt64 = 0

  /// The number of all fires, except manual ones.
  package var fired: UInt64 { lateness.count &+ firedWithoutDue }

  @inline(never)
  mutating func add(name other: StringID) {
    guard !otherNames.contains(other) else { return }
    if otherNames.count + 1 < AnalysisLimits.namesOfTimerClass {
      otherNames.append(other)
    } else {
      hasMoreNames = true
    }
  }

  @inline(__always)
  mutating func add(callout took: Length, column: Int) {
    calloutIn.add(took, at: column)
    if took > longestCallout { longestCallout = took }
  }

  /// Counts a fire whose point came due in the mode of a column. `booked`: the causes of its lateness.
  @inline(__always)
  mutating func fired(_ lateness: Length, _ booked: BookedLateness, in column: Int) {
    overdue &+= booked
    self.lateness.record(lateness)
    firedIn.add(1, at: column)
    worstIn[column] = max(worstIn[column], lateness.rawValue)
  }
}

/// The timer classes, at most `AnalysisLimits.timerClasses`. Later ones share the row `other`.
package final class TimerClassTable {
  package let rows = Rows<TimerClass>(capacity: AnalysisLimits.timerClasses + 1)
  private var byKey = LimitedIndex<TimerClassKey>(limit: AnalysisLimits.timerClasses)
  /// Counts frames; nil = no monitor does.
  package let rates: FrameRates?

  init(_ rates: FrameRates?) { self.rates = rates }

  package var sharedRow: Int? { byKey.isOverfull ? byKey.limit : nil }

  func index(_ key: TimerClassKey, name: StringID) -> Int {
    let row = byKey.row(of: key) { _ in rows.append(TimerClass(key: key, name: name)) }
    if rows[row].name != name, row != sharedRow { rows[row].add(name: name) }
    return row
  }

  func reset() {
    rates?.reset()
    for i in 0..<rows.count {
      var fresh = TimerClass(key: rows[i].key, name: rows[i].name)
      fresh.otherNames = rows[i].otherNames
      fresh.hasMoreNames = rows[i].hasMoreNames
      rows[i] = fresh
    }
  }
}
