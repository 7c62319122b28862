import CRLTraceShims
import TraceFormat

/// Empties the rings of a spool into a trace: converts ticks to time units, collects blocks, and writes them after
/// their definitions.
///
/// The slots of a ring are given back after the block that holds them was written. So the spool and the unfinished
/// trace file together hold every event at any moment. One thread at a time.
final class SpoolReader {
  let spool: Spool
  let output: RetriedOutput
  private let unit: TimeUnit
  private let notes: RecorderNotes?
  private var recorderThread = RecorderThread()
  var definitions: WaitingDefinitions
  var syncPoints = WaitingSyncPoints()
  var time: SpoolTime
  var rings = WaitingRings()
  var losses = LossAccount()
  /// Nil = all blocks are compressed, because no thread waits for room in its ring.
  var pressure: Pressure?
  /// When the program ended; nil while it runs. The trace ends then, however late it is finished.
  var end: () -> ClockReading? = { nil }

  /// Creates a reader. `namer` nil = code is named by its addresses. `notes`: the recorder's own observations.
  init(
    spool: Spool, unit: TimeUnit, namer: CodeNamer?, notes: RecorderNotes? = nil,
    makeOutput: () throws(TraceFormatError) -> any SpoolOutput
  ) {
    self.spool = spool
    self.unit = unit
    self.notes = notes
    definitions = WaitingDefinitions(spool, namer: namer)
    time = SpoolTime(origin: spool.origin)
    output = RetriedOutput(makeOutput)
  }

  /// A summary of what was written so far.
  var summary: RecordingSummary {
    var summary = output.target?.summary ?? RecordingSummary()
    summary.lostEvents = losses.all
    return summary
  }

  /// Fixes the line from ticks to time, from the spool's origin and a later reading.
  func calibrate(_ later: ClockReading) {
    let clock = TickClock(origin: spool.origin, later: later, usesCycles: spool.usesCycles, unit: unit)
    time.calibrate(clock, at: later)
    syncPoints.begin(clock, origin: spool.origin, later: later)
    syncPoints.write(to: output)
  }

  /// Empties all rings once, at `now` or at the program's end if that is earlier. Returns how full the fullest ring
  /// was, 0...1, or 0 while nothing can be written, because another cycle right away would be useless.
  func cycle(_ now: ClockReading) -> Double {
    let end = end()
    let reading = end.map { $0.monotonicNs < now.monotonicNs ? $0 : now } ?? now
    if !spool.isFoundCut { time.reading = reading }
    output.retry(at: now)
    var fullest = 0.0
    let used = rings.used(of: spool)
    let timeLimitNs = rings.timeLimitNs
    for number in used {
      let ring = spool.ring(number)
      // Read the state before the head, so that events published before the thread ended are seen.
      let state = ring.state
      guard isReadable(ring, state, number) else { continue }
      let unread = drain(ring, number)
      fullest = max(fullest, unread)
      if state == RLT_RING_ORPHANED {
        if !spool.isReadOnly { noteUnreportedLoss(ring, number) }
        guard flush(number), rings.cursors[number] == ring.head else { continue }
        if let ended = rings.pending[number] { output.target?.ended(thread: ended.thread) }
        rings.release(number)
        spool.free(ring)
      } else if let waiting = rings.pending[number], !waiting.events.isEmpty,
        time.reading.monotonicNs &- waiting.since > timeLimitNs
          || rings.cursors[number] &- ring.tail >= slotsOfBlock(of: ring, unread: unread)
      {
        flush(number)
      }
    }
    lookForCut()
    if spool.isFoundCut {
      // The waiting events have no other copy.
      flushAll()
    } else {
      rings.makeSure()
      time.makeSure()
      spool.remember()
      definitions.take()
    }
    writeNotes()
    if let clock = time.clock, let target = output.target {
      let now = clock.units(ticks: time.reading.ticks)
      if target.wantsCut(at: now) { cut { target throws(TraceFormatError) in try target.cut(at: now) } }
    }
    if output.lacksRoom { pressure?.end() }
    // Stored only when it changes: writing a page again on a full disk may cost the program time.
    if spool.isDiskFull != output.lacksRoom { spool.isDiskFull = output.lacksRoom }
    return output.isReady ? fullest : 0
  }

  /// Ends the trace at the last cycle if the spool is found cut.
  private func lookForCut() {
    guard !spool.isFoundCut, spool.isCut else { return }
    time.returnToSure()
    definitions.add([SpoolRecovery.endUnknown])
    rings.removeUnsure()
  }

