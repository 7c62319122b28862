/// What the program marked: moments and intervals, in time units.
package final class MarkBook {
  package struct Mark {
    package var name: UInt32
    package var lane: Int
    package var time: UInt64
  }

  package struct Interval {
    package var name: UInt32
    package var lane: Int
    package var start: UInt64
    var end: UInt64 = 0
    /// Nil while it is open.
    package var endLane: Int?
    /// While it is open: what all suspensions were at its begin. Then: what they were in it.
    package var suspended: UInt64
    /// Began before the span, whose beginning is its start.
    package var isCut = false

    package var length: UInt64 { end &- start &- suspended }
  }

  /// The intervals of one name.
  package struct Row {
    /// Nil: of all names beyond the limit.
    package var name: UInt32?
    package var open: UInt64 = 0
    /// Of those that began and ended in the span.
    package var lengths = DurationCounts()
  }

  package private(set) var marks: [Mark] = []
  package private(set) var markCount = 0
  /// The longest.
  package private(set) var intervals: [Interval] = []
  package private(set) var intervalCount = 0
  package private(set) var rows: [Row] = []
  /// Ends whose begin is not in the recording, and begins without an end whose id began anew.
  package private(set) var unmatched = 0
  /// Beyond `AnalysisLimits.openIntervals`.
  package private(set) var unfollowed = 0
  private var rowOfName: [UInt32: Int] = [:]
  private var open: [UInt32: Interval] = [:]
  /// Ends by another thread that came before their begin, at the same stamp or one unit earlier.
  private var early: [UInt32: (lane: Int, time: UInt64)] = [:]
  private var suspended: UInt64 = 0

  deinit { for row in rows { row.lengths.deallocate() } }

  func mark(_ name: UInt32, lane: Int, at time: UInt64) {
    markCount += 1
    if marks.count < AnalysisLimits.markRows { marks.append(Mark(name: name, lane: lane, time: time)) }
  }

  func begin(_ object: UInt32, name: UInt32, lane: Int, at time: UInt64) {
    var interval = Interval(name: name, lane: lane, start: time, suspended: suspended)
    if let end = early.removeValue(forKey: object), time &- end.time <= 1 {
      unmatched -= 1
      interval.start = end.time
      close(interval, lane: end.lane, at: end.time)
    } else if object == 0 || open.count >= AnalysisLimits.openIntervals {
      unfollowed += 1
    } else if open.updateValue(interval, forKey: object) != nil {
      unmatched += 1
    }
  }

  func end(_ object: UInt32, lane: Int, at time: UInt64) {
    if let interval = open.removeValue(forKey: object) {
      close(interval, lane: lane, at: max(time, interval.start))
    } else if object != 0 {
      unmatched += 1
      if early.count >= 1024 { early = early.filter { time &- $0.value.time <= 1 } }
      if early.count < 1024 { early[object] = (lane, time) }
    }
  }

  private func close(_ interval: Interval, lane: Int?, at time: UInt64) {
    var interval = interval
    interval.end = time
    interval.endLane = lane
    interval.suspended = min(suspended &- interval.suspended, time &- interval.start)
    let row = row(of: interval.name)
    if lane == nil { rows[row].open += 1 }
    if lane != nil, !interval.isCut { rows[row].lengths.record(interval.length) }
    intervalCount += 1
    intervals.append(interval)
    if intervals.count >= 2 * AnalysisLimits.listed { keepLongest() }
  }

  private func row(of name: UInt32) -> Int {
    if let known = rowOfName[name] { return known }
    // The last row is for all further names.
    if rows.count > AnalysisLimits.intervalNames { return rows.count - 1 }
    rows.append(Row(name: rows.count < AnalysisLimits.intervalNames ? name : nil))
    if rows.count <= AnalysisLimits.intervalNames { rowOfName[name] = rows.count - 1 }
    return rows.count - 1
  }

  private func keepLongest() {
    intervals.sort { ($1.length, $0.start, $0.lane) < ($0.length, $1.start, $1.lane) }
    intervals.removeLast(max(0, intervals.count - AnalysisLimits.listed))
  }

  func suspended(_ length: UInt64) { suspended &+= length }

  /// What is open at `time` is as if it had begun then, and counts to no distribution.
  func beginWindow(_ time: UInt64) {
    marks = []
    markCount = 0
    intervals = []
    intervalCount = 0
    unmatched = 0
    unfollowed = 0
    for row in rows { row.lengths.deallocate() }
    rows = []
    rowOfName = [:]
    early = [:]
    for object in open.keys {
      open[object]?.start = time
      open[object]?.suspended = suspended
      open[object]?.isCut = true
    }
  }

  func finish(_ end: UInt64) {
    for interval in open.values.sorted(by: { ($0.start, $0.lane, $0.name) < ($1.start, $1.lane, $1.name) }) {
      close(interval, lane: nil, at: max(end, interval.start))
    }
    open = [:]
    keepLongest()
    intervals.sort { ($0.start, $0.lane, $1.length) < ($1.start, $1.lane, $0.length) }
  }
}
