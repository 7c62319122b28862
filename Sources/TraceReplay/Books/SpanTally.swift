import TraceFormat

/// What the callouts of one row took of a gap or a busy interval under way.
struct SpanShare {
  /// Which span this is of; of an earlier one, the rest is stale.
  var span: UInt64 = 0
  /// Inside the span, callouts inside them included, and left out.
  var time: Length = .zero
  var selfTime: Length = .zero
  var count: UInt64 = 0
  /// The one object of all of them; 0 = there were several.
  var object: ObjectID = .none
  /// The row that came before in the span; -1 = none.
  var next: Int32 = -1
}

/// A row of callouts, or the observers of an activity, in a gap or busy interval.
package struct SpanCallout {
  /// Of the begin event; of observers, the code of the activity's low stamp.
  package var kind: EventKind
  /// String id.
  package var name: StringID = .none
  package var object: ObjectID = .none
  package var count: UInt64
  package var time: Length
  package var selfTime: Length
}

/// The callouts of the gap or busy interval under way on a thread, one row per kind and name.
///
/// The numbers stand beside the rows of the callout table and are linked, so a callout costs a few additions, however
/// short it is, and a span that nobody lists costs nothing to forget.
struct SpanTally {
  /// The table's first row.
  private let shares: RowAddress<SpanShare>
  private(set) var span: UInt64
  private var first: Int32 = -1
  private(set) var count: UInt64 = 0
  /// In which a callout or observers ran, each instant once.
  private(set) var explained: Length = .zero
  /// Of `explained`, by `Phase.rawValue`: between an activity's stamps, callouts left out.
  private var observers = PhaseTimes()

  /// Threads share the rows: no two spans have one number.
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

  /// A callout of a row ran for `time`, of which `selfTime` in none inside it. `isOuter`: not inside one of the same row.
  @inline(__always)
  mutating func add(
    row: Int32, object: ObjectID, time: Length, selfTime: Length, isNew: Bool, isOuter: Bool
  ) {
    if isNew { count &+= 1 }
    explained &+= selfTime
    // The row that many names share belongs to no thread.
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

  /// Those that took most by themselves, at most `AnalysisLimits.spanCallouts`.
  func longest(_ callouts: CalloutTable) -> [SpanCallout] {
    var found: [SpanCallout] = []
    var row = first
    while row >= 0 {
      let share = shares.advanced(by: Int(row)).pointee
      found.append(
        SpanCallout(
          kind: callouts.rows[Int(row)].kind, name: callouts.rows[Int(row)].name, object: share.object,
          count: share.count, time: share.time, selfTime: share.selfTime))
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
