import TraceFacts
import TraceFormat

/// The timers that may be frame sources without a declaration: those with an interval in `FrameIntervals`.
package enum FrameSources {
  /// Such a timer came due at least so often.
  package static let offeredPoints: UInt64 = 100
}

/// A time in which a frame was overdue: the frame before it stayed on the screen.
package struct FoundHitch: HasExtent {
  /// The row of the source.
  package var row: Int
  package var lane: Int
  /// In nanoseconds, inside the span: when the frame should have been presented, and when it was, or when nothing
  /// waited for it any more.
  package var startNs: UInt64
  package var endNs: UInt64
  /// The frame's due point, and when it was ready; nil = no frame ended the hitch.
  package var due: Moment?
  package var ready: Moment?
  /// From the due point to `ready`, by cause. Without a frame, zero.
  package var causes = CauseAmounts()
  package var blame = FrameBlame()
  /// The time of the blamed callout in that time.
  package var blamed = Length.zero

  package var lengthNs: UInt64 { endNs &- startNs }
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (lengthNs, startNs, lane) }
}

/// The culprit of a late frame.
package struct FrameBlame: Equatable {
  /// The cause with most of the time.
  package var cause = Cause.unknown
  /// For `wrongMode`, the mode that ran longest of those without the source.
  package var mode = ModeID.outside
  /// For `busy` and `ownCallout`, the callout with most time: the kind of its begin, or the activity whose observers
  /// ran. Kind 0 = not known.
  package var kind = EventKind(0)
  package var name = StringID.none
}

/// The hitches of a source that have the same blame.
package struct FrameCost {
  package var blame: FrameBlame
  package var hitches: UInt64 = 0
  package var ns: UInt64 = 0
}

/// The sums of the frame sources of one timer class.
package struct FrameRow {
  /// Whether the program declared one of its timers.
  package fileprivate(set) var isDeclared = false
  package fileprivate(set) var counts = FrameCounts()
  package fileprivate(set) var active = Length.zero
  package fileprivate(set) var hitches: UInt64 = 0
  package fileprivate(set) var hitchNs: UInt64 = 0
  package fileprivate(set) var longestNs: UInt64 = 0
  /// In the order in which they came, at most `AnalysisLimits.blockers`.
  package fileprivate(set) var costs: [FrameCost] = []
  /// The hitches that had not ended when their frames were ready.
  fileprivate var tails: [FoundHitch] = []
  package fileprivate(set) var isUsed = false
}

/// A frame whose callout runs.
struct FrameInMaking {
  var isUnderWay = false
  var dueNs: Int64 = 0
  /// The due point, or the end of the frame before if that is later.
  var due = Moment.origin
  var begin = Moment.origin
  /// The lateness of its callout.
  var booked = BookedLateness()
}

/// One live timer that may be a frame source.
struct FrameChain {
  /// The timer's place in the ledger; -1 = the chain is free.
  var timer = -1
  var isDeclared = false
  /// When the active time began; `.never` = the source is not active.
  var since = Moment.never
  /// Whether events were lost since the last frame: the timer may be gone.
  var isLost = false
  /// The active time so far, and the suspensions since `since`.
  var active = Length.zero
  var holes = Length.zero
  /// The end of the last suspension or loss, and of the last frame.
  var lastHole = Moment.origin
  var ready = Moment.origin
  /// The grid point at which the last frame was presented; nil = the next frame has no frame before it.
  var presentedNs: Int64?
  var frame = FrameInMaking()
  var counts = FrameCounts()

  var isActive: Bool { since != .never }

  mutating func activate(at time: Moment) {
    guard !isActive else { return }
    since = time
    holes = .zero
  }

  /// Ends the active time. The next frame has no frame before it.
  mutating func deactivate(at time: Moment) {
    presentedNs = nil
    frame.isUnderWay = false
    guard isActive else { return }
    active &+= time.since(since).without(holes)
    since = .never
  }
}

