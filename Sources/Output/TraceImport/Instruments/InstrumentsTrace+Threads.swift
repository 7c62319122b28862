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
    /// The last event of the run of each level.
    var lastOfLevel: [UInt8: EventKind] = [:]
  }

  mutating func write(_ lane: consuming Lane) throws(TraceFormatError) {
    let definition = recording.names.threads[lane.thread]
    try trace.begin(thread: definition.name, osThread: definition.tid, isMain: isMain(lane.thread))
    for row in recording.loops[lane.thread]?.inOrder() ?? [] {
      // Nothing is inside a wait. An interval of the same depth ends an open one, even if the table lacks its end.
      while let top = lane.open.last, isOver(top, before: row) { try endInnermost(&lane, at: row.start) }
      if row.kind != .run { try enter(around: row, &lane) }
      var row = row
      if let around = lane.open.last {
        row.end = min(row.end, around.end)
        // The activities of a run have its mode.
        if row.mode < 0 || around.level == row.level { row.mode = around.mode }
      }
      try begin(row, &lane)
      lane.open.append(row)
    }
    while !lane.open.isEmpty { try endInnermost(&lane, at: .max) }
    if let last = lane.last { noteStay(lane, from: last, to: .max) }
    try emitNotes(&lane, until: .max)
  }

  /// The longest time between two passes of a run. CFRunLoop takes well below a microsecond.
  private static let betweenPassesNs: UInt64 = 100_000

  private func isOver(_ top: LoopRow, before row: LoopRow) -> Bool {
    if top.depth >= row.depth || top.kind == .wait { return true }
    return top.end < (top.isImplied ? row.start - min(row.start, Self.betweenPassesNs) : row.start)
  }

  /// Begins the run of a pass or wait whose own run is not in the table. The first one of a thread began before the
  /// recording; a later one is taken to begin here.
  private mutating func enter(around row: LoopRow, _ lane: inout Lane) throws(TraceFormatError) {
    if let place = lane.open.lastIndex(where: { $0.kind == .run && $0.level == row.level }) {
      let run = lane.open[place]
      guard run.isImplied else { return }
      if row.mode < 0 || row.mode == run.mode {
        // It ends with what is around it at the latest.
        lane.open[place].end = lane.open[..<place].last?.end ?? LoopRow.open
        return
      }
      while lane.open.count > place { try endInnermost(&lane, at: row.start) }
    }
    var run = LoopRow(kind: .run, level: row.level)
    (run.start, run.mode, run.isImplied) = (row.start, row.mode, true)
    if let around = lane.open.last {
      run.end = around.end
      if run.mode < 0 { run.mode = around.mode }
    }
    if lane.loop != 0, run.start > 0 { try emit(run, .entryLow, run.start, &lane) }
    lane.open.append(run)
  }

  /// Ends the innermost row at its end, or at the begin of the next one.
  private mutating func endInnermost(_ lane: inout Lane, at next: UInt64) throws(TraceFormatError) {
    guard var row = lane.open.last else { return }
    if row.end != LoopRow.open || next != .max { row.end = min(row.end, next) }
    try end(row, &lane)
    lane.open.removeLast()
    if let place = lane.open.indices.last, lane.open[place].isImplied { lane.open[place].end = row.end }
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
      // A pass has one wait at most. If the table lacks the pass of another one, it begins here.
      if isBegun, [.entryLow, .afterWaitingLow].contains(lane.lastOfLevel[row.level]) {
        try emit(row, .beforeTimersLow, row.start, &lane)
      }
      if isBegun { try emit(row, .beforeWaitingLow, row.start, &lane) }
    }
  }

  private mutating func end(_ row: LoopRow, _ lane: inout Lane) throws(TraceFormatError) {
    guard row.end != LoopRow.open else { return }
    switch row.kind {
    case .run:
      try emit(row, .exitLow, row.end, &lane)
      // The begin of a run that began before the recording was not written.
      if !row.isImplied, row.start > 0 { try emit(row, .runEnd, row.end, &lane, [UInt64(row.result)]) }
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
    lane.lastOfLevel[row.level] = kind
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
    let isOutside = [.runEnd, .exitLow].contains(last.kind) && lane.open.isEmpty
    guard last.kind != .beforeWaitingLow, !isOutside,
      time >= last.time, time - last.time >= Stay.shortestNs
    else { return }
    stays.append(Stay(thread: lane.thread, from: last.time, to: time))
  }
}
