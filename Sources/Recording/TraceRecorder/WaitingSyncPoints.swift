import TraceFormat

/// Clock readings that are still to be written, and the times of those that were.
struct WaitingSyncPoints {
  private static let intervalNs: UInt64 = 1_000_000_000

  private var points: [SyncPoint] = []
  private var lastNs: UInt64 = 0
  private var isClosed = false

  /// Adds the spool's origin. `later` is the second reading of the clock line.
  mutating func begin(_ clock: TickClock, origin: ClockReading, later: ClockReading) {
    lastNs = later.monotonicNs
    points.append(clock.syncPoint(origin))
  }

  mutating func add(_ reading: ClockReading, _ clock: TickClock) { points.append(clock.syncPoint(reading)) }

  /// Adds a reading if it is later than the last one by more than `marginNs`.
  mutating func add(_ reading: ClockReading, _ clock: TickClock, ifLaterBy marginNs: UInt64) {
    guard reading.monotonicNs > lastNs &+ marginNs else { return }
    lastNs = reading.monotonicNs
    add(reading, clock)
  }

  /// Adds a point if the last one is a while ago, for traces that are cut short.
  mutating func addIfDue(_ reading: ClockReading, _ clock: TickClock) {
    add(reading, clock, ifLaterBy: WaitingSyncPoints.intervalNs)
  }

  /// Adds the last reading, once.
  mutating func close(_ reading: ClockReading, _ clock: TickClock?) {
    if let clock, !isClosed { add(reading, clock) }
    isClosed = true
  }

  /// Writes the points. Returns false, and keeps the rest, if that fails.
  @discardableResult
  mutating func write(to output: RetriedOutput) -> Bool {
    while let point = points.first {
      guard output.attempt({ target throws(TraceFormatError) in try target.write(point) }) else {
        return false
      }
      points.removeFirst()
    }
    return true
  }
}
