import TraceFormat

/// The signals and callouts of the sources of one name.
package struct SourceRow: ~Copyable {
  package let name: StringID
  package var signals: UInt64 = 0
  /// The number of signals that came while an earlier one was unserved. One callout serves both.
  package var merged: UInt64 = 0
  /// The number of callouts without a recorded signal.
  package var unsignalled: UInt64 = 0
  /// The number of callouts that began before their signal's stamp, within one time unit.
  package var negative: UInt64 = 0
  package var latency = WaitCounts()
  package var callouts: UInt64 { latency.lengths.count &+ unsignalled }
}

/// The distribution of waits, and when the longest wait began.
package struct WaitCounts: ~Copyable {
  package private(set) var lengths = DurationCounts()
  package private(set) var longestBegin = Moment.never

  @inline(__always)
  mutating func record(_ begin: Moment, to end: Moment) {
    let length = end.since(begin)
    if length > lengths.maximum || longestBegin == .never { longestBegin = begin }
    lengths.record(length)
  }
}

/// The waits from a source's signal to its callout, by name, and from the queueing of a block to its start.
package final class SourceTable {
  private let objects: ObjectTable
  package let rows = Rows<SourceRow>(capacity: AnalysisLimits.sourceRows + 1)
  private var byName = LimitedIndex<StringID>(limit: AnalysisLimits.sourceRows)
  /// The end of the last loss of events. Signals from before it may have been served. Accessed by address, because
  /// each callout of a source reads it.
  private let lostUntil = Rows(repeating: Moment.origin, count: 1)
  /// The waits of blocks, by `Queue.rawValue`.
  package let waits = Rows<WaitCounts>(capacity: 2)

  /// Where a block is queued: CFRunLoopPerformBlock, or the main dispatch queue.
  package enum Queue: Int { case blocks, main }

  init(objects: ObjectTable) {
    self.objects = objects
    for _ in 0..<2 { waits.append(WaitCounts()) }
  }

  /// Whether sources beyond the limit share the last row.
  package var isOverfull: Bool { byName.isOverfull }

  @inline(__always)
  private func index(_ row: RowAddress<ObjectRow>) -> Int {
    if row.pointee.sourceRow < 0 { row.pointee.sourceRow = Int32(find(row.pointee.name)) }
    return Int(row.pointee.sourceRow)
  }

  @inline(never)
  private func find(_ name: StringID) -> Int {
    byName.row(of: name) { rows.append(SourceRow(name: $0 ?? .none)) }
  }

  /// Notes that events were lost, on any thread.
  func lose(until time: Moment) { lostUntil[0] = max(lostUntil[0], time) }

  /// Returns whether a signal is known to wait for its callout. `never` = there is none.
  @inline(__always)
  private func isPending(_ signalled: Moment) -> Bool { signalled != .never && signalled >= lostUntil[0] }

  func signal(_ object: ObjectID, at time: Moment) {
    guard let row = objects.row(object) else { return }
    let index = index(row)
    rows[index].signals &+= 1
    if isPending(row.pointee.signalled) {
      rows[index].merged &+= 1
    } else if row.pointee.begunUnsignalled != .never,
      time <= row.pointee.begunUnsignalled &+ .unit
    {
      // Two cores stamped these within one unit: the callout that has begun serves this signal.
      if time > row.pointee.begunUnsignalled { rows[index].negative &+= 1 }
      rows[index].unsignalled &-= 1
      rows[index].latency.record(time, to: time)
    } else {
      row.pointee.signalled = time
    }
    row.pointee.begunUnsignalled = .never
  }

  @inline(__always)
  func begin(_ object: ObjectID, at time: Moment) {
    if let row = objects.row(object) { begin(row, at: time) }
  }

  @inline(__always)
  func begin(_ row: RowAddress<ObjectRow>, at time: Moment) {
    let index = index(row)
    let signalled = row.pointee.signalled
    row.pointee.signalled = .never
    if isPending(signalled) {
      rows[index].latency.record(objects.since(signalled), to: time)
    } else {
      rows[index].unsignalled &+= 1
      row.pointee.begunUnsignalled = time
    }
  }

  @inline(__always)
  func beginBlock(_ object: ObjectID, kind: EventKind, at time: Moment) {
    if let row = objects.row(object) {
      beginBlock(row, kind: kind, at: time)
    } else {
      objects.beginUnqueued(object, at: time)
    }
  }

  @inline(__always)
  func beginBlock(_ row: RowAddress<ObjectRow>, kind: EventKind, at time: Moment) {
    row.pointee.queued = nil
    let queue = kind == .blockBegin ? Queue.blocks : .main
    waits[queue.rawValue].record(objects.since(row.pointee.created), to: time)
  }

  /// Forgets all counts and keeps the rows.
  func reset() {
    for i in 0..<rows.count { rows[i] = SourceRow(name: rows[i].name) }
    for i in 0..<waits.count { waits[i] = WaitCounts() }
  }
}
