import TraceFormat

/// The totals for the callouts of one name, kind and thread. Time in nested runs is not part of a callout's time.
package struct CalloutRow {
  package private(set) var lane: Int
  package let kind: EventKind
  package let name: StringID
  // Count and self time are not adjacent: the compiler would add them as a vector, which takes three times the
  // instructions.
  package var count: UInt64 = 0
  /// One unit more than the longest time; zero if there was no callout. So one comparison finds both the first
  /// callout and a longer one.
  private var beyondLongest: Length = .zero
  /// The number of callouts in `count` that were running at the end of the span.
  package var open: UInt64 = 0
  /// The part of `time` outside inner callouts.
  package var selfTime: Length = .zero
  package var longestBegin: Moment = .origin
  /// Time in nested runs that the callouts started.
  package var nested: Length = .zero
  /// The number of callouts that started runs, and the longest time that one callout spent in them.
  package var nestedCount: UInt64 = 0
  package var longestNested: Length = .zero
  package var longestNestedBegin: Moment = .origin
  package var longestNestedEnd: Moment = .origin
  /// The mode of the runs of that callout; `outside` = several modes.
  package var longestNestedMode = ModeID.outside
  /// `time`, by the column of the mode in which the callouts ended.
  package var byColumn = SIMD16<UInt64>()
  /// The longest time of these callouts in one pass.
  package var worstPass: Length = .zero
  package var worstPassStart: Moment = .origin
  var passNumber: UInt64 = .max
  var passTime: Length = .zero

  package var time: Length { byColumn.lengthInAll }
  package var longest: Length { beyondLongest.without(.unit) }

  @inline(__always)
  func isOf(_ lane: Int, _ kind: EventKind) -> Bool { self.kind == kind && self.lane == lane }

  init(lane: Int, kind: EventKind, name: StringID) { (self.lane, self.kind, self.name) = (lane, kind, name) }

  @inline(__always)
  mutating func add(begin: @autoclosure () -> Moment, time: Length, selfTime: Length, column: Int) {
    count &+= 1
    self.selfTime &+= selfTime
    byColumn.add(time, at: column)
    if time >= beyondLongest { (beyondLongest, longestBegin) = (time &+ .unit, begin()) }
  }

  /// Adds the runs that a callout from `begin` to `end` started. `mode`: of all of them; `outside` = several modes.
  mutating func add(nested length: Length, in mode: ModeID, from begin: Moment, to end: Moment) {
    nested &+= length
    nestedCount &+= 1
    guard length > longestNested else { return }
    (longestNested, longestNestedBegin, longestNestedEnd, longestNestedMode) = (length, begin, end, mode)
  }

  /// Adds the callouts of a row without passes and nested runs.
  mutating func add(_ other: CalloutRow) {
    count &+= other.count
    open &+= other.open
    selfTime &+= other.selfTime
    byColumn &+= other.byColumn
    guard other.beyondLongest > beyondLongest else { return }
    (beyondLongest, longestBegin, lane) = (other.beyondLongest, other.longestBegin, other.lane)
  }

  @inline(__always)
  mutating func add(_ time: Length, to pass: PassMark) {
    passTime = passNumber == pass.number ? passTime &+ time : time
    passNumber = pass.number
    if passTime > worstPass { (worstPass, worstPassStart) = (passTime, pass.start) }
  }
}

/// The pass that a callout ran in.
struct PassMark {
  var number: UInt64
  var start: Moment
}

