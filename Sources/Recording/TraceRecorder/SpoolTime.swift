import CRLTraceShims
import TraceFormat

/// The time of a trace: the linear mapping from ticks to time units, and the moment up to which a spool was read.
/// Converts the records of rings to events.
struct SpoolTime {
  /// Nil before the line is fixed.
  private(set) var clock: TickClock?
  /// The moment of the last cycle.
  var reading: ClockReading
  /// The last cycle after which the spool was not cut. Data read since may be zeros that no thread stored.
  private var lastSure: ClockReading
  /// The time at which the current segment begins. Events that are read later get no earlier time.
  private(set) var floor: UInt64 = 0
  private let timeArguments = TimeArguments.masks

  init(origin: ClockReading) {
    reading = origin
    lastSure = origin
  }

  /// Fixes the line from ticks to time.
  mutating func calibrate(_ clock: TickClock, at later: ClockReading) {
    reading = later
    self.clock = clock
  }

  mutating func makeSure() { lastSure = reading }
  mutating func returnToSure() { reading = lastSure }
  /// Begins a segment after the last cycle.
  mutating func beginSegment(_ clock: TickClock) { floor = clock.units(ticks: reading.ticks) + 1 }

  // MARK: Records

  /// Appends events of a ring to the waiting events, up to `head`, until they took `most` slots, or until there is no
  /// room. Returns the position after the last one. `lost` counts the lost events that they report.
  func take(
    _ ring: SpoolRing, from position: UInt64, to head: UInt64, most: UInt64, _ clock: TickClock,
    _ waiting: PendingEvents, lost: inout UInt64
  ) -> UInt64 {
    let events = waiting.events
    let slots = min(head &- position, most)
    var at = position
    while at &- position < slots, !events.isFull {
      if events.isEmpty { waiting.since = reading.monotonicNs }
      at &+= appendPlain(ring, at, to: position &+ slots, clock, events)
      guard at &- position < slots, !events.isFull else { continue }
      let record = ring[at]
      guard record.arguments > 0 else { continue }
      let argumentSlots = (UInt64(record.arguments) + 1) / 2
      at &+= 1
      guard head &- at >= argumentSlots else {
        at = head
        break
      }
      let time = max(clock.units(ticks: record.stamp), events.lastTime, floor)
      lost &+= appendWithArguments(record, time, ring, at, clock, events)
      at &+= argumentSlots
    }
    return at
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

  /// Returns the number of lost events that the record reports.
  private func appendWithArguments(
    _ record: rlt_record, _ time: UInt64, _ ring: SpoolRing, _ at: UInt64, _ clock: TickClock,
    _ events: EventBuffer
  ) -> UInt64 {
    let count = Int(record.arguments)
    return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count + 1) { arguments in
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
      unsafe events.append(
        time: time, kind: record.kind, mode: record.mode, object: record.object,
        arguments: UnsafeBufferPointer(rebasing: arguments[..<count]))
      return unsafe record.kind == EventKind.lostEvents.rawValue
        ? arguments[EventKind.LostEvents.count] : 0
    }
  }
}
