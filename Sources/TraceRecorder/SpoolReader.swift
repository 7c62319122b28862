import CRLTraceShims
import SystemSupport
import TraceFormat

/// Empties the rings of a spool into a trace: converts ticks to time units, collects blocks, and writes them after
/// their definitions.
///
/// The slots of a ring are given back after the block that holds them was written. So the spool and the unfinished
/// trace file together hold every event at any moment. One thread at a time.
final class SpoolReader {
  /// The longest wait of a block's first event. A block is written earlier if it is full, or half its ring is.
  static let blockPatienceNs: UInt64 = 2_000_000_000
  private static let threadsOfUsualPatience = 256
  static let syncIntervalNs: UInt64 = 1_000_000_000

  let spool: Spool
  private var names: SpoolNames
  private let unit: TimeUnit
  private let namer: CodeNamer?
  let output: (any SpoolOutput)?
  private let notes: RecorderNotes?
  private var recorderThread = RecorderThread()
  var clock: TickClock?
  var reading: ClockReading
  private var lastSyncNs: UInt64 = 0
  /// By ring number, for rings that were ever in use: the events that wait to be written, and the position up to
  /// which the ring was read.
  var pending: [PendingEvents?] = []
  var cursors: [UInt64] = []
  /// Whether the rings in use were looked at before. Later ones are new.
  private var knowsRings = false
  private var spareBuffers: [EventBuffer] = []
  var lostEvents: UInt64 = 0
  /// The number of slots that were overwritten before they were read. Only a reader that does not drain the spool
  /// misses any.
  var unseenSlots: UInt64 = 0
  /// The time at which the current segment begins. Events that are read later get no earlier time.
  var floor: UInt64 = 0
  /// Why there can be no trace. The stored events stay in place for a later recovery.
  private(set) var failure: TraceFormatError?
  /// Why the last attempt to write failed. Until the next attempt, at `retryNs`, events wait in their rings.
  private var obstacle: TraceFormatError?
  private var retryNs: UInt64 = 0
  private static let retryIntervalNs: UInt64 = 100_000_000
  /// Definitions from the log of names, and clock readings, that are still to be written.
  private var definitions = SpoolNames.Definitions()
  private var recordedNames = RecordedNames()
  var points: [SyncPoint] = []
  /// Whether the last clock reading was taken.
  private var isClosing = false
  private let beyondRings = ThreadlessLoss("(threads beyond the recorder's \(Spool.ringCount) rings)")
  let damaged = ThreadlessLoss("(events that had been written and are damaged)")
  /// The last cycle after which the spool was not cut. Data read since may be zeros that no thread stored.
  private var lastSure: ClockReading
  /// When the program ended; nil while it runs. The trace ends then, however late it is finished.
  var end: () -> ClockReading? = { nil }
  private let timeArguments = TimeArguments.masks
  /// The order of the written blocks. In a damaged file, several rings may claim the same thread.
  var order = BlockOrder()
  /// Whether events are missing between the written and the read ones. Each thread reports the loss once.
  var isBehindHole = false
  var reportedHoles: Set<UInt32> = []

  /// Creates a reader. `namer` nil = code is named by its addresses. `notes`: the recorder's own observations.
  init(
    spool: Spool, unit: TimeUnit, namer: CodeNamer?, notes: RecorderNotes? = nil,
    makeOutput: () throws(TraceFormatError) -> any SpoolOutput
  ) {
    self.spool = spool
    self.unit = unit
    self.notes = notes
    self.namer = namer
    names = SpoolNames(spool: spool, namer: namer)
    reading = spool.origin
    lastSure = spool.origin
    do throws(TraceFormatError) {
      output = try makeOutput()
    } catch {
      output = nil
      failure = error
    }
  }

  /// A summary of what was written so far.
  var summary: RecordingSummary {
    var summary = output?.summary ?? RecordingSummary()
    summary.lostEvents = lostEvents &+ beyondRings.unwritten &+ damaged.unwritten
    return summary
  }

