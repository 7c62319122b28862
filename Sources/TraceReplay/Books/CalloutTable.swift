import TraceFormat

/// What the callouts of one name, kind and thread add up to, in time units. Nested runs are not part of a callout's time.
package struct CalloutRow {
  package let lane: Int
  package let kind: UInt8
  package let name: UInt32
  package var count: UInt64 = 0
  package var time: UInt64 = 0
  /// Of `count`, under way at the end of the span.
  package var open: UInt64 = 0
  /// Of `time`, outside callouts inside them.
  package var selfTime: UInt64 = 0
  package var longest: UInt64 = 0
  package var longestBegin: UInt64 = 0
  /// Inside nested runs that they started.
  package var nested: UInt64 = 0
  package var byColumn = SIMD16<UInt64>()
  /// The pass in which they took longest.
  package var worstPass: UInt64 = 0
  package var worstPassStart: UInt64 = 0
  var passNumber: UInt64 = .max
  var passTime: UInt64 = 0

  init(lane: Int, kind: UInt8, name: UInt32) {
    self.lane = lane
    self.kind = kind
    self.name = name
  }
}

/// The pass that a callout ran in.
struct PassMark {
  var number: UInt64
  var start: UInt64
}

/// The callouts, at most `AnalysisLimits.calloutRows`; later ones share the last row.
package final class CalloutTable {
  private struct Key: Hashable {
    var lane: Int
    var kind: UInt8
    var name: UInt32
  }

  private let objects: ObjectTable
  package let rows: UnsafeMutablePointer<CalloutRow>
  /// Beside `rows`; nil when nobody asked for them.
  private let durations: UnsafeMutablePointer<DurationCounts>?
  /// Beside `rows`: of the gap, and of the busy interval, under way on the row's thread.
  let gapShares: UnsafeMutablePointer<SpanShare>
  let busyShares: UnsafeMutablePointer<SpanShare>
  package private(set) var count = 0
  private var indexOfKey: [Key: Int32] = [:]
  /// By kind: the row found last for an object that was not defined.
  private let unnamed: UnsafeMutablePointer<Int32>

  init(objects: ObjectTable, keepsDurations: Bool) {
    self.objects = objects
    // SAFETY: `find` hands out at most calloutRows + 1 rows.
    rows = .allocate(capacity: AnalysisLimits.calloutRows + 1)
    durations = keepsDurations ? .allocate(capacity: AnalysisLimits.calloutRows + 1) : nil
    durations?.initialize(repeating: DurationCounts(), count: AnalysisLimits.calloutRows + 1)
    gapShares = .allocate(capacity: AnalysisLimits.calloutRows + 1)
    gapShares.initialize(repeating: SpanShare(), count: AnalysisLimits.calloutRows + 1)
    busyShares = .allocate(capacity: AnalysisLimits.calloutRows + 1)
    busyShares.initialize(repeating: SpanShare(), count: AnalysisLimits.calloutRows + 1)
    unnamed = .allocate(capacity: 256)
    unnamed.initialize(repeating: -1, count: 256)
  }

  deinit {
    rows.deallocate()
    gapShares.deallocate()
    busyShares.deallocate()
    if let durations {
      for i in 0...AnalysisLimits.calloutRows { durations[i].deallocate() }
      durations.deallocate()
    }
    unnamed.deallocate()
  }

  /// How long the callouts of a row took, nil when nobody asked.
  package func durations(_ index: Int) -> DurationCounts? { durations?[index] }

  package var isOverfull: Bool { count > AnalysisLimits.calloutRows }

  /// A callout of a row is over.
  @inline(__always)
  func add(
    _ row: Int32, begin: UInt64, time: UInt64, selfTime: UInt64, nested: UInt64, column: Int,
    pass: PassMark?, isOpen: Bool
  ) {
    let row = rows + Int(row)
    if isOpen { row.pointee.open &+= 1 }
    row.pointee.count &+= 1
    row.pointee.time &+= time
    row.pointee.selfTime &+= selfTime
    row.pointee.nested &+= nested
    row.pointee.byColumn.add(time, at: column)
    if let durations { durations[row - rows].record(time) }
    if time > row.pointee.longest || row.pointee.count == 1 {
      row.pointee.longest = time
      row.pointee.longestBegin = begin
    }
    guard let pass else { return }
    let before = row.pointee.passNumber == pass.number ? row.pointee.passTime : 0
    row.pointee.passNumber = pass.number
    row.pointee.passTime = before &+ time
    if before &+ time > row.pointee.worstPass {
      row.pointee.worstPass = before &+ time
      row.pointee.worstPassStart = pass.start
    }
  }

  /// The row of a callout that begins. Another object may have its id when it ends.
  @inline(__always)
  func row(lane: Int, kind: UInt8, object: UInt32) -> Int32 {
    if let known = objects.row(object) {
      let index = known.pointee.calloutRow
      if index >= 0, rows[Int(index)].kind == kind, rows[Int(index)].lane == lane { return index }
      let found = Int32(find(lane, kind, known.pointee.name))
      known.pointee.calloutRow = found
      return found
    }
    let last = unnamed[Int(kind)]
    if last >= 0, rows[Int(last)].lane == lane { return last }
    let found = Int32(find(lane, kind, 0))
    unnamed[Int(kind)] = found
    return found
  }

  @inline(__always)
  func isUnnamed(_ row: Int32) -> Bool { rows[Int(row)].name == 0 }

  @inline(never)
  private func find(_ lane: Int, _ kind: UInt8, _ name: UInt32) -> Int {
    let key = Key(lane: lane, kind: kind, name: name)
    if let known = indexOfKey[key] { return Int(known) }
    if isOverfull { return AnalysisLimits.calloutRows }
    let isShared = count == AnalysisLimits.calloutRows
    (rows + count).initialize(
      to: isShared ? CalloutRow(lane: -1, kind: 0, name: 0) : CalloutRow(lane: lane, kind: kind, name: name))
    if !isShared { indexOfKey[key] = Int32(count) }
    count += 1
    return count - 1
  }

  /// Forgets what was counted.
  func reset() {
    for i in 0..<count {
      rows[i] = CalloutRow(lane: rows[i].lane, kind: rows[i].kind, name: rows[i].name)
      durations?[i].reset()
    }
  }
}
