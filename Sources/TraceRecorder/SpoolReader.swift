import CRLTraceShims
import TraceFormat

/// Empties the rings of a spool into a trace: converts ticks to time units, collects blocks, writes them and before
/// them the definitions they refer to.
///
/// A ring's slots are given back after the block that holds them was written, so that a spool and the begun trace
/// file together hold every event at any moment. One thread at a time.
final class SpoolReader {
  /// A block is written when it is full, when half its ring is, or when its first event has waited this long.
  static let blockPatienceNs: UInt64 = 2_000_000_000
  private static let threadsOfUsualPatience = 256
  static let syncIntervalNs: UInt64 = 1_000_000_000

  let spool: Spool
  private var names: SpoolNames
  private let unit: TimeUnit
  private let namer: CodeNamer?
  private let output: (any SpoolOutput)?
  private let notes: RecorderNotes?
  private var recorderThread = RecorderThread()
  private var clock: TickClock?
  private var reading: ClockReading
  private var lastSyncNs: UInt64 = 0
  /// By ring number, for rings that were ever in use: the events that wait to be written, and how far the ring has been
  /// read.
  private var pending: [PendingEvents?] = []
  private var cursors: [UInt64] = []
  private var spareBuffers: [EventBuffer] = []
  private var lostEvents: UInt64 = 0
  /// Where the segment under way begins: an event that is read later is not before it.
  private var floor: UInt64 = 0
  /// Why there can be no trace. What is stored stays where it is, for whoever finishes it.
  private(set) var failure: TraceFormatError?
  /// Why the last attempt to write failed. The next is made from `retryNs` on; until then, events wait in their rings.
  private var obstacle: TraceFormatError?
  private var retryNs: UInt64 = 0
  private static let retryIntervalNs: UInt64 = 100_000_000
  /// What was taken from the log of names, and clock readings, that are still to be written.
  private var definitions = SpoolNames.Definitions()
  private var recordedNames = RecordedNames()
  private var points: [SyncPoint] = []
  /// The last of them was taken.
  private var isClosing = false
  private let beyondRings = ThreadlessLoss("(threads beyond the recorder's \(Spool.ringCount) rings)")
  private let damaged = ThreadlessLoss("(events that had been written and are damaged)")
  /// The last cycle after which the spool was not cut: what was read since may be zeros that nobody stored.
  private var lastSure: ClockReading
  /// When the program ended, nil while it runs: the trace ends then, however late it is finished.
  var end: () -> ClockReading? = { nil }
  private let timeArguments = TimeArguments.masks
  /// Of what was written. Rings of a file may all say that they are of one thread.
  private var order = BlockOrder()
  /// Events are missing between what was written of a thread and what is read: each says so, once.
  private var isBehindHole = false
  private var toldOfHole: Set<UInt32> = []

  /// `namer` nil: code is told by its addresses. `notes`: what the recorder has to say besides.
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

  /// Passes over blocks that a recorder wrote and that are still in their rings, because it was killed before it gave the
  /// slots back. `lastBlock`: its last one of a thread. Returns the number of these events. `now`: as in `cycle`.
  func passOver(
    _ now: ClockReading, _ lastBlock: (UInt32) throws(TraceFormatError) -> DecodedEvents?
  ) throws(TraceFormatError) -> UInt64 {
    reading = now
    var passed: UInt64 = 0
    for number in usedRings() {
      let ring = spool.ring(number)
      let head = ring.head
      guard let clock, ring.state != RLT_RING_FREE, (1...ring.capacity).contains(head &- cursors[number])
      else { continue }
      let waiting = pendingBuffer(ring, number)
      guard let block = try lastBlock(waiting.thread) else { continue }
      take(ring, number, to: head, clock, waiting)
      guard waiting.events.begins(with: block) else { continue }
      waiting.events.removeFirst(block.count)
      passed &+= UInt64(block.count)
      lostEvents &-= block.lostEvents
      // It goes on where that block ends.
      toldOfHole.insert(waiting.thread)
    }
    return passed
  }

  /// What another recorder wrote comes first, of each thread up to `ends`. `missing`: events among it that nobody can read
  /// any more.
  func goOn(behind ends: [UInt32: UInt64], missing: UInt64) {
    order = BlockOrder(behind: ends)
    isBehindHole = missing > 0
    damaged.untold &+= missing
  }

