import CRLTraceShims
import Dispatch
import Synchronization
import TraceFormat

/// The thread that empties the rings: converts ticks to time units, collects blocks, compresses and writes.
///
/// Everything in here runs on the drain thread, except `requestStop` and `waitUntilDone`.
final class Drain: @unchecked Sendable {
  /// A block is written when it is full, or when its first event has waited this long.
  static let blockPatienceNs: UInt64 = 2_000_000_000
  static let syncIntervalNs: UInt64 = 1_000_000_000
  /// How long the drain sleeps when rings were nearly empty; a busy ring is looked at again at once.
  private static let shortestSleepNs: UInt64 = 1_000_000
  private static let longestSleepNs: UInt64 = 32_000_000

  private let spool: Spool
  private let names: NameTables
  private let origin: ClockReading
  private let unit: TimeUnit
  private let usesCycles: Bool
  /// Drops the half-written file.
  private let discard: @Sendable () -> Void
  private let makeWriter: @Sendable () throws(TraceFormatError) -> TraceWriter
  private let wake = DispatchSemaphore(value: 0)
  private let isStopRequested = Atomic(false)
  private let done = DispatchSemaphore(value: 0)

  private var writer: TraceWriter?
  private var clock: TickClock?
  private var reading: ClockReading
  /// Buffers by ring number.
  private var pending: [Pending?]
  private var lostEvents: UInt64 = 0
  private var failure: TraceFormatError?
  private var cpuNs: UInt64 = 0

  private final class Pending {
    let thread: UInt32
    let events: EventBuffer
    var since: UInt64
    init(thread: UInt32, events: EventBuffer, since: UInt64) {
      self.thread = thread
      self.events = events
      self.since = since
    }
  }

  /// Empty buffers of threads that ended.
  private var spareBuffers: [EventBuffer] = []
  private var lastSyncNs: UInt64 = 0

  init(
    spool: Spool, names: NameTables, origin: ClockReading, unit: TimeUnit, usesCycles: Bool,
    discard: @escaping @Sendable () -> Void,
    makeWriter: @escaping @Sendable () throws(TraceFormatError) -> TraceWriter
  ) {
    self.discard = discard
    self.spool = spool
    self.names = names
    self.origin = origin
    self.unit = unit
    self.usesCycles = usesCycles
    self.makeWriter = makeWriter
    reading = origin
    pending = Array(repeating: nil, count: Spool.ringCount)
  }

  struct Result {
    var failure: TraceFormatError?
    var events: UInt64
    var bytes: UInt64
    var lostEvents: UInt64
    var cpuNs: UInt64
  }

  func requestStop() {
    isStopRequested.store(true, ordering: .releasing)
    wake.signal()
  }

  /// Makes the drain look at the rings now.
  func hurry() { wake.signal() }

  func waitUntilDone() -> Result {
    done.wait()
    return Result(
      failure: failure, events: writer?.eventCount ?? 0, bytes: writer?.byteCount ?? 0,
      lostEvents: lostEvents,
      cpuNs: cpuNs)
  }

