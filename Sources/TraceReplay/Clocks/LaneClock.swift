/// Where a thread's time goes, as counters that only grow: the difference of two readings says what held between two
/// moments, without a history.
///
/// Each instant counts once: as suspended, as unknown (events lost), or to the mode of the innermost run, and there as
/// busy (a callout or an observer runs) or not. Column 0 is "outside any run"; each mode gets a column of its own when
/// the thread first runs it, the last column stands for all beyond.
package struct LaneClock: ~Copyable {
  struct Reading {
    var running = SIMD16<UInt64>()
    /// The part of `running` in which a callout or observer ran.
    var busy = SIMD16<UInt64>()
    var suspended: UInt64 = 0
    var unknown: UInt64 = 0
    /// The moment; of a difference, the time between the two.
    var at: UInt64 = 0

    static func &- (a: Reading, b: Reading) -> Reading {
      Reading(
        running: a.running &- b.running, busy: a.busy &- b.busy, suspended: a.suspended &- b.suspended,
        unknown: a.unknown &- b.unknown, at: a.at &- b.at)
    }
  }

  /// Time in which the thread's state says nothing.
  enum Hole { case suspended, unknown }

  /// A stretch of busy time of one callout: who was in the way.
  struct Stretch {
    var begin: UInt64
    var end: UInt64
    var object: UInt32
    /// Of the callout's begin, or of the activity whose observers ran.
    var kind: UInt8
    var column: UInt8
  }

  package static let columns = AnalysisLimits.modeColumns
  static let otherColumn = columns - 1

  /// `running`, then `busy`.
  private let totals: UnsafeMutablePointer<SIMD16<UInt64>>
  private let words: UnsafeMutablePointer<UInt64>
  private var suspended: UInt64 = 0
  private var unknown: UInt64 = 0
  private var column = 0
  /// Of the innermost run, 0 outside any.
  private(set) var mode: UInt8 = 0
  private var since: UInt64 = 0
  private(set) var isBusy = false
  private var busySince: UInt64 = 0
  /// Who runs, while busy; else who ran last.
  private(set) var runningKind: UInt8 = 0
  private(set) var runningObject: UInt32 = 0
  private(set) var hole: Hole?
  /// By mode id; 0 = none yet.
  private let columnOfMode: UnsafeMutablePointer<UInt8>
  private(set) var modeOfColumn: [UInt8] = [0]
  private let stretches: UnsafeMutablePointer<Stretch>
  private var stretchCount = 0
  /// Shorter ones are counted, not remembered.
  private let namedStretch: UInt64

  init(namedStretch: UInt64) {
    self.namedStretch = max(namedStretch, 1)
    // SAFETY: indexed by columns below 16, mode ids below 256 and the ring's size only.
    totals = .allocate(capacity: 2)
    totals.initialize(repeating: SIMD16(), count: 2)
    words = UnsafeMutableRawPointer(totals).assumingMemoryBound(to: UInt64.self)
    columnOfMode = .allocate(capacity: 256)
    columnOfMode.initialize(repeating: 0, count: 256)
    stretches = .allocate(capacity: LaneClock.remembered)
  }

  deinit {
    totals.deallocate()
    columnOfMode.deallocate()
    stretches.deallocate()
  }

  private static let remembered = 64

  // MARK: Columns

  /// Nil for the column of other modes, and for one that this thread has not: a damaged trace may move a loop between
  /// threads, and with it what was read from another thread's clock.
  @inline(__always)
  func mode(ofColumn column: Int) -> UInt8? { column < modeOfColumn.count ? modeOfColumn[column] : nil }

  mutating func column(_ mode: UInt8) -> Int {
    if mode == 0 { return 0 }
    if columnOfMode[Int(mode)] == 0 {
      columnOfMode[Int(mode)] = UInt8(min(modeOfColumn.count, LaneClock.otherColumn))
      if modeOfColumn.count < LaneClock.otherColumn { modeOfColumn.append(mode) }
    }
    return Int(columnOfMode[Int(mode)])
  }

  /// The column in force.
  var currentColumn: Int { column }

  /// A run of the loop is active.
  var isInRun: Bool { column != 0 }

  // MARK: Changes

  /// The innermost run changes. Who runs is told by the next `turn`.
  mutating func change(to mode: UInt8, at time: UInt64) {
    turn(isBusy: isBusy, kind: runningKind, object: runningObject, at: time)
    words[column] &+= time &- since
    since = time
    column = self.column(mode)
    self.mode = mode
  }

  /// Busy time begins, ends, or passes from one callout to another.
  @inline(__always)
  mutating func turn(isBusy next: Bool, kind: UInt8, object: UInt32, at time: UInt64) {
    guard isBusy || next else { return }
    if isBusy {
      let length = time &- busySince
      words[LaneClock.columns &+ column] &+= length
      if length >= namedStretch { remember(time) }
    }
    isBusy = next
    busySince = time
    runningKind = kind
    runningObject = object
  }

  @inline(never)
  private mutating func remember(_ time: UInt64) {
    stretches[stretchCount & (LaneClock.remembered - 1)] = Stretch(
      begin: busySince, end: time, object: runningObject, kind: runningKind, column: UInt8(column))
    stretchCount &+= 1
  }

  mutating func beginHole(_ kind: Hole, at time: UInt64) {
    turn(isBusy: isBusy, kind: runningKind, object: runningObject, at: time)
    words[column] &+= time &- since
    since = time
    hole = kind
  }

  mutating func endHole(at time: UInt64) {
    if hole == .suspended { suspended &+= time &- since } else { unknown &+= time &- since }
    hole = nil
    since = time
    busySince = time
  }

  // MARK: Readings

  /// The reading at a moment not before the last change.
  func reading(at time: UInt64) -> Reading {
    var reading = Reading(
      running: totals[0], busy: totals[1], suspended: suspended, unknown: unknown, at: max(time, since))
    guard time > since else { return reading }
    let partial = time &- since
    switch hole {
    case .suspended: reading.suspended &+= partial
    case .unknown: reading.unknown &+= partial
    case nil:
      reading.running[column] &+= partial
      if isBusy, time > busySince { reading.busy[column] &+= time &- busySince }
    }
    return reading
  }

  /// The remembered busy stretches after `time`, newest first, and the one under way until `now`.
  func forEachStretch(since time: UInt64, until now: UInt64, _ body: (Stretch) -> Void) {
    if isBusy, now > busySince {
      body(
        Stretch(
          begin: max(busySince, time), end: now, object: runningObject, kind: runningKind,
          column: UInt8(column)))
    }
    var at = stretchCount
    let oldest = max(0, stretchCount - LaneClock.remembered)
    while at > oldest {
      at -= 1
      var stretch = stretches[at & (LaneClock.remembered - 1)]
      guard stretch.end > time else { return }
      stretch.begin = max(stretch.begin, time)
      body(stretch)
    }
  }

  mutating func reset(at time: UInt64) {
    totals.update(repeating: SIMD16(), count: 2)
    suspended = 0
    unknown = 0
    since = time
    busySince = time
  }
}

extension LaneClock.Reading {
  static func &+ (a: Self, b: Self) -> Self {
    Self(
      running: a.running &+ b.running, busy: a.busy &+ b.busy, suspended: a.suspended &+ b.suspended,
      unknown: a.unknown &+ b.unknown, at: a.at &+ b.at)
  }

  /// Of a difference: whether time can have passed like that. Each instant counts once, and busy time is part of
  /// running time, so no term is negative and none exceeds the whole. In a damaged trace two readings may be of two
  /// threads' clocks.
  var isPossible: Bool {
    let whole = SIMD16<UInt64>(repeating: at)
    guard at <= Int64.max, !any(running .> whole), !any(busy .> running), suspended <= at, unknown <= at
    else { return false }
    return running.wrappedSum() &+ suspended &+ unknown == at
  }

  /// As the clock would read so much later, in a state that does not change.
  mutating func advance(_ time: UInt64, _ hole: LaneClock.Hole?, _ column: Int, isBusy: Bool) {
    at &+= time
    switch hole {
    case .suspended: suspended &+= time
    case .unknown: unknown &+= time
    case nil:
      running.add(time, at: column)
      if isBusy { busy.add(time, at: column) }
    }
  }
}