  /// Writes the waiting events, and lets `body` begin a segment at the moment of the last cycle.
  private func cut(_ body: (any SpoolOutput) throws(TraceFormatError) -> Void) {
    guard let clock = time.clock, !output.isWaiting, flushAll() else { return }
    time.beginSegment(clock)
    // A cut that failed halfway cannot be repeated.
    if !output.attempt(body) { output.giveUp() }
  }

  // MARK: The newest part

  /// Returns what a recording of the newest part keeps, up to the last cycle; nil if it keeps everything.
  func recentPart() -> RecentPart? {
    guard let recent = output.target as? RecentTrace, let clock = time.clock else { return nil }
    var part: RecentPart?
    cut { [now = clock.units(ticks: time.reading.ticks)] _ throws(TraceFormatError) in
      part = try recent.part(at: now)
    }
    part?.furtherNames = definitions.further()
    return part
  }

  /// Returns the longest gap since the last call, if it is to be reported.
  func takeGap() -> UInt64? { (output.target as? RecentTrace)?.takeGap() }

  // MARK: Pressure

  /// Whether blocks are stored flat at present.
  var isUnderPressure: Bool {
    pressure?.isHigh(at: time.reading.monotonicNs, stored: output.flat.bytes) ?? false
  }

  /// Returns the number of read slots of a ring that are given back in any case: half of them, or fewer if the drain
  /// came late. `unread`: how full the ring was, 0...1.
  private func slotsOfBlock(of ring: SpoolRing, unread: Double) -> UInt64 {
    let half = ring.capacity / 2
    guard unread >= Pressure.lateShare || isUnderPressure else { return half }
    return min(half, Pressure.slotsOfBlock(capacity: ring.capacity))
  }

  /// Ends the pressure, because no thread stores events any more. The trace states how many blocks are flat.
  private func endPressure() {
    let blocks = output.flat.blocks
    if pressure != nil, blocks > 0 {
      definitions.add([InfoEntry(key: InfoEntry.flatBlocks, value: "\(blocks)")])
    }
    pressure = nil
  }

  // MARK: Rings

  private func drain(_ ring: SpoolRing, _ number: Int) -> Double {
    let head = ring.head
    if spool.isReadOnly { return look(at: ring, number, to: head) }
    let unread = head &- rings.cursors[number]
    guard unread > 0, let clock = time.clock else { return 0 }
    let capacity = ring.capacity
    // More than the ring holds: no recorder stored that.
    guard unread <= capacity else {
      rings.cursors[number] = head
      spool.giveBack(ring: number, before: head, events: 0)
      return 0
    }
    let waiting = waitingEvents(ring, number)
    // Under pressure, slots are given back in pieces small enough to stay in the cache until they are written.
    let piece = Pressure.slotsOfBlock(capacity: capacity)
    var hasWritten = false
    while rings.cursors[number] != head {
      take(ring, number, to: head, most: piece, clock, waiting)
      // Writing takes longer than reading, so it would make any thread seem fast.
      if !hasWritten {
        pressure?.note(
          unread: unread, arrived: ring.head &- head, capacity: capacity, at: time.reading.monotonicNs)
      }
      let isDue = isUnderPressure && rings.cursors[number] &- ring.tail >= piece
      guard isDue || waiting.events.isFull else { continue }
      guard flush(number), !spool.isFoundCut else { break }
      hasWritten = true
    }
    return Double(unread) / Double(capacity)
  }

  /// Moves events of a ring to the waiting events, up to `head`, until they took `most` slots, or until there is no
  /// room.
  func take(
    _ ring: SpoolRing, _ number: Int, to head: UInt64, most: UInt64 = .max, _ clock: TickClock,
    _ waiting: PendingEvents
  ) {
    rings.cursors[number] = time.take(
      ring, from: rings.cursors[number], to: head, most: most, clock, waiting, lost: &losses.reported)
  }

  func waitingEvents(_ ring: SpoolRing, _ number: Int) -> PendingEvents {
    rings.events(of: ring, number, now: time.reading)
  }

  /// Reports events that were lost after the last stored one. No record of the ring reports them yet.
  private func noteUnreportedLoss(_ ring: SpoolRing, _ number: Int) {
    let lost = ring.lostPending
    guard lost > 0, let clock = time.clock, rings.cursors[number] == ring.head else { return }
    let waiting = waitingEvents(ring, number)
    let events = waiting.events
    guard !waiting.hasReportedLoss, !events.isFull || flush(number) else { return }
    waiting.hasReportedLoss = true
    losses.reported &+= lost
    events.append(
      time: max(clock.units(ticks: time.reading.ticks), events.lastTime),
      kind: EventKind.lostEvents.rawValue,
      mode: 0, object: 0, arguments: [lost, ring.fullDiskPending])
  }