/// A row per callout name, kind and thread, at most `AnalysisLimits.calloutRows`. Later ones share one extra row.
package final class CalloutTable {
  private struct Key: Hashable {
    var lane: Int
    var kind: EventKind
    var name: StringID
  }

  private let objects: ObjectTable
  package let rows = Rows<CalloutRow>(capacity: AnalysisLimits.calloutRows + 1)
  /// Parallel to `rows`; empty unless the options ask for durations.
  package let durations: Rows<DurationCounts>
  /// The same for the passes of event loops in which the row's callouts ran.
  package let passes: Rows<DurationCounts>
  /// Parallel to `rows`: the row's share of the current gap and of the current busy interval on its thread.
  let gapShares = Rows(repeating: SpanShare(), count: AnalysisLimits.calloutRows + 1)
  let busyShares = Rows(repeating: SpanShare(), count: AnalysisLimits.calloutRows + 1)
  private var byKey = LimitedIndex<Key>(limit: AnalysisLimits.calloutRows)
  /// By kind: the row used last for an undefined object.
  private let unnamed = Rows<Int32>(repeating: -1, count: 256)

  init(objects: ObjectTable, keepsDurations: Bool) {
    self.objects = objects
    durations = keepsDurations ? Rows(capacity: AnalysisLimits.calloutRows + 1) : Rows()
    passes = keepsDurations ? Rows(capacity: AnalysisLimits.calloutRows + 1) : Rows()
  }

  package var isOverfull: Bool { byKey.isOverfull }
  /// The number of rows that can still be added before callouts share the last one.
  var room: Int { max(AnalysisLimits.calloutRows - rows.count, 0) }

  /// Books a finished callout of a row.
  @inline(__always)
  func add(
    _ index: Int32, begin: Moment, time: Length, selfTime: Length, column: Int, pass: PassMark?, isOpen: Bool
  ) {
    let row = rows.address(Int(index))
    if isOpen { row.pointee.open &+= 1 }
    row.pointee.add(begin: begin, time: time, selfTime: selfTime, column: column)
    if !durations.isMissing { durations[Int(index)].record(time) }
    if let pass { row.pointee.add(time, to: pass) }
  }

  /// Books a pass of an event loop, if the options ask for durations. `tally`: the pass's callouts.
  func add(pass length: Length, _ tally: SpanTally) {
    guard !passes.isMissing else { return }
    tally.forEachRow { passes[Int($0)].record(length) }
  }

  /// Returns the row for a callout that begins. When the callout ends, its object id may belong to another object.
  @inline(__always)
  func row(lane: Int, kind: EventKind, object: ObjectID) -> Int32 {
    row(lane: lane, kind: kind, objects.row(object))
  }

  /// Returns the row for a callout of a known object, whose row is `known`.
  @inline(__always)
  func row(lane: Int, kind: EventKind, _ known: RowAddress<ObjectRow>?) -> Int32 {
    if let known {
      let index = known.pointee.calloutRow
      if index >= 0, rows[Int(index)].isOf(lane, kind) { return index }
      let found = Int32(find(lane, kind, known.pointee.name))
      known.pointee.calloutRow = found
      return found
    }
    let last = unnamed[Int(kind.rawValue)]
    if last >= 0, rows[Int(last)].lane == lane { return last }
    let found = Int32(find(lane, kind, .none))
    unnamed[Int(kind.rawValue)] = found
    return found
  }

  @inline(__always)
  func isUnnamed(_ row: Int32) -> Bool { rows[Int(row)].name == .none }

  // MARK: Batches of passes

  /// The rows of one thread's callouts of one kind, for adding many callouts at once. The addresses stay valid.
  struct Places {
    fileprivate let rows: RowAddress<CalloutRow>
    fileprivate let durations: RowAddress<DurationCounts>?
    fileprivate let lane: Int
    fileprivate let kind: EventKind
    /// The row for undefined objects; nil = it must be looked up.
    fileprivate let unnamed: Int32?

    /// Adds one callout. The worst pass is updated as if the callout were the only one of its row in the pass.
    /// `bucket` is the bucket of `time` and is used only if durations are kept.
    @inline(__always)
    func add(
      _ index: Int32, begin: @autoclosure () -> Moment, time: Length, bucket: @autoclosure () -> Int,
      column: Int,
      passStart: @autoclosure () -> Moment
    ) {
      let row = rows.advanced(by: Int(index))
      row.pointee.add(begin: begin(), time: time, selfTime: time, column: column)
      if let durations { durations.advanced(by: Int(index)).pointee.record(time, bucket: bucket()) }
      if time > row.pointee.worstPass {
        (row.pointee.worstPass, row.pointee.worstPassStart) = (time, passStart())
      }
    }

    /// Returns the row of an object's callouts; nil = it must be looked up.
    @inline(__always)
    func row(_ known: RowAddress<ObjectRow>?) -> Int32? {
      guard let known else { return unnamed }
      let index = known.pointee.calloutRow
      return index >= 0 && rows.advanced(by: Int(index)).pointee.isOf(lane, kind) ? index : nil
    }
  }

  func places(lane: Int, kind: EventKind) -> Places {
    let last = unnamed[Int(kind.rawValue)]
    return Places(
      rows: rows.address(0), durations: durations.isMissing ? nil : durations.address(0), lane: lane,
      kind: kind, unnamed: last >= 0 && rows[Int(last)].lane == lane ? last : nil)
  }

  @inline(never)
  private func find(_ lane: Int, _ kind: EventKind, _ name: StringID) -> Int {
    byKey.row(of: Key(lane: lane, kind: kind, name: name)) { key in
      rows.append(
        CalloutRow(lane: key?.lane ?? -1, kind: key?.kind ?? EventKind(0), name: key?.name ?? .none))
      guard !durations.isMissing else { return }
      durations.append(DurationCounts())
      passes.append(DurationCounts())
    }
  }

  /// Joins the rows of work with one name: any thread of a pool may run it. `isWorker`: whether a thread runs no loop. No
  /// callout can be added afterwards.
  func joinWork(isWorker: (_ lane: Int) -> Bool) {
    var firsts: [StringID: Int] = [:]
    for i in 0..<rows.count
    where rows[i].kind == .workBegin && rows[i].lane >= 0 && rows[i].count > 0 && isWorker(rows[i].lane) {
      guard let first = firsts[rows[i].name] else {
        firsts[rows[i].name] = i
        continue
      }
      rows[first].add(rows[i])
      rows[i] = CalloutRow(lane: rows[i].lane, kind: rows[i].kind, name: rows[i].name)
      if !durations.isMissing { durations.address(first).pointee.record(durations[i]) }
    }
  }

  /// Forgets all counts and keeps the rows.
  func reset() {
    for i in 0..<rows.count {
      rows[i] = CalloutRow(lane: rows[i].lane, kind: rows[i].kind, name: rows[i].name)
      guard !durations.isMissing else { continue }
      durations[i] = DurationCounts()
      passes[i] = DurationCounts()
    }
  }
}