  /// Fixes the line from ticks to time, from the spool's origin and a later reading.
  func calibrate(_ later: ClockReading) {
    reading = later
    let clock = TickClock(origin: spool.origin, later: later, usesCycles: spool.usesCycles, unit: unit)
    self.clock = clock
    lastSyncNs = later.monotonicNs
    points.append(clock.syncPoint(spool.origin))
    writePoints()
  }

  /// Runs `body` unless writing is failing. Returns false if it is, or if `body` failed: nothing was written.
  @discardableResult
  private func attempt(_ body: (any SpoolOutput) throws(TraceFormatError) -> Void) -> Bool {
    guard failure == nil, obstacle == nil, let output else { return false }
    do throws(TraceFormatError) {
      try body(output)
      return true
    } catch {
      obstacle = error
      return false
    }
  }

  @discardableResult
  func writePoints() -> Bool {
    while let point = points.first {
      guard attempt({ output throws(TraceFormatError) in try output.write(point) }) else { return false }
      points.removeFirst()
    }
    return true
  }

  /// Empties all rings once, at `now` or at the program's end if that is earlier. Returns how full the fullest ring
  /// was, 0...1, and 0 while nothing can be written, because looking again at once is useless then.
  func cycle(_ now: ClockReading) -> Double {
    let end = end()
    let reading = end.map { $0.monotonicNs < now.monotonicNs ? $0 : now } ?? now
    if !spool.isFoundCut { self.reading = reading }
    if obstacle != nil {
      if retryNs == 0 { retryNs = now.monotonicNs + SpoolReader.retryIntervalNs }
      if now.monotonicNs >= retryNs { (obstacle, retryNs) = (nil, 0) }
    }
    var fullest = 0.0
    let rings = usedRings()
    let timeLimitNs = timeLimitNs
    for number in rings {
      let ring = spool.ring(number)
      // Read the state before the head, so that events published before the thread ended are seen.
      let state = ring.state
      guard isReadable(ring, state, number) else { continue }
      fullest = max(fullest, drain(ring, number))
      if state == RLT_RING_ORPHANED {
        if !spool.isReadOnly { noteUnreportedLoss(ring, number) }
        guard flush(number), cursors[number] == ring.head else { continue }
        if let ended = pending[number] {
          output?.ended(thread: ended.thread)
          if spareBuffers.count < 8 { spareBuffers.append(ended.events) }
        }
        pending[number] = nil
        spool.free(ring)
      } else if let waiting = pending[number], !waiting.events.isEmpty,
        reading.monotonicNs &- waiting.since > timeLimitNs
          || cursors[number] &- ring.tail >= ring.capacity / 2
      {
        flush(number)
      }
    }
    lookForCut()
    if spool.isFoundCut {
      // The waiting events have no other copy.
      flushAll()
    } else {
      for case let waiting? in pending { waiting.sureCount = waiting.events.count }
      lastSure = reading
      spool.remember()
      takeNames()
    }
    writeNotes()
    if let clock, let output {
      let now = clock.units(ticks: reading.ticks)
      if output.wantsCut(at: now) { cut { output throws(TraceFormatError) in try output.cut(at: now) } }
    }
    // Stored only when it changes: writing a page again on a full disk may cost the program time.
    if spool.isDiskFull != lacksRoom { spool.isDiskFull = lacksRoom }
    return failure == nil && obstacle == nil ? fullest : 0
  }

  /// Returns the numbers of the rings that were ever in use. These are the first ones.
  func usedRings() -> Range<Int> {
    let used = spool.usedRings
    while cursors.count < used {
      let number = cursors.count
      // A reader that only looks may find a new ring after some of its events were given back.
      cursors.append(spool.isReadOnly && knowsRings ? spool.ring(number).claimedHead : spool.start(number))
      pending.append(nil)
    }
    knowsRings = true
    return 0..<used
  }

