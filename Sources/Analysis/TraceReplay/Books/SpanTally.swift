import TraceFormat

/// The share of one row's callouts in the current gap or busy interval.
struct SpanShare {
  /// The number of the span. The other fields are stale if it is not the current one.
  var span: UInt64 = 0
  /// The time inside the span, with and without inner callouts.
  var time: Length = .zero
  var selfTime: Length = .zero
  var count: UInt64 = 0
  /// The object if all callouts have the same one; `none` = several objects.
  var object: ObjectID = .none
  /// The row that was added before this one in the same span; -1 = none.
  var next: Int32 = -1
}

/// The callouts of one row, or the observers of an activity, in a gap or busy interval.
package struct SpanCallout {
  /// The kind of the begin event. For observers, the activity's low stamp.
  package var kind: EventKind
  package var name: StringID = .none
  package var object: ObjectID = .none
  /// The index of its row in the callout table; -1 for observers, and in reports of detectors.
  package var row: Int32 = -1
  package var count: UInt64
  package var time: Length
  package var selfTime: Length
}

/// The callouts of the current gap or busy interval on a thread, one row per kind and name.
///
/// The shares lie parallel to the rows of the callout table and form a linked list. A callout costs a few additions,
/// however short it is. A span that is not listed costs nothing to forget.
struct SpanTally {
  /// The share of the table's first row.
  private let shares: RowAddress<SpanShare>
  private(set) var span: UInt64
  private var first: Int32 = -1
  private(set) var count: UInt64 = 0
  /// The time in which a callout or an observer ran. Overlapping times count once.
  private(set) var explained: Length = .zero
  /// The part of `explained` between an activity's stamps without callouts, indexed by `Phase.rawValue`.
  private var observers = PhaseTimes()

  /// Threads share the rows, so span numbers are unique across threads.
  init(lane: Int, shares: borrowing Rows<SpanShare>) {
    self.shares = shares.address(0)
    span = UInt64(lane) << 44
  }

  @inline(__always)
  mutating func begin() {
    span &+= 1
    first = -1
    count = 0
    explained = .zero
    observers = SIMD8()
  }

  /// Adds a callout that ran for `time`, with `selfTime` outside inner callouts. `isOuter`: the callout is not inside
  /// another one of the same row.
  @inline(__always)
  mutating func add(
    row: Int32, object: ObjectID, time: Length, selfTime: Length, isNew: Bool, isOuter: Bool
  ) {
    if isNew { count &+= 1 }
    explained &+= selfTime
    // The row that names beyond the limit share belongs to no thread.
    guard row < AnalysisLimits.calloutRows else { return }
    let share = shares.advanced(by: Int(row))
    if share.pointee.span != span {
      share.pointee = SpanShare(span: span, object: object, next: first)
      first = row
    }
    if isNew { share.pointee.count &+= 1 }
    if isOuter { share.pointee.time &+= time }
    share.pointee.selfTime &+= selfTime
    if share.pointee.object != object { share.pointee.object = .none }
  }

  @inline(__always)
  mutating func observed(_ phase: Phase, _ time: Length) {
    explained &+= time
    observers.add(time, at: phase.rawValue)
  }

  /// Calls `body` once with each row whose callouts ran.
  @inline(__always)
  func forEachRow(_ body: (Int32) -> Void) {
    var row = first
    while row >= 0 {
      body(row)
      row = shares.advanced(by: Int(row)).pointee.next
    }
  }

  /// Returns the rows with the most self time, at most `AnalysisLimits.spanCallouts`.
  func longest(_ callouts: CalloutTable) -> [SpanCallout] {
    var found: [SpanCallout] = []
    var row = first
    while row >= 0 {
      let share = shares.advanced(by: Int(row)).pointee
      found.append(
        SpanCallout(
          kind: callouts.rows[Int(row)].kind, name: callouts.rows[Int(row)].name, object: share.object,
          row: row, count: share.count, time: share.time, selfTime: share.selfTime))
      row = share.next
    }
    for phase in Phase.allCases {
      let time = observers.length(phase)
      guard time > .zero, let activity = phase.activity else { continue }
      found.append(SpanCallout(kind: EventKind(activity), count: 1, time: time, selfTime: time))
    }
    found.sort {
      ($1.selfTime, $1.time, $0.kind, $0.name) < ($0.selfTime, $0.time, $1.kind, $1.name)
    }
    return Array(found.prefix(AnalysisLimits.spanCallouts))
  }
}
