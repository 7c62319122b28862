import TraceFormat

/// Accounts for a thread's time with counters that only grow. The difference of two readings says how the time
/// between two moments was spent, without a history.
///
/// Each instant counts once: as suspended, as unknown (events lost), or to the mode of the innermost run, and there
/// as busy (a callout or an observer runs) or not. Column 0 means "outside any run". Each mode gets its own column
/// when the thread first runs it. Modes beyond the limit share the last column.
package struct LaneClock: ~Copyable {
  struct Reading {
    var running = SIMD16<UInt64>()
    /// The part of `running` in which a callout or observer ran.
    var busy = SIMD16<UInt64>()
    var suspended: Length = .zero
    var unknown: Length = .zero
    /// The time from the origin to the reading. For a difference, the time between the two readings.
    var elapsed = Length.zero

    static func &- (a: Reading, b: Reading) -> Reading {
      Reading(
        running: a.running &- b.running, busy: a.busy &- b.busy, suspended: a.suspended &- b.suspended,
        unknown: a.unknown &- b.unknown, elapsed: a.elapsed &- b.elapsed)
    }
  }

  /// Time in which the thread's state is not known.
  enum Hole { case suspended, unknown }

  /// A stretch of busy time of one callout, which may have delayed a timer.
  struct Stretch {
    var begin: Moment
    var end: Moment
    var object: ObjectID
    /// The kind of the callout's begin event, or the activity whose observers ran.
    var kind: EventKind
    var column: UInt8
  }

  package static let columns = AnalysisLimits.modeColumns
  static let otherColumn = columns - 1

  /// `running`, then `busy`. The third row is what `busy` was when the hole began: callouts in a hole do not count.
  private let totals = Rows(repeating: SIMD16<UInt64>(), count: 3)
  private var suspended: Length = .zero
  private var unknown: Length = .zero
  private var column = 0
  /// The mode of the innermost run; `outside` = outside any run.
  private(set) var mode: ModeID = .outside
  private var since: Moment = .origin
  private(set) var isBusy = false
  private var busySince: Moment = .origin
  /// The callout that runs while the thread is busy.
  private(set) var runningKind = EventKind(0)
  private(set) var runningObject = ObjectID.none
  private(set) var hole: Hole?
  /// Whether events of the thread were lost. Outside known runs, it may then be in one whose begin is among them.
  var mayMissRuns = false
  /// Indexed by mode id; 0 = no column yet.
  private let columnOfMode = Rows<UInt8>(repeating: 0, count: 256)
  private(set) var modeOfColumn = [ModeID.outside]
  private var stretches = Rows<Stretch>()
  private var stretchCount = 0
  /// Shorter stretches are counted, not remembered.
  private let namedStretch: Length
  /// The shortest callout that is named where it delayed a timer.
  static let namedStretchNs: UInt64 = 2_000

  init(namedStretch: Length) { self.namedStretch = max(namedStretch, .unit) }

  static let remembered = 64

  // MARK: Columns

  /// Returns the mode of a column. Returns nil for the column of other modes and for a column that this thread does
  /// not have. In a damaged trace, a loop may move to this thread with a reading of another thread's clock.
  @inline(__always)
  func mode(ofColumn column: Int) -> ModeID? { column < modeOfColumn.count ? modeOfColumn[column] : nil }

  mutating func column(_ mode: ModeID) -> Int {
    if mode == .outside { return 0 }
    let id = Int(mode.rawValue)
    if columnOfMode[id] == 0 {
      columnOfMode[id] = UInt8(min(modeOfColumn.count, LaneClock.otherColumn))
      if modeOfColumn.count < LaneClock.otherColumn { modeOfColumn.append(mode) }
    }
    return Int(columnOfMode[id])
  }

  var currentColumn: Int { column }

  /// Whether a run of a loop is active.
  var isInRun: Bool { column != 0 }

  // MARK: Changes

  /// Changes the mode of the innermost run. The next `turn` changes what runs.
  mutating func change(to mode: ModeID, at time: Moment) {
    turn(isBusy: isBusy, kind: runningKind, object: runningObject, at: time)
    totals[0].add(time &- since, at: column)
    since = time
    column = self.column(mode)
    self.mode = mode
  }

  /// Begins or ends busy time, or passes it from one callout to another.
  @inline(__always)
  mutating func turn(isBusy next: Bool, kind: EventKind, object: ObjectID, at time: Moment) {
    guard isBusy || next else { return }
    if isBusy {
      let length = time &- busySince
      totals[1].add(length, at: column)
      if remembers(length) { remember(runningKind, runningObject, from: busySince, to: time) }
    }
    isBusy = next
    busySince = time
    runningKind = kind
    runningObject = object
  }

  // The following functions add stretches that began and ended while the thread was idle.

  @inline(__always)
  mutating func add(busy length: Length) { totals[1].add(length, at: column) }

  /// Returns whether a stretch of this length is remembered.
  @inline(__always)
  func remembers(_ length: Length) -> Bool { length >= namedStretch }

  /// Remembers a stretch if it is long enough.
  mutating func ran(_ kind: EventKind, _ object: ObjectID, from begin: Moment, to end: Moment) {
    if remembers(end &- begin) { remember(kind, object, from: begin, to: end) }
  }

  @inline(never)
  private mutating func remember(_ kind: EventKind, _ object: ObjectID, from begin: Moment, to end: Moment) {
    guard hole == nil else { return }
    if stretches.isMissing { stretches = Rows(capacity: LaneClock.remembered) }
    stretches[stretchCount & (LaneClock.remembered - 1)] = Stretch(
      begin: begin, end: end, object: object, kind: kind, column: UInt8(column))
    stretchCount &+= 1
  }

  mutating func beginHole(_ kind: Hole, at time: Moment) {
    turn(isBusy: isBusy, kind: runningKind, object: runningObject, at: time)
    totals[0].add(time &- since, at: column)
    since = time
    hole = kind
    totals[2] = totals[1]
  }

  mutating func endHole(at time: Moment) {
    if hole == .suspended { suspended &+= time &- since } else { unknown &+= time &- since }
    hole = nil
    since = time
    busySince = time
    totals[1] = totals[2]
  }

  // MARK: Readings

  /// Returns the reading at a moment not before the last change.
  func reading(at time: Moment) -> Reading {
    var reading = Reading(
      running: totals[0], busy: totals[hole == nil ? 1 : 2], suspended: suspended, unknown: unknown,
      elapsed: max(time, since) &- .origin)
    guard time > since else { return reading }
    if lastStretchEnd > time { takeBack(&reading, since: time) }
    let partial = time &- since
    switch hole {
    case .suspended: reading.suspended &+= partial
    case .unknown: reading.unknown &+= partial
    case nil:
      reading.running.add(partial, at: column)
      if isBusy, time > busySince { reading.busy.add(time &- busySince, at: column) }
    }
    return reading
  }

  private var lastStretchEnd: Moment {
    stretchCount > 0 ? stretches[(stretchCount &- 1) & (LaneClock.remembered - 1)].end : .origin
  }

  /// Corrects a reading for an earlier moment: removes the callouts that ran since then.
  @inline(never)
  private func takeBack(_ reading: inout Reading, since time: Moment) {
    var ran = Length.zero
    for number in stride(from: stretchCount, to: max(0, stretchCount - LaneClock.remembered), by: -1) {
      let stretch = stretches[(number - 1) & (LaneClock.remembered - 1)]
      guard stretch.end > time, stretch.begin >= since else { break }
      ran &+= stretch.end &- max(stretch.begin, time)
    }
    reading.busy[column] = Length(reading.busy[column]).without(ran).rawValue
  }

  /// Returns whether the mode has not changed since a moment and every later callout is remembered, except the short
  /// ones.
  func remembersAll(since time: Moment) -> Bool {
    guard hole == nil, since <= time else { return false }
    let oldest = stretchCount - LaneClock.remembered
    return oldest <= 0 || stretches[oldest & (LaneClock.remembered - 1)].begin <= time
  }

  /// Calls `body` for the busy stretch in progress until `now` and then for the remembered stretches after `time`,
  /// newest first.
  func forEachStretch(since time: Moment, until now: Moment, _ body: (Stretch) -> Void) {
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

  mutating func reset(at time: Moment) {
    totals.reset(to: SIMD16())
    suspended = .zero
    unknown = .zero
    since = time
    busySince = time
  }
}

extension LaneClock.Reading {
  static func &+ (a: Self, b: Self) -> Self {
    Self(
      running: a.running &+ b.running, busy: a.busy &+ b.busy, suspended: a.suspended &+ b.suspended,
      unknown: a.unknown &+ b.unknown, elapsed: a.elapsed &+ b.elapsed)
  }

  /// Whether a difference of two readings is possible. Each instant counts once, and busy time is part of running time.
  /// Therefore, no term is negative and none exceeds the whole. In a damaged trace, the two readings may come from the
  /// clocks of two different threads.
  var isPossible: Bool {
    let whole = SIMD16(repeating: elapsed.rawValue)
    guard elapsed.rawValue <= Int64.max, !any(running .> whole), !any(busy .> running), suspended <= elapsed,
      unknown <= elapsed
    else { return false }
    return running.lengthInAll &+ suspended &+ unknown == elapsed
  }

  /// Advances the reading by `time` in an unchanged state.
  mutating func advance(_ time: Length, _ hole: LaneClock.Hole?, _ column: Int, isBusy: Bool) {
    elapsed &+= time
    switch hole {
    case .suspended: suspended &+= time
    case .unknown: unknown &+= time
    case nil:
      running.add(time, at: column)
      if isBusy { busy.add(time, at: column) }
    }
  }
}