  /// The thread's body.
  func run() {
    do throws(TraceFormatError) { writer = try makeWriter() } catch { failure = error }
    var isStopping = waitForCalibration()
    calibrate()
    var sleepNs = Drain.shortestSleepNs
    while !isStopping {
      let busiest = cycle()
      sleepNs =
        busiest > 0.25
        ? 0 : busiest > 0.02 ? Drain.shortestSleepNs : min(sleepNs * 2 + 1_000_000, Drain.longestSleepNs)
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(sleepNs)))
      isStopping = isStopRequested.load(ordering: .acquiring)
    }
    _ = cycle()
    finish()
    cpuNs = rlt_thread_cpu_ns()
    done.signal()
  }

  /// True when the recording was stopped meanwhile.
  private func waitForCalibration() -> Bool {
    let end = DispatchTime.now() + .nanoseconds(Int(TickClock.calibrationNs))
    // Nothing can be drained before there is a clock: who hurries must wait, too.
    while !isStopRequested.load(ordering: .acquiring), wake.wait(timeout: end) == .success {}
    return isStopRequested.load(ordering: .acquiring)
  }

  private func calibrate() {
    // A recording of microseconds still gets a slope: 2 ms bound the error of a reading to 25 ppm.
    while usesCycles, rlt_monotonic_ns() - origin.monotonicNs < 2_000_000 { usleep(200) }
    reading = .now(usesCycles: usesCycles)
    clock = TickClock(origin: origin, later: reading, usesCycles: usesCycles, unit: unit)
    lastSyncNs = reading.monotonicNs
    attempt { writer, clock throws(TraceFormatError) in try writer.write([clock.syncPoint(origin)]) }
  }

  /// Runs `body` unless something failed before. After a failure the rings are emptied all the same, so that
  /// the traced threads go on at the same cost.
  private func attempt(_ body: (TraceWriter, TickClock) throws(TraceFormatError) -> Void) {
    guard failure == nil, let writer, let clock else { return }
    do throws(TraceFormatError) { try body(writer, clock) } catch { failure = error }
  }

  /// Empties all rings once. Returns how full the fullest was, 0...1.
  private func cycle() -> Double {
    reading = .now(usesCycles: usesCycles)
    var fullest = 0.0
    for number in 0..<spool.usedRings {
      let ring = spool.rings + number
      // The state is read before the head: events published before the thread ended are seen.
      let state = rlt_ring_state(ring)
      guard state != RLT_RING_FREE else { continue }
      fullest = max(fullest, drain(ring, number))
      if state == RLT_RING_ORPHANED {
        noteUntoldLoss(ring, number)
        flush(number)
        if let buffer = pending[number]?.events, spareBuffers.count < 8 { spareBuffers.append(buffer) }
        pending[number] = nil
        rlt_ring_set_state(ring, UInt32(RLT_RING_FREE))
      } else if let waiting = pending[number], !waiting.events.isEmpty,
        reading.monotonicNs &- waiting.since > Drain.blockPatienceNs
      {
        flush(number)
      }
    }
    return fullest
  }

  private func drain(_ ring: UnsafeMutablePointer<rlt_ring>, _ number: Int) -> Double {
    let head = rlt_ring_head(ring)
    var at = ring.pointee.tail
    guard at != head, let clock else { return 0 }
    let share = Double(head &- at) / Double(ring.pointee.capacity)
    let mask = ring.pointee.capacity &- 1
    let slots: UnsafeMutablePointer<rlt_record> = ring.pointee.slots
    let waiting = pendingBuffer(ring, number)
    let events = waiting.events
    while at != head {
      if events.isFull { flush(number) }
      if events.isEmpty { waiting.since = reading.monotonicNs }
      let record = slots[Int(truncatingIfNeeded: at & mask)]
      at &+= 1
      let time = clock.units(ticks: record.stamp)
      if record.arguments == 0 {
        events.append(time: time, kind: record.kind, mode: record.mode, object: record.object)
      } else {
        at &+= appendWithArguments(record, time, slots, at, mask, clock, events)
      }
      // In pieces, so that a thread that fills its ring finds room before the drain is through.
      if at & 0xFFF == 0 { rlt_ring_consume(ring, at) }
    }
    rlt_ring_consume(ring, at)
    return share
  }

  /// Returns the argument slots consumed.
  private func appendWithArguments(
    _ record: rlt_record, _ time: UInt64, _ slots: UnsafeMutablePointer<rlt_record>, _ at: UInt64,
    _ mask: UInt64,
    _ clock: TickClock, _ events: EventBuffer
  ) -> UInt64 {
    let count = Int(record.arguments)
    var arguments: [UInt64] = []
    arguments.reserveCapacity(count + 1)
    for i in 0..<UInt64((count + 1) / 2) {
      let pair = unsafeBitCast(slots[Int(truncatingIfNeeded: (at &+ i) & mask)], to: rlt_arguments.self)
      arguments.append(pair.first)
      arguments.append(pair.second)
    }
    if count.isMultiple(of: 2) == false { arguments.removeLast() }
    // Rings carry times as CLOCK_MONOTONIC nanoseconds.
    if let definition = EventTable.definition(of: EventKind(record.kind)) {
      for (position, argument) in definition.arguments.enumerated()
      where argument.unit == .time && position < count {
        arguments[position] = clock.units(
          monotonicNs: arguments[position], eventTicks: record.stamp, near: reading)
      }
    }
    if record.kind == EventKind.lostEvents.rawValue { lostEvents += arguments[0] }
    events.append(
      time: time, kind: record.kind, mode: record.mode, object: record.object, arguments: arguments)
    return UInt64((count + 1) / 2)
  }

  private func pendingBuffer(_ ring: UnsafeMutablePointer<rlt_ring>, _ number: Int) -> Pending {
    if let buffer = pending[number], buffer.thread == ring.pointee.thread { return buffer }
    let buffer = Pending(
      thread: ring.pointee.thread, events: spareBuffers.popLast() ?? EventBuffer(), since: reading.monotonicNs
    )
    pending[number] = buffer
    return buffer
  }

  /// Events lost since the last one stored stand in no record of the ring yet.
  private func noteUntoldLoss(_ ring: UnsafeMutablePointer<rlt_ring>, _ number: Int) {
    let lost = rlt_ring_lost_pending(ring)
    guard lost > 0, let clock else { return }
    let events = pendingBuffer(ring, number).events
    if events.isFull { flush(number) }
    lostEvents += lost
    events.append(
      time: max(clock.units(ticks: reading.ticks), events.lastTime), kind: EventKind.lostEvents.rawValue,
      mode: 0,
      object: 0, arguments: [lost])
  }

  /// Writes what waits for a ring, and before it the definitions it may refer to.
  private func flush(_ number: Int) {
    guard let waiting = pending[number], !waiting.events.isEmpty else { return }
    writeDefinitions()
    attempt { writer, _ throws(TraceFormatError) in try writer.write(waiting.events, thread: waiting.thread) }
    waiting.events.removeAll()
    writeSyncPoint()
  }

  /// At most one a block and one in `syncIntervalNs`, so that a trace that is cut short knows its clocks, too.
  private func writeSyncPoint() {
    guard reading.monotonicNs &- lastSyncNs > Drain.syncIntervalNs else { return }
    lastSyncNs = reading.monotonicNs
    attempt { writer, clock throws(TraceFormatError) in try writer.write([clock.syncPoint(reading)]) }
  }

  private func writeDefinitions() {
    let threads = spool.takeNewThreads()
    let strings = names.takeNewStrings()
    let modes = names.takeNewModes()
    attempt { writer, _ throws(TraceFormatError) in
      try writer.write(strings)
      try writer.write(threads)
      try writer.write(modes)
    }
  }

  private func finish() {
    for number in 0..<spool.usedRings {
      let ring = spool.rings + number
      guard rlt_ring_state(ring) != RLT_RING_FREE else { continue }
      noteUntoldLoss(ring, number)
      flush(number)
    }
    let ringless = rlt_take_ringless_lost()
    if ringless > 0 {
      lostEvents += ringless
      let events = EventBuffer()
      let thread = spool.claimThreadIndex(name: "(threads beyond the recorder's \(Spool.ringCount) rings)")
      writeDefinitions()
      attempt { writer, clock throws(TraceFormatError) in
        events.append(
          time: clock.units(ticks: reading.ticks), kind: EventKind.lostEvents.rawValue, mode: 0, object: 0,
          arguments: [ringless])
        try writer.write(events, thread: thread)
      }
    }
    writeDefinitions()
    attempt { writer, clock throws(TraceFormatError) in
      try writer.write([clock.syncPoint(reading)])
      try writer.close()
    }
    if failure != nil { discard() }
  }
}