/// The frames of timers: when each was presented, and what made it late.
///
/// A frame is a fire of its source. It is ready at the end of the callout, and presented at the first point of the
/// source's grid at or after that, but not before the point that follows its due point. From one interval after the
/// last presented frame until the next one, a frame is overdue: that is a hitch. It also ends with the source's active
/// time, and with the span. So hitches of successive spans add up to those of the whole.
///
/// Only the program's part is known: the time that a render server adds is not in a trace.
///
/// In nanoseconds, because an interval need not be a whole number of time units.
package struct FrameBook: ~Copyable {
  var chains = Rows<FrameChain>()
  private var free: [Int] = []
  /// Indexed by timer class.
  package private(set) var rows: [FrameRow] = []
  package private(set) var hitches = Longest<FoundHitch>()
  private var spanStartNs: UInt64 = 0
  /// Whether all repeating timers are followed, because the reader names sources.
  private let followsAll: Bool

  init(followsAll: Bool) { self.followsAll = followsAll }

  /// Returns whether a timer with this interval is followed without a declaration.
  func follows(intervalNs: Int64) -> Bool {
    intervalNs > 0 && (followsAll || FrameIntervals.ns.contains(UInt64(clamping: intervalNs)))
  }

  // MARK: Chains

  /// Returns the place of a new chain.
  mutating func add(_ chain: FrameChain) -> Int {
    if let place = free.popLast() {
      chains[place] = chain
      return place
    }
    if chains.isMissing { chains = Rows(capacity: 4) }
    if chains.count == chains.capacity { chains.grow(to: 2 * chains.count) }
    chains.append(chain)
    return chains.count - 1
  }

  /// Adds the sums of a chain to the row of its timer class; nil = the class is not known.
  mutating func release(_ place: Int, ofClass row: Int?) {
    if let row {
      use(row)
      rows[row].isDeclared = rows[row].isDeclared || chains[place].isDeclared
      rows[row].active &+= chains[place].active
      rows[row].counts &+= chains[place].counts
    }
    chains[place] = FrameChain()
    free.append(place)
  }

  private mutating func use(_ row: Int) {
    while rows.count <= row { rows.append(FrameRow()) }
    rows[row].isUsed = true
  }

  // MARK: Hitches

  /// Adds the part of a hitch that lies in the span, and returns it; nil = nothing of it does. `now`: the moment that is
  /// replayed.
  mutating func add(_ hitch: FoundHitch, nowNs: UInt64) -> FoundHitch? {
    var hitch = hitch
    hitch.startNs = max(hitch.startNs, spanStartNs)
    guard hitch.endNs > hitch.startNs else { return nil }
    let row = hitch.row
    use(row)
    rows[row].hitches &+= 1
    rows[row].hitchNs = rows[row].hitchNs.saturated(adding: hitch.lengthNs)
    rows[row].longestNs = max(rows[row].longestNs, min(hitch.endNs, nowNs) &- min(hitch.startNs, nowNs))
    charge(hitch, row)
    settleTails(row, nowNs: nowNs)
    if hitch.endNs > nowNs { rows[row].tails.append(hitch) }
    hitches.add(hitch)
    return hitch
  }

  /// The hitches whose frames were ready before the span.
  var begunBefore: [HitchFact] {
    let rows = rows
    return rows.indices.flatMap { row in
      rows[row].tails.map { HitchFact(timer: row, startNs: $0.startNs, endNs: $0.endNs) }
    }
  }

  /// Drops the hitches that have ended.
  private mutating func settleTails(_ row: Int, nowNs: UInt64) {
    for tail in rows[row].tails where tail.endNs <= nowNs {
      rows[row].longestNs = max(rows[row].longestNs, tail.lengthNs)
    }
    rows[row].tails.removeAll { $0.endNs <= nowNs }
  }

  private mutating func charge(_ hitch: FoundHitch, _ row: Int) {
    var at = rows[row].costs.firstIndex { $0.blame == hitch.blame }
    if at == nil, rows[row].costs.count < AnalysisLimits.blockers {
      rows[row].costs.append(FrameCost(blame: hitch.blame))
      at = rows[row].costs.count - 1
    }
    guard let at else { return }
    rows[row].costs[at].hitches &+= 1
    rows[row].costs[at].ns = rows[row].costs[at].ns.saturated(adding: hitch.lengthNs)
  }

  // MARK: The span

  /// Forgets what was counted before `time`. A hitch that is not over counts from then on.
  mutating func beginWindow(_ time: Moment, ns: UInt64) {
    spanStartNs = ns
    hitches = Longest()
    for row in rows.indices {
      let tails = rows[row].tails
      rows[row] = FrameRow()
      for tail in tails { _ = add(tail, nowNs: ns) }
    }
    for place in 0..<chains.count {
      chains[place].active = .zero
      chains[place].counts = FrameCounts()
      if chains[place].isActive, chains[place].since < time {
        chains[place].since = time
        chains[place].holes = .zero
      }
    }
  }

  /// Cuts off what lies behind the end of the span.
  mutating func finish(endNs: UInt64) {
    for row in rows.indices {
      settleTails(row, nowNs: endNs)
      for tail in rows[row].tails {
        let beyond = tail.endNs &- max(tail.startNs, endNs)
        rows[row].hitchNs &-= min(rows[row].hitchNs, beyond)
        rows[row].longestNs = max(rows[row].longestNs, tail.lengthNs &- beyond)
        if let at = rows[row].costs.firstIndex(where: { $0.blame == tail.blame }) {
          rows[row].costs[at].ns &-= min(rows[row].costs[at].ns, beyond)
        }
      }
    }
    hitches.finish()
    for place in hitches.elements.indices {
      hitches.elements[place].endNs = min(
        hitches.elements[place].endNs, max(endNs, hitches.elements[place].startNs))
    }
  }
}
