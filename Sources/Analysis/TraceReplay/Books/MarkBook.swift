import TraceFormat

/// The moments and intervals that the program marked.
package final class MarkBook {
  package typealias Mark = (name: StringID, lane: Int, time: Moment)

  package struct Interval: HasExtent {
    package var name: StringID
    package var lane: Int
    package var start: Moment
    var end: Moment = .origin
    /// Nil while the interval is open.
    package var endLane: Int?
    /// While the interval is open, the total suspension at its start. Afterwards, the suspension inside the interval.
    package var suspended: Length
    /// The interval began before the span. Its start is the start of the span.
    package var isCut = false

    package var length: Length { end &- start &- suspended }
    package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
  }

  /// The intervals of one name.
  package struct Row: ~Copyable {
    /// Nil = all names beyond the limit.
    package var name: StringID?
    package var open: UInt64 = 0
    /// The lengths of intervals that began and ended in the span.
    package var lengths = DurationCounts()
  }

  package private(set) var marks: [Mark] = []
  package private(set) var markCount = 0
  package private(set) var intervals = Longest<Interval>()
  package let rows = Rows<Row>(capacity: AnalysisLimits.intervalNames + 1)
  /// The number of ends without a recorded beginning, and of beginnings without an end before the same id began again.
  package private(set) var unmatched = 0
  /// The number of intervals beyond `AnalysisLimits.openIntervals`, or without an id.
  package private(set) var unfollowed = 0
  private var byName = LimitedIndex<StringID>(limit: AnalysisLimits.intervalNames)
  private var open: [ObjectID: Interval] = [:]
  /// Ends on another thread that came before their beginning, at the same stamp or one unit earlier.
  private var early: [ObjectID: (lane: Int, time: Moment)] = [:]
  /// When outdated early ends were last dropped.
  private var earlyDropped: Moment = .origin
  private var suspended: Length = .zero

  func mark(_ name: StringID, lane: Int, at time: Moment) {
    markCount += 1
    if marks.count < AnalysisLimits.markRows { marks.append((name, lane, time)) }
  }

  func begin(_ object: ObjectID, name: StringID, lane: Int, at time: Moment) {
    var interval = Interval(name: name, lane: lane, start: time, suspended: suspended)
    if let end = early.removeValue(forKey: object), time &- end.time <= .unit {
      unmatched -= 1
      interval.start = end.time
      close(interval, lane: end.lane, at: end.time)
    } else if object == .none || open.count >= AnalysisLimits.openIntervals {
      unfollowed += 1
    } else if open.updateValue(interval, forKey: object) != nil {
      unmatched += 1
    }
  }

  func end(_ object: ObjectID, lane: Int, at time: Moment) {
    if let interval = open.removeValue(forKey: object) {
      close(interval, lane: lane, at: max(time, interval.start))
    } else if object != .none {
      unmatched += 1
      if early.count >= 1024, time > earlyDropped {
        earlyDropped = time
        early = early.filter { time &- $0.value.time <= .unit }
      }
      if early.count < 1024 { early[object] = (lane, time) }
    }
  }

  private func close(_ interval: Interval, lane: Int?, at time: Moment) {
    var interval = interval
    interval.end = time
    interval.endLane = lane
    interval.suspended = min(suspended &- interval.suspended, time &- interval.start)
    let row = byName.row(of: interval.name) { rows.append(Row(name: $0)) }
    if lane == nil { rows[row].open += 1 }
    if lane != nil, !interval.isCut { rows[row].lengths.record(interval.length) }
    intervals.add(interval)
  }

  func suspended(_ length: Length) { suspended &+= length }

  /// Forgets what ended before `time`. Open intervals start at `time` and are left out of the distributions.
  func beginWindow(_ time: Moment) {
    marks = []
    markCount = 0
    intervals = Longest()
    unmatched = 0
    unfollowed = 0
    rows.removeAll()
    byName = LimitedIndex(limit: AnalysisLimits.intervalNames)
    early = [:]
    for object in open.keys {
      open[object]?.start = time
      open[object]?.suspended = suspended
      open[object]?.isCut = true
    }
  }

  func finish(_ end: Moment) {
    let ordered = open.ordered {
      ($0.value.start, $0.value.lane, $0.value.name, $0.key.rawValue)
        < ($1.value.start, $1.value.lane, $1.value.name, $1.key.rawValue)
    }
    for (_, interval) in ordered {
      close(interval, lane: nil, at: max(end, interval.start))
    }
    open = [:]
    intervals.finish()
  }
}
