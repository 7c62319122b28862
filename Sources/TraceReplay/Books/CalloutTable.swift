import TraceFormat

/// What the callouts of one name, kind and thread add up to. Nested runs are not part of a callout's time.
package struct CalloutRow {
  package let lane: Int
  package let kind: EventKind
  package let name: StringID
  // Count and time side by side would be added as a vector, which takes three times the instructions.
  package var count: UInt64 = 0
  /// A unit more than the longest took, no time: there was none. So one comparison finds a longer one, or the first.
  private var beyondLongest: Length = .zero
  package var time: Length = .zero
  /// Of `count`, under way at the end of the span.
  package var open: UInt64 = 0
  /// Of `time`, outside callouts inside them.
  package var selfTime: Length = .zero
  package var longestBegin: Moment = .origin
  /// Inside nested runs that they started.
  package var nested: Length = .zero
  package var byColumn = SIMD16<UInt64>()
  /// The pass in which they took longest.
  package var worstPass: Length = .zero
  package var worstPassStart: Moment = .origin
  var passNumber: UInt64 = .max
  var passTime: Length = .zero

  package var longest: Length { beyondLongest.without(.unit) }

  @inline(__always)
  func isOf(_ lane: Int, _ kind: EventKind) -> Bool { self.kind == kind && self.lane == lane }

  init(lane: Int, kind: EventKind, name: StringID) { (self.lane, self.kind, self.name) = (lane, kind, name) }

  @inline(__always)
  mutating func add(
    begin: @autoclosure () -> Moment, time: Length, selfTime: Length, nested: Length, column: Int
  ) {
    count &+= 1
    self.time &+= time
    self.selfTime &+= selfTime
    self.nested &+= nested
    byColumn.add(time, at: column)
    if time >= beyondLongest { (beyondLongest, longestBegin) = (time &+ .unit, begin()) }
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

/// The callouts, at most `AnalysisLimits.calloutRows`; later ones share the last row.
package final class CalloutTable {
  private struct Key: Hashable {
    var lane: Int
    var kind: EventKind
    var name: StringID
  }

  private let objects: ObjectTable
  package let rows = Rows<CalloutRow>(capacity: AnalysisLimits.calloutRows + 1)
  /// Beside `rows`; none when nobody asked for them.
  package let durations: Rows<DurationCounts>
  /// Beside `rows`: of the gap, and of the busy interval, under way on the row's thread.
  let gapShares = Rows(repeating: SpanShare(), count: AnalysisLimits.calloutRows + 1)
  let busyShares = Rows(repeating: SpanShare(), count: AnalysisLimits.calloutRows + 1)
  private var byKey = LimitedIndex<Key>(limit: AnalysisLimits.calloutRows)
  /// By kind: the row found last for an object that was not defined.
  private let unnamed = Rows<Int32>(repeating: -1, count: 256)

  init(objects: ObjectTable, keepsDurations: Bool) {
    self.objects = objects
    durations = keepsDurations ? Rows(capacity: AnalysisLimits.calloutRows + 1) : Rows()
  }

  package var isOverfull: Bool { byKey.isOverfull }
  /// Rows that can be made until all callouts share one.
  var room: Int { max(AnalysisLimits.calloutRows - rows.count, 0) }

  /// A callout of a row is over.
  @inline(__always)
  func add(
    _ index: Int32, begin: Moment, time: Length, selfTime: Length, nested: Length, column: Int,
    pass: PassMark?, isOpen: Bool
  ) {
    let row = rows.address(Int(index))
    if isOpen { row.pointee.open &+= 1 }
    row.pointee.add(begin: begin, time: time, selfTime: selfTime, nested: nested, column: column)
    if !durations.isMissing { durations[Int(index)].record(time) }
    if let pass { row.pointee.add(time, to: pass) }
  }

  /// The row of a callout that begins. Another object may have its id when it ends.
  @inline(__always)
  func row(lane: Int, kind: EventKind, object: ObjectID) -> Int32 {
    row(lane: lane, kind: kind, objects.row(object))
  }

  /// `known`: the row of its object.
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

  // MARK: Passes at once

  /// Where the rows of a thread's callouts of a kind are, for whoever adds to many: their addresses stay.
  struct Places {
    fileprivate let rows: RowAddress<CalloutRow>
    fileprivate let durations: RowAddress<DurationCounts>?
    fileprivate let lane: Int
    fileprivate let kind: EventKind
    /// Of objects that were not defined; nil: it is to be found.
    fileprivate let unnamed: Int32?

    /// Of a pass that has more than one, it is told what all take as well, later. `bucket` is that of a duration to be kept.
    @inline(__always)
    func add(
      _ index: Int32, begin: @autoclosure () -> Moment, time: Length, bucket: @autoclosure () -> Int,
      column: Int,
      passStart: @autoclosure () -> Moment
    ) {
      let row = rows.advanced(by: Int(index))
      row.pointee.add(begin: begin(), time: time, selfTime: time, nested: .zero, column: column)
      if let durations { durations.advanced(by: Int(index)).pointee.record(time, bucket: bucket()) }
      if time > row.pointee.worstPass {
        (row.pointee.worstPass, row.pointee.worstPassStart) = (time, passStart())
      }
    }

    /// The row of an object's callouts; nil: it is to be found.
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
      if !durations.isMissing { durations.append(DurationCounts()) }
    }
  }

  /// Forgets what was counted.
  func reset() {
    for i in 0..<rows.count {
      rows[i] = CalloutRow(lane: rows[i].lane, kind: rows[i].kind, name: rows[i].name)
      if !durations.isMissing { durations[i] = DurationCounts() }
    }
  }
}