  // MARK: Blocks

  /// Writes the waiting events of a ring and gives its slots back. Returns false, and keeps them all, if that fails.
  @discardableResult
  func flush(_ number: Int) -> Bool {
    guard let waiting = rings.pending[number], !waiting.events.isEmpty else { return true }
    lookForCut()
    guard !waiting.events.isEmpty else { return true }
    guard definitions.write(to: output) else { return false }
    if losses.hasHole(waiting.thread) {
      guard writeLoss(0, at: waiting.events.firstTime, thread: waiting.thread) else { return false }
      losses.closeHole(of: waiting.thread)
    }
    guard output.write(waiting.events, thread: waiting.thread, isFlat: isUnderPressure) else {
      return false
    }
    let count = waiting.events.count
    waiting.events.removeAll()
    waiting.sureCount = 0
    // Not after a cut: a file that was truncated to nothing has no rings.
    if !spool.isFoundCut { spool.giveBack(ring: number, before: rings.cursors[number], events: count) }
    if let clock = time.clock {
      syncPoints.addIfDue(time.reading, clock)
      syncPoints.write(to: output)
    }
    return true
  }

  /// Writes the waiting events of all rings. Returns false if some cannot be written.
  @discardableResult
  func flushAll() -> Bool { rings.pending.indices.reduce(true) { flush($1) && $0 } }

  /// Writes what the recorder itself observed, with the clock readings around it.
  private func writeNotes() {
    // Leave notes in place while nothing can be written.
    guard let clock = time.clock, output.isReady, var found = notes?.takeAll(),
      !found.isEmpty || recorderThread.hasUnwritten
    else { return }
    if let end = end() { found.removeAll { $0.moment.monotonicNs > end.monotonicNs } }
    // The trace ends where the spool was cut, so the end of the process is unknown.
    if spool.isFoundCut { found.removeAll { $0.event?.kind == .processEnd || $0.fact != nil } }
    for reading in found.flatMap(\.clocks) { syncPoints.add(reading, clock, ifLaterBy: 0) }
    syncPoints.write(to: output)
    definitions.add(found.compactMap(\.fact))
    output.attempt { target throws(TraceFormatError) in
      try recorderThread.write(found, spool, clock, floor: time.floor, to: target)
    }
  }

  // MARK: The end

  /// Completes the trace after the program stopped recording. Returns false if writing fails; a further call resumes.
  func finish() -> Bool {
    endPressure()
    output.retry()
    for number in rings.used(of: spool) {
      let ring = spool.ring(number)
      guard ring.state != RLT_RING_FREE else { continue }
      _ = drain(ring, number)
      noteUnreportedLoss(ring, number)
      flush(number)
    }
    lookForCut()
    // In a spool that was cut, the waiting events belong to no ring.
    flushAll()
    definitions.takeAll(notes, at: time.reading)
    guard definitions.write(to: output) else { return false }
    writeNotes()
    losses.beyondRings.unwritten &+= spool.takeRinglessLost()
    tell(losses.beyondRings)
    tell(losses.damaged)
    syncPoints.close(time.reading, time.clock)
    guard syncPoints.write(to: output) else { return false }
    spool.noteWritten()
    return output.attempt { target throws(TraceFormatError) in try target.close() }
  }

  /// Ends without a trace.
  func discard() { output.target?.discard() }

  private func tell(_ loss: ThreadlessLoss) {
    guard let clock = time.clock, loss.unwritten > 0 else { return }
    let thread = loss.thread ?? spool.claimThread()
    if loss.thread == nil {
      loss.thread = thread
      definitions.add(ThreadDefinition(index: thread, osThread: 0, isMain: false, name: loss.name))
    }
    guard definitions.write(to: output),
      writeLoss(loss.unwritten, at: clock.units(ticks: time.reading.ticks), thread: thread)
    else { return }
    losses.reported &+= loss.unwritten
    loss.unwritten = 0
  }

  /// Writes an event that reports a loss. `count` 0 = the number is reported elsewhere.
  private func writeLoss(_ count: UInt64, at time: UInt64, thread: UInt32) -> Bool {
    let events = EventBuffer()
    events.append(time: time, kind: EventKind.lostEvents.rawValue, mode: 0, object: 0, arguments: [count])
    return spool.countWritten(1) { output.write(events, thread: thread) }
  }
}
