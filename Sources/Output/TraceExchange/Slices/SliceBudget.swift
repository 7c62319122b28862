/// Counts the slices and instants that an export writes. If there are too many, it tells which parts would fit.
struct SliceBudget {
  /// The maximum number of slices and instants that an export writes.
  let limit: Int
  private(set) var used = 0
  private var instants = 0
  private(set) var omitted: UInt64 = 0
  private(set) var omittedNs: UInt64 = 0
  /// The start of the first slice after nine tenths of the limit. An export up to this time fits, including the slices
  /// that are known only at its end.
  private(set) var nearlyFullAtNs: UInt64?
  /// Slices by the number of binary digits of their lengths.
  private var lengths = [Int](repeating: 0, count: 65)

  init(limit: Int) { self.limit = limit }

  var isExceeded: Bool { used > limit }

  /// Counts a slice that begins at `ns`.
  mutating func use(at ns: UInt64) {
    used += 1
    if used == limit - limit / 10 + 1 { nearlyFullAtNs = ns }
  }

  mutating func useInstant(at ns: UInt64) {
    use(at: ns)
    instants += 1
  }

  /// Counts a finished slice.
  mutating func note(_ ns: UInt64) { lengths[64 - ns.leadingZeroBitCount] += 1 }

  /// Counts a slice that is shorter than the minimum.
  mutating func omit(_ ns: UInt64) {
    omitted += 1
    omittedNs &+= ns
  }

  /// The smallest minimum length that makes the slices fit, a power of two in nanoseconds, and the number of slices
  /// of at least that length plus all instants.
  var fittingMinimum: (ns: UInt64, slices: Int)? {
    var fitting: (UInt64, Int)?
    var sum = instants
    for digits in lengths.indices.reversed().dropLast() {
      sum += lengths[digits]
      guard sum <= limit else { break }
      fitting = (1 << UInt64(clamping: digits - 1), sum)
    }
    return fitting
  }
}