  /// The longest wait of a block. It is longer with very many threads, because the blocks of a trace are limited.
  private var timeLimitNs: UInt64 {
    let waiting = pending.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
    return SpoolReader.blockPatienceNs * UInt64(max(1, waiting / SpoolReader.threadsOfUsualPatience))
  }

  /// Ends the trace at the last cycle if the spool is found cut.
  private func lookForCut() {
    guard !spool.isFoundCut, spool.isCut else { return }
    reading = lastSure
    definitions.info.append(SpoolRecovery.endUnknown)
    for case let waiting? in pending { waiting.events.removeLast(waiting.events.count - waiting.sureCount) }
  }

  /// Writes the waiting events, and lets `body` begin a segment at the moment of the last cycle.
  private func cut(_ body: (any SpoolOutput) throws(TraceFormatError) -> Void) {
    guard let clock, obstacle == nil, flushAll() else { return }
    floor = clock.units(ticks: reading.ticks) + 1
    // A cut that failed halfway cannot be repeated.
    if !attempt(body) { failure = failure ?? obstacle }
  }

  // MARK: The newest part

  /// Returns what a recording of the newest part keeps, up to the last cycle; nil if it keeps everything.
  func recentPart() -> RecentPart? {
    guard let recent = output as? RecentTrace, let clock else { return nil }
    var part: RecentPart?
    cut { [now = clock.units(ticks: reading.ticks)] _ throws(TraceFormatError) in
      part = try recent.part(at: now)
    }
    part?.furtherNames = namer?.untaken()
    return part
  }

  /// Returns the longest gap since the last call, if it is to be reported.
  func takeGap() -> UInt64? { (output as? RecentTrace)?.takeGap() }

  private func drain(_ ring: SpoolRing, _ number: Int) -> Double {
    let head = ring.head
    if spool.isReadOnly { return look(at: ring, number, to: head) }
    let unread = head &- cursors[number]
    guard unread > 0, let clock else { return 0 }
    let capacity = ring.capacity
    // More than the ring holds: no recorder stored that.
    guard unread <= capacity else {
      cursors[number] = head
      spool.giveBack(ring: number, before: head, events: 0)
      return 0
    }
    let waiting = pendingBuffer(ring, number)
    take(ring, number, to: head, clock, waiting)
    while cursors[number] != head {
      guard flush(number), !spool.isFoundCut else { break }
      take(ring, number, to: head, clock, waiting)
    }
    return Double(unread) / Double(capacity)
  }

  /// Moves events of a ring to the waiting events, up to `head` or until there is no room.
  func take(
    _ ring: SpoolRing, _ number: Int, to head: UInt64, _ clock: TickClock, _ waiting: PendingEvents
  ) {
    let events = waiting.events
    var at = cursors[number]
    while at != head, !events.isFull {
      if events.isEmpty { waiting.since = reading.monotonicNs }
      at &+= appendPlain(ring, at, to: head, clock, events)
      guard at != head, !events.isFull else { continue }
      let record = ring[at]
      guard record.arguments > 0 else { continue }
      let argumentSlots = (UInt64(record.arguments) + 1) / 2
      at &+= 1
      guard head &- at >= argumentSlots else {
        at = head
        break
      }
      let time = max(clock.units(ticks: record.stamp), events.lastTime, floor)
      appendWithArguments(record, time, ring, at, clock, events)
      at &+= argumentSlots
    }
    cursors[number] = at
  }

  /// Appends events without arguments, which most are. Returns the number of slots they took.
  private func appendPlain(
    _ ring: SpoolRing, _ at: UInt64, to head: UInt64, _ clock: TickClock, _ events: EventBuffer
  ) -> UInt64 {
    let first = max(events.lastTime, floor)
    return clock.isCoarse
      ? ring.append(from: at, to: head, into: events, first: first) { clock.units(ticks: $0, isCoarse: true) }
      : ring.append(from: at, to: head, into: events, first: first) {
        clock.units(ticks: $0, isCoarse: false)
      }
  }

