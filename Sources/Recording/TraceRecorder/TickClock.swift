import CRLTraceShims
import TraceFormat

/// One reading of all clocks, bracketed so that the ticks and the monotonic time belong together.
struct ClockReading: Sendable {
  var ticks: UInt64
  var monotonicNs: UInt64
  var boottimeNs: UInt64
  var realtimeNs: UInt64

  static func now(usesCycles: Bool) -> ClockReading {
    ClockReading(rlt_read_clocks(usesCycles ? 1 : 0))
  }
}

extension ClockReading {
  init(_ reading: rlt_clock_reading) {
    self.init(
      ticks: reading.ticks, monotonicNs: reading.monotonic_ns, boottimeNs: reading.boottime_ns,
      realtimeNs: reading.realtime_ns)
  }

  /// Returns nil for a reading that was never taken.
  init?(known reading: rlt_clock_reading) {
    guard reading.ticks != 0 else { return nil }
    self.init(reading)
  }

  var shared: rlt_clock_reading {
    rlt_clock_reading(
      ticks: ticks, monotonic_ns: monotonicNs, boottime_ns: boottimeNs, realtime_ns: realtimeNs)
  }
}

/// The one straight line of a recording from ticks to nanoseconds and time units.
///
/// It is fixed once, from two readings at least `calibrationNs` apart. Each reading is good to about 25 ns, so the
/// slope is good to about 1 ppm. Later readings become sync points, which report the drift of the line; they do not
/// bend it.
struct TickClock: Sendable {
  static let calibrationNs: UInt64 = 50_000_000

  let origin: ClockReading
  let unit: UInt64
  /// Nanoseconds per tick; exactly 1 if ticks are CLOCK_MONOTONIC nanoseconds.
  let nsPerTick: Double
  private let multiplier: UInt64
  private let shift: UInt64

  init(origin: ClockReading, later: ClockReading, usesCycles: Bool, unit: TimeUnit) {
    self.origin = origin
    self.unit = unit.nanoseconds
    let ticks = later.ticks &- origin.ticks
    let slope = Double(later.monotonicNs &- origin.monotonicNs) / Double(max(ticks, 1))
    // Counters run at 1 MHz to 1 THz. Readings outside that range come from a damaged file.
    nsPerTick = usesCycles ? min(max(slope, 0.001), 1000) : 1
    // units = ticks * multiplier / 2^shift, with the multiplier in [2^62, 2^63]: a relative error below 2^-62,
    // rounded up so that whole units stay whole.
    let ratio = nsPerTick / Double(unit.nanoseconds)
    let shift = UInt64(clamping: 62 - Int(ratio.exponent))
    multiplier =
      usesCycles
      ? UInt64(clamping: (ratio * Double(sign: .plus, exponent: Int(shift), significand: 1)).rounded(.up))
      : TickClock.inverse(of: self.unit, shift: shift)
    self.shift = shift
  }

  /// Returns 2^shift / unit, rounded up. `shift` is 62 + the bits of `unit`, so the quotient is at most 2^63.
  private static func inverse(of unit: UInt64, shift: UInt64) -> UInt64 {
    let high: UInt64 = shift < 64 ? 0 : 1 << (shift - 64)
    let low: UInt64 = shift < 64 ? 1 << shift : 0
    return unit.dividingFullWidth((high, low + unit - 1)).quotient
  }

  /// Returns the time units since the origin, 0 for stamps before it.
  @inline(__always)
  func units(ticks: UInt64) -> UInt64 { units(ticks: ticks, isCoarse: isCoarse) }

  /// Whether a unit has more than two ticks, as is usual. A caller that converts many stamps queries it once.
  var isCoarse: Bool { shift >= 64 }

  @inline(__always)
  func units(ticks: UInt64, isCoarse: Bool) -> UInt64 {
    let elapsed = ticks &- origin.ticks
    guard Int64(bitPattern: elapsed) > 0 else { return 0 }
    let product = elapsed.multipliedFullWidth(by: multiplier)
    return isCoarse
      ? product.high &>> (shift &- 64)
      : product.high &<< (64 &- shift) | product.low &>> shift
  }

  /// Returns a monotonic time as units since the origin, possibly negative (two's complement), for an event at
  /// `eventTicks`.
  ///
  /// The distance between the event and the time is measured on the monotonic clock, through the reading nearest to
  /// the event. So the drift of the line does not affect the lateness of a due point.
  func units(monotonicNs time: UInt64, eventTicks: UInt64, near reading: ClockReading) -> UInt64 {
    let sinceReading = Double(Int64(bitPattern: eventTicks &- reading.ticks)) * nsPerTick
    let event = Int64(bitPattern: reading.monotonicNs) &+ Int64(saturating: sinceReading)
    let distance = event &- Int64(bitPattern: time)
    let eventNs = Int64(saturating: Double(eventTicks &- origin.ticks) * nsPerTick)
    return UInt64(bitPattern: (eventNs &- distance).flooringDivided(by: Int64(unit)))
  }

  func syncPoint(_ reading: ClockReading) -> SyncPoint {
    SyncPoint(
      time: units(ticks: reading.ticks), monotonicNs: reading.monotonicNs, boottimeNs: reading.boottimeNs,
      realtimeNs: reading.realtimeNs)
  }
}

extension Int64 {
  /// Creates the nearest representable whole number.
  init(saturating value: Double) {
    self = Int64(clamping: value.rounded())
  }

  func flooringDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
