import TraceFormat

/// Converts a trace's time units to nanoseconds and back. No other code does so.
///
/// Conversions wrap or clamp, so invalid times in a damaged file give invalid results but do not trap.
package struct TimeScale: Sendable {
  private let unitNs: UInt64

  package init(_ unit: TimeUnit) { unitNs = unit.nanoseconds }

  /// Returns the nanoseconds since the origin.
  package func ns(_ moment: Moment) -> UInt64 { moment.rawValue &* unitNs }
  /// Returns the nanoseconds, saturated at the largest number: sums of lengths may be longer than any recording.
  package func ns(_ length: Length) -> UInt64 { length.rawValue.saturated(times: unitNs) }
  /// Converts a mean.
  package func ns(units: Double) -> Double { units * Double(unitNs) }

  /// Returns whole units, rounded down.
  package func length(ns: UInt64) -> Length { Length(ns / unitNs) }
  /// Returns whole units, rounded up: a time of this length is not shorter than `ns`.
  func length(atLeastNs ns: UInt64) -> Length { Length(ns / unitNs &+ (ns % unitNs > 0 ? 1 : 0)) }

  // MARK: Grids of due points
  // In signed nanoseconds, because an interval need not be a whole number of units.

  /// Far beyond any recording. Sums and differences of a few such times do not overflow.
  static let limitNs: Int64 = 1 << 61

  /// The largest error of a due point that was derived from the wall clock.
  static let inexactNs: Int64 = 1_000_000

  /// Converts a recorded due point. Clamps it to the limit.
  package func pointNs(_ units: Int64) -> Int64 {
    let (product, overflow) = units.multipliedReportingOverflow(by: Int64(bitPattern: unitNs))
    guard overflow else { return min(max(product, -TimeScale.limitNs), TimeScale.limitNs) }
    return units < 0 ? -TimeScale.limitNs : TimeScale.limitNs
  }

  /// The longest interval and the longest tolerance: half of the limit.
  static let longestNs = UInt64(limitNs / 2)

  /// Returns a moment as a point of a grid.
  package func pointNs(at moment: Moment) -> Int64 { pointNs(Int64(clamping: moment.rawValue)) }

  /// Returns the moment of a point, rounded down, at least the origin.
  func moment(ofPointNs point: Int64) -> Moment {
    point <= 0 ? .origin : Moment(UInt64(point) / unitNs)
  }
}
