import TraceFormat

/// How long one unit of a trace's time is: the only place where units become nanoseconds, and nanoseconds units.
///
/// Wrapping, or clamped: absurd times of a damaged file stay absurd, and trap nothing.
package struct TimeScale: Sendable {
  private let unitNs: UInt64

  package init(_ unit: TimeUnit) { unitNs = unit.nanoseconds }

  /// Since the origin.
  package func ns(_ moment: Moment) -> UInt64 { moment.rawValue &* unitNs }
  /// The largest number where it has no room: sums of lengths may be longer than any recording.
  package func ns(_ length: Length) -> UInt64 { length.rawValue.saturated(times: unitNs) }
  /// Of a mean.
  package func ns(units: Double) -> Double { units * Double(unitNs) }

  /// Whole units, rounded down.
  package func length(ns: UInt64) -> Length { Length(ns / unitNs) }
  /// Rounded up: what is as long as this is not shorter than `ns`.
  func length(atLeastNs ns: UInt64) -> Length { Length((ns + unitNs - 1) / unitNs) }

  // MARK: Grids of due points
  // Signed nanoseconds, because an interval need not be a whole number of units.

  /// Far beyond any recording, and leaves room for sums and differences of a few times.
  static let limitNs: Int64 = 1 << 61

  /// The largest error of a due point that the wall clock gives.
  static let inexactNs: Int64 = 1_000_000

  /// A due point as it is recorded, or the nearest one within the limit.
  package func pointNs(_ units: Int64) -> Int64 {
    let (product, overflow) = units.multipliedReportingOverflow(by: Int64(bitPattern: unitNs))
    guard overflow else { return min(max(product, -TimeScale.limitNs), TimeScale.limitNs) }
    return units < 0 ? -TimeScale.limitNs : TimeScale.limitNs
  }

  /// The longest interval, and the longest tolerance: half of that.
  static let longestNs = UInt64(limitNs / 2)

  /// Where a moment lies on a grid.
  package func pointNs(at moment: Moment) -> Int64 { pointNs(Int64(clamping: moment.rawValue)) }

  /// The moment of a point, rounded down; the origin for those before it.
  func moment(ofPointNs point: Int64) -> Moment {
    point <= 0 ? .origin : Moment(UInt64(point) / unitNs)
  }
}
