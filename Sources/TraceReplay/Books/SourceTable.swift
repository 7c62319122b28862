import TraceFormat

/// Signals and callouts of the sources of one name.
package struct SourceRow {
  package let name: UInt32
  package var signals: UInt64 = 0
  /// Signals that found an earlier one unanswered: one callout serves both.
  package var merged: UInt64 = 0
  package var callouts: UInt64 = 0
  /// Callouts that no recorded signal asked for.
  package var unsignalled: UInt64 = 0
  /// Callouts that began before their signal's stamp, within one time unit.
  package var negative: UInt64 = 0
  package var latency = DurationCounts()
}

/// From a source's signal to its callout, by name; and from a block's being queued to its begin.
package final class SourceTable {
  private let objects: ObjectTable
  package let rows: UnsafeMutablePointer<SourceRow>
  package private(set) var count = 0
  private var indexOfName: [UInt32: Int32] = [:]
  /// Waits of blocks of CFRunLoopPerformBlock, then of the main dispatch queue.
  private let waits: UnsafeMutablePointer<DurationCounts>

  init(objects: ObjectTable) {
    self.objects = objects
    // SAFETY: `find` hands out at most sourceRows + 1 rows.
    rows = .allocate(capacity: AnalysisLimits.sourceRows + 1)
    waits = .allocate(capacity: 2)
    waits.initialize(repeating: DurationCounts(), count: 2)
  }

  deinit {
    for i in 0..<count { rows[i].latency.deallocate() }
    rows.deallocate()
    for i in 0..<2 { waits[i].deallocate() }
    waits.deallocate()
  }

  /// Sources beyond the limit share the last row.
  package var isOverfull: Bool { count > AnalysisLimits.sourceRows }
  package var blockWaits: DurationCounts { waits[0] }
  package var mainQueueWaits: DurationCounts { waits[1] }

  @inline(__always)
  private func index(_ row: UnsafeMutablePointer<ObjectRow>) -> Int {
    if row.pointee.sourceRow < 0 { row.pointee.sourceRow = Int32(find(row.pointee.name)) }
    return Int(row.pointee.sourceRow)
  }

  @inline(never)
  private func find(_ name: UInt32) -> Int {
    if let known = indexOfName[name] { return Int(known) }
    if isOverfull { return AnalysisLimits.sourceRows }
    let isShared = count == AnalysisLimits.sourceRows
    (rows + count).initialize(to: SourceRow(name: isShared ? 0 : name))
    if !isShared { indexOfName[name] = Int32(count) }
    count += 1
    return count - 1
  }

  func signal(_ object: UInt32, at time: UInt64) {
    guard let row = objects.row(object) else { return }
    let index = index(row)
    rows[index].signals &+= 1
    if row.pointee.signalled != ObjectRow.never {
      rows[index].merged &+= 1
    } else if row.pointee.begunUnsignalled != ObjectRow.never,
      time <= row.pointee.begunUnsignalled &+ 1
    {
      // Two cores' stamps in one unit: the callout that has begun answers it.
      if time > row.pointee.begunUnsignalled { rows[index].negative &+= 1 }
      rows[index].unsignalled &-= 1
      rows[index].latency.record(0)
    } else {
      row.pointee.signalled = time
    }
    row.pointee.begunUnsignalled = ObjectRow.never
  }

  @inline(__always)
  func begin(_ object: UInt32, at time: UInt64) {
    guard let row = objects.row(object) else { return }
    let index = index(row)
    rows[index].callouts &+= 1
    let signalled = row.pointee.signalled
    row.pointee.signalled = ObjectRow.never
    if signalled != ObjectRow.never {
      rows[index].latency.record(time &- min(signalled, time))
    } else {
      rows[index].unsignalled &+= 1
      row.pointee.begunUnsignalled = time
    }
  }

  @inline(__always)
  func beginBlock(_ object: UInt32, kind: UInt8, at time: UInt64) {
    guard let row = objects.row(object) else { return }
    let wait = time &- min(row.pointee.created, time)
    waits[kind == EventKind.blockBegin.rawValue ? 0 : 1].record(wait)
  }

  /// Forgets what was counted.
  func reset() {
    for i in 0..<count {
      rows[i].latency.deallocate()
      rows[i] = SourceRow(name: rows[i].name)
    }
    for i in 0..<2 { waits[i].reset() }
  }
}