  /// What was written so far.
  var summary: RecordingSummary {
    var summary = output?.summary ?? RecordingSummary()
    summary.lostEvents = lostEvents &+ beyondRings.untold &+ damaged.untold
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

  /// Runs `body` unless writing fails at the moment. False when it does: then nothing was written.
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
  private func writePoints() -> Bool {
    while let point = points.first {
      guard attempt({ output throws(TraceFormatError) in try output.write(point) }) else { return false }
      points.removeFirst()
    }
    return true
  }

  /// Empties all rings once, at the moment `reading`. Returns how full the fullest was, 0...1; 0 while nothing can be
  /// written, and there is no use in looking again at once.
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
    let patienceNs = patienceNs
    for number in rings {
      let ring = spool.ring(number)
      // The state is read before the head: events published before the thread ended are seen.
      let state = ring.state
      guard state == RLT_RING_OWNED || state == RLT_RING_ORPHANED else { continue }
      fullest = max(fullest, drain(ring, number))
      if state == RLT_RING_ORPHANED {
        noteUntoldLoss(ring, number)
        guard flush(number), cursors[number] == ring.head else { continue }
        if let ended = pending[number] {
          output?.ended(thread: ended.thread)
          if spareBuffers.count < 8 { spareBuffers.append(ended.events) }
        }
        pending[number] = nil
        ring.free()
      } else if let waiting = pending[number], !waiting.events.isEmpty,
        reading.monotonicNs &- waiting.since > patienceNs
          || cursors[number] &- ring.tail >= ring.capacity / 2
      {
        flush(number)
      }
    }
    lookForCut()
    if spool.isFoundCut {
      // Of what waits there is nothing else.
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
    // Not at each cycle: a page that is written again may cost a full disk's program time.
    if spool.isDiskFull != lacksRoom { spool.isDiskFull = lacksRoom }
    return failure == nil && obstacle == nil ? fullest : 0
  }

  /// The rings that were ever in use. These are the first ones.
  private func usedRings() -> Range<Int> {
    let used = spool.usedRings
    while cursors.count < used {
      cursors.append(spool.start(cursors.count))
      pending.append(nil)
    }
    return 0..<used
  }

  /// With very many threads, blocks wait longer, because a trace holds a limited number of blocks.
  private var patienceNs: UInt64 {
    let waiting = pending.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
    return SpoolReader.blockPatienceNs * UInt64(max(1, waiting / SpoolReader.threadsOfUsualPatience))
  }

  /// When the spool is found cut, the trace ends at the last cycle.
  private func lookForCut() {
    guard !spool.isFoundCut, spool.isCut else { return }
    reading = lastSure
    definitions.info.append(SpoolRecovery.endUnknown)
    for case let waiting? in pending { waiting.events.removeLast(waiting.events.count - waiting.sureCount) }
  }

  /// Writes what waits, and lets `body` begin a segment at the moment of the last cycle.
  private func cut(_ body: (any SpoolOutput) throws(TraceFormatError) -> Void) {
    guard let clock, obstacle == nil, flushAll() else { return }
    floor = clock.units(ticks: reading.ticks) + 1
    // Half a cut cannot be done again.
    if !attempt(body) { failure = failure ?? obstacle }
  }

  // MARK: The newest part

  /// What is kept of a recording of the newest part, up to the last cycle; nil when everything is written.
  func recentPart() -> RecentPart? {
    guard let recent = output as? RecentTrace, let clock else { return nil }
    var part: RecentPart?
    cut { [now = clock.units(ticks: reading.ticks)] _ throws(TraceFormatError) in
      part = try recent.part(at: now)
    }
    part?.furtherNames = namer?.untaken()
    return part
  }

  /// The longest gap to be reported since the last call.
  func takeGap() -> UInt64? { (output as? RecentTrace)?.takeGap() }

  private func drain(_ ring: SpoolRing, _ number: Int) -> Double {
    let head = ring.head
    let unread = head &- cursors[number]
    guard unread > 0, let clock else { return 0 }
    let capacity = ring.capacity
    // More than a ring holds: no recorder's doing.
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

  /// Moves events of a ring to where they wait, up to `head` or until there is no room.
  private func take(
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

  /// Most events have no arguments. Returns how many slots they took.
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
      // Rings carry times as CLOCK_MONOTONIC nanoseconds.
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

  private func pendingBuffer(_ ring: SpoolRing, _ number: Int) -> PendingEvents {
    let thread = min(ring.thread, UInt32(TraceLimits.threads - 1))
    if let buffer = pending[number], buffer.thread == thread { return buffer }
    let buffer = PendingEvents(
      thread: thread, events: spareBuffers.popLast() ?? EventBuffer(), since: reading.monotonicNs)
    pending[number] = buffer
    return buffer
  }

  /// Events lost since the last one stored stand in no record of the ring yet.
  private func noteUntoldLoss(_ ring: SpoolRing, _ number: Int) {
    let lost = ring.lostPending
    guard lost > 0, let clock, cursors[number] == ring.head else { return }
    let waiting = pendingBuffer(ring, number)
    let events = waiting.events
    guard !waiting.hasToldLoss, !events.isFull || flush(number) else { return }
    waiting.hasToldLoss = true
    lostEvents &+= lost
    events.append(
      time: max(clock.units(ticks: reading.ticks), events.lastTime), kind: EventKind.lostEvents.rawValue,
      mode: 0, object: 0, arguments: [lost, ring.fullDiskPending])
  }

  /// Writes what waits for a ring, and gives its slots back. False when it cannot be written: all of it stays.
  @discardableResult
  private func flush(_ number: Int) -> Bool {
    guard let waiting = pending[number], !waiting.events.isEmpty else { return true }
    lookForCut()
    guard !waiting.events.isEmpty else { return true }
    guard writeDefinitions() else { return false }
    if isBehindHole, !toldOfHole.contains(waiting.thread) {
      guard writeLoss(0, at: waiting.events.firstTime, thread: waiting.thread) else { return false }
      toldOfHole.insert(waiting.thread)
    }
    guard write(waiting.events, thread: waiting.thread) else { return false }
    let count = waiting.events.count
    waiting.events.removeAll()
    waiting.sureCount = 0
    // Not after a cut: of one that was cut to nothing there is no ring.
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

  /// Writes what waits for any ring. False when some of it cannot be written.
  @discardableResult
  func flushAll() -> Bool { pending.indices.reduce(true) { flush($1) && $0 } }

  /// At most one per block and one in `syncIntervalNs`, so that a trace that is cut short knows its clocks as well.
  private func writeSyncPoint() {
    guard let clock, reading.monotonicNs > lastSyncNs &+ SpoolReader.syncIntervalNs else { return }
    lastSyncNs = reading.monotonicNs
    points.append(clock.syncPoint(reading))
    writePoints()
  }

  /// What the recorder saw itself, with the clocks around it.
  private func writeNotes() {
    // What cannot be written is not taken.
    guard let clock, failure == nil, obstacle == nil, var found = notes?.takeAll(),
      !found.isEmpty || recorderThread.hasUnwritten
    else { return }
    if let end = end() { found.removeAll { $0.moment.monotonicNs > end.monotonicNs } }
    // The trace ends where the spool was cut, and the end of the process is unknown.
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

  /// Writes what is left, and completes the trace. The program records no more. False when it cannot be written; a
  /// further call goes on from there.
  func finish() -> Bool {
    obstacle = nil
    for number in usedRings() {
      let ring = spool.ring(number)
      guard ring.state != RLT_RING_FREE else { continue }
      _ = drain(ring, number)
      noteUntoldLoss(ring, number)
      flush(number)
    }
    lookForCut()
    // Of one that was cut, what waits has no ring.
    flushAll()
    namer?.wait()
    takeNames()
    if let notes { definitions.strings += recordedNames.hand(to: notes, at: reading) }
    guard writeDefinitions() else { return false }
    writeNotes()
    beyondRings.untold &+= spool.takeRinglessLost()
    tell(beyondRings)
    tell(damaged)
    if let clock, !isClosing { points.append(clock.syncPoint(reading)) }
    isClosing = true
    guard writePoints() else { return false }
    spool.noteWritten()
    return attempt { output throws(TraceFormatError) in try output.close() }
  }

  /// There is to be no further attempt.
  func giveUp() { failure = failure ?? obstacle }

  /// Whether there was no room, which there may be again.
  var lacksRoom: Bool {
    guard case .system(_, let code) = obstacle else { return false }
    return code == ENOSPC || code == EDQUOT
  }

  /// Ends without a trace.
  func discard() { output?.discard() }

  private func tell(_ loss: ThreadlessLoss) {
    guard let clock, loss.untold > 0 else { return }
    let thread = loss.thread ?? spool.claimThread()
    if loss.thread == nil {
      loss.thread = thread
      definitions.append(
        SpoolNames.Definitions(
          recorderThread: ThreadDefinition(index: thread, osThread: 0, isMain: false, name: loss.name)))
    }
    guard writeDefinitions(),
      writeLoss(loss.untold, at: clock.units(ticks: reading.ticks), thread: thread)
    else { return }
    lostEvents &+= loss.untold
    loss.untold = 0
  }

  /// `count` 0: how many is said elsewhere.
  private func writeLoss(_ count: UInt64, at time: UInt64, thread: UInt32) -> Bool {
    let events = EventBuffer()
    events.append(time: time, kind: EventKind.lostEvents.rawValue, mode: 0, object: 0, arguments: [count])
    return spool.countWritten(1) { write(events, thread: thread) }
  }
}