  private func appendWithArguments(
    _ record: rlt_record, _ time: UInt64, _ ring: SpoolRing, _ at: UInt64, _ clock: TickClock,
    _ events: EventBuffer
  ) {
    let count = Int(record.arguments)
    unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count + 1) { arguments in
      for i in 0..<(count + 1) / 2 {
        let pair = ring.arguments(at &+ UInt64(i))
        unsafe arguments[2 * i] = pair.first
        unsafe arguments[2 * i + 1] = pair.second
      }
      // Rings hold times as CLOCK_MONOTONIC nanoseconds.
      var times = timeArguments[Int(record.kind)]
      while times != 0 {
        let position = times.trailingZeroBitCount
        times &= times - 1
        guard position < count else { break }
        unsafe arguments[position] = clock.units(
          monotonicNs: arguments[position], eventTicks: record.stamp, near: reading)
      }
      if record.kind == EventKind.lostEvents.rawValue { unsafe lostEvents &+= arguments[0] }
      unsafe events.append(
        time: time, kind: record.kind, mode: record.mode, object: record.object,
        arguments: UnsafeBufferPointer(rebasing: arguments[..<count]))
    }
  }

  func pendingBuffer(_ ring: SpoolRing, _ number: Int) -> PendingEvents {
    let thread = min(ring.thread, UInt32(TraceLimits.threads - 1))
    if let buffer = pending[number], buffer.thread == thread { return buffer }
    let buffer = PendingEvents(
      thread: thread, events: spareBuffers.popLast() ?? EventBuffer(), since: reading.monotonicNs)
    pending[number] = buffer
    return buffer
  }

  /// Reports events that were lost after the last stored one. No record of the ring reports them yet.
  private func noteUnreportedLoss(_ ring: SpoolRing, _ number: Int) {
    let lost = ring.lostPending
    guard lost > 0, let clock, cursors[number] == ring.head else { return }
    let waiting = pendingBuffer(ring, number)
    let events = waiting.events
    guard !waiting.hasReportedLoss, !events.isFull || flush(number) else { return }
    waiting.hasReportedLoss = true
    lostEvents &+= lost
    events.append(
      time: max(clock.units(ticks: reading.ticks), events.lastTime), kind: EventKind.lostEvents.rawValue,
      mode: 0, object: 0, arguments: [lost, ring.fullDiskPending])
  }

  /// Writes the waiting events of a ring and gives its slots back. Returns false, and keeps them all, if that fails.
  @discardableResult
  func flush(_ number: Int) -> Bool {
    guard let waiting = pending[number], !waiting.events.isEmpty else { return true }
    lookForCut()
    guard !waiting.events.isEmpty else { return true }
    guard writeDefinitions() else { return false }
    if isBehindHole, !reportedHoles.contains(waiting.thread) {
      guard writeLoss(0, at: waiting.events.firstTime, thread: waiting.thread) else { return false }
      reportedHoles.insert(waiting.thread)
    }
    guard write(waiting.events, thread: waiting.thread) else { return false }
    let count = waiting.events.count
    waiting.events.removeAll()
    waiting.sureCount = 0
    // Not after a cut: a file that was truncated to nothing has no rings.
    if !spool.isFoundCut { spool.giveBack(ring: number, before: cursors[number], events: count) }
    writeSyncPoint()
    return true
  }

  private func write(_ events: EventBuffer, thread: UInt32) -> Bool {
    guard !events.isEmpty else { return true }
    events.raise(to: order.end(of: thread))
    guard attempt({ output throws(TraceFormatError) in try output.write(events, thread: thread) }) else {
      return false
    }
    order.note(thread, end: events.lastTime)
    return true
  }

  /// Writes the waiting events of all rings. Returns false if some cannot be written.
  @discardableResult
  func flushAll() -> Bool { pending.indices.reduce(true) { flush($1) && $0 } }

  /// Writes a sync point, at most one per block and per `syncIntervalNs`, for traces that are cut short.
  private func writeSyncPoint() {
    guard let clock, reading.monotonicNs > lastSyncNs &+ SpoolReader.syncIntervalNs else { return }
    lastSyncNs = reading.monotonicNs
    points.append(clock.syncPoint(reading))
    writePoints()
  }

  /// Writes what the recorder itself observed, with the clock readings around it.
  private func writeNotes() {
    // Leave notes in place while nothing can be written.
    guard let clock, failure == nil, obstacle == nil, var found = notes?.takeAll(),
      !found.isEmpty || recorderThread.hasUnwritten
    else { return }
    if let end = end() { found.removeAll { $0.moment.monotonicNs > end.monotonicNs } }
    // The trace ends where the spool was cut, so the end of the process is unknown.
    if spool.isFoundCut { found.removeAll { $0.event?.kind == .processEnd || $0.fact != nil } }
    for reading in found.flatMap(\.clocks) where reading.monotonicNs > lastSyncNs {
      lastSyncNs = reading.monotonicNs
      points.append(clock.syncPoint(reading))
    }
    writePoints()
    definitions.info += found.compactMap(\.fact)
    attempt { output throws(TraceFormatError) in
      try recorderThread.write(found, spool, clock, floor: floor, to: output)
    }
  }

  private func takeNames() {
    let new = names.takeNew()
    recordedNames.note(new)
    definitions.append(new)
  }

  private func writeDefinitions() -> Bool {
    takeNames()
    guard !definitions.isEmpty else { return true }
    return attempt { output throws(TraceFormatError) in try output.write(&definitions) }
  }

  // MARK: The end

  /// Completes the trace after the program stopped recording. Returns false if writing fails; a further call resumes.
  func finish() -> Bool {
    obstacle = nil
    for number in usedRings() {
      let ring = spool.ring(number)
      guard ring.state != RLT_RING_FREE else { continue }
      _ = drain(ring, number)
      noteUnreportedLoss(ring, number)
      flush(number)
    }
    lookForCut()
    // In a spool that was cut, the waiting events belong to no ring.
    flushAll()
    namer?.wait()
    takeNames()
    if let notes { definitions.strings += recordedNames.hand(to: notes, at: reading) }
    guard writeDefinitions() else { return false }
    writeNotes()
    beyondRings.unwritten &+= spool.takeRinglessLost()
    tell(beyondRings)
    tell(damaged)
    if let clock, !isClosing { points.append(clock.syncPoint(reading)) }
    isClosing = true
    guard writePoints() else { return false }
    spool.noteWritten()
    return attempt { output throws(TraceFormatError) in try output.close() }
  }

  /// Makes the last obstacle final: there is no further attempt.
  func giveUp() { failure = failure ?? obstacle }

  /// Whether the last attempt failed for lack of room, which may be available again later.
  var lacksRoom: Bool {
    guard case .system(_, let code) = obstacle else { return false }
    return code == ENOSPC || code == EDQUOT
  }

  /// Ends without a trace.
  func discard() { output?.discard() }

  private func tell(_ loss: ThreadlessLoss) {
    guard let clock, loss.unwritten > 0 else { return }
    let thread = loss.thread ?? spool.claimThread()
    if loss.thread == nil {
      loss.thread = thread
      definitions.append(
        SpoolNames.Definitions(
          recorderThread: ThreadDefinition(index: thread, osThread: 0, isMain: false, name: loss.name)))
    }
    guard writeDefinitions(),
      writeLoss(loss.unwritten, at: clock.units(ticks: reading.ticks), thread: thread)
    else { return }
    lostEvents &+= loss.unwritten
    loss.unwritten = 0
  }

  /// Writes an event that reports a loss. `count` 0 = the number is reported elsewhere.
  private func writeLoss(_ count: UInt64, at time: UInt64, thread: UInt32) -> Bool {
    let events = EventBuffer()
    events.append(time: time, kind: EventKind.lostEvents.rawValue, mode: 0, object: 0, arguments: [count])
    return spool.countWritten(1) { write(events, thread: thread) }
  }
}
