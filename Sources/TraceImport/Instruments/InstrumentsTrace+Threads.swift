import RunLoopVocabulary
import TraceFormat

/// Writing the rows of one thread.
extension InstrumentsTrace {
  /// A thread that is being written.
  struct Lane {
    /// An index of `InstrumentsNames.threads`.
    let thread: Int
    /// Notes that are not written yet, in time order.
    var notes: ArraySlice<Edge>
    /// 0 before the first event of the loop.
    var loop: UInt32 = 0
    /// Rows that have begun and not ended, innermost last.
    var open: [LoopRow] = []
    /// The last event of the loop.
    var last: (time: UInt64, kind: EventKind)?
  }

  mutating func write(_ lane: consuming Lane) throws(TraceFormatError) {
    let definition = recording.names.threads[lane.thread]
    try trace.begin(thread: definition.name, osThread: definition.tid, isMain: isMain(lane.thread))
    for row in recording.loops[lane.thread]?.inOrder() ?? [] {
      // Nothing is inside a wait. An interval of the same depth ends an open one, even if the table lacks its end.
      while let top = lane.open.last, top.end < row.start || top.depth >= row.depth || top.kind == .wait {
        try end(top, &lane)
        lane.open.removeLast()
      }
      var row = row
      if let around = lane.open.last {
        row.end = min(row.end, around.end)
        if row.mode < 0 { row.mode = around.mode }
      }
      try begin(row, &lane)
      lane.open.append(row)
    }
    while let top = lane.open.popLast() { try end(top, &lane) }
    if let last = lane.last { noteStay(lane, from: last, to: .max) }
    try emitNotes(&lane, until: .max)
  }

  private mutating func begin(_ row: LoopRow, _ lane: inout Lane) throws(TraceFormatError) {
    let isBegun = row.start > 0
    switch row.kind {
    case .run:
      summary.runs += 1
      guard isBegun else { return }
      let arguments = [LoopRow.timeoutNs(bits: row.timeout), row.returnsAfterSource ? 1 : 0]
      try emit(row, .runBegin, row.start, &lane, arguments)
      try emit(row, .entryLow, row.start, &lane)
    case .iteration:
      summary.iterations += 1
      if isBegun { try emit(row, .beforeTimersLow, row.start, &lane) }
    case .wait where row.isPoll: summary.polls += 1
    case .wait:
      summary.waits += 1
      if isBegun { try emit(row, .beforeWaitingLow, row.start, &lane) }
    }
  }

  private mutating func end(_ row: LoopRow, _ lane: inout Lane) throws(TraceFormatError) {
    guard row.end != LoopRow.open else { return }
    switch row.kind {
    case .run:
      try emit(row, .exitLow, row.end, &lane)
      try emit(row, .runEnd, row.end, &lane, [UInt64(row.result)])
    case .iteration: break
    case .wait: if !row.isPoll { try emit(row, .afterWaitingLow, row.end, &lane) }
    }
  }

  /// Writes an event of the thread's loop, and before it the notes up to its time.
  private mutating func emit(
    _ row: LoopRow, _ kind: EventKind, _ time: UInt64, _ lane: inout Lane, _ arguments: [UInt64] = []
  ) throws(TraceFormatError) {
    try emitNotes(&lane, until: time)
    if lane.loop == 0 {
      lane.loop = trace.object()
      let name = trace.string(recording.names.threads[lane.thread].name)
      try trace.emit(time, .loopCreate, object: lane.loop, [UInt64(name)])
    }
    if let last = lane.last { noteStay(lane, from: last, to: time) }
    lane.last = (time, kind)
    let mode = trace.mode(row.mode < 0 ? Self.unknownMode : recording.names.texts[Int(row.mode)])
    try trace.emit(time, kind, mode: mode, object: lane.loop, arguments)
  }

  private mutating func emitNotes(_ lane: inout Lane, until time: UInt64) throws(TraceFormatError) {
    while let edge = lane.notes.first, edge.time <= time {
      try emit(edge)
      lane.notes.removeFirst()
    }
  }

  /// Notes a stay of the loop between two of its events, unless it waits or does not run.
  private mutating func noteStay(_ lane: Lane, from last: (time: UInt64, kind: EventKind), to time: UInt64) {
    guard last.kind != .beforeWaitingLow, last.kind != .runEnd || !lane.open.isEmpty,
      time >= last.time, time - last.time >= Stay.shortestNs
    else { return }
    stays.append(Stay(thread: lane.thread, from: last.time, to: time))
  }
}
