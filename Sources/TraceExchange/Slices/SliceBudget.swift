/// The slices and instants that an export writes, and the parts of the recording that would fit if there are too many.
struct SliceBudget {
  /// The largest number that is written.
  let limit: Int
  private(set) var used = 0
  private var instants = 0
  private(set) var omitted: UInt64 = 0
  private(set) var omittedNs: UInt64 = 0
  /// The start of the slice that comes after nine tenths of the limit: an export up to there fits, with the slices
  /// that are known only at its end.
  private(set) var nearlyFullAtNs: UInt64?
  /// Slices by the number of binary digits of their lengths.
  private var lengths = [Int](repeating: 0, count: 65)

  init(limit: Int) { self.limit = limit }

  var isExceeded: Bool { used > limit }

  /// Counts a slice that begins at a time.
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

  /// The shortest power of two, in nanoseconds, for which slices of that length and above fit, and their number with all
  /// instants.
  var fittingMinimum: (ns: UInt64, slices: Int)? {
    var fitting: (UInt64, Int)?
    var sum = instants
    for digits in lengths.indices.reversed().dropLast() {
      sum += lengths[digits]
      guard sum <= limit else { break }
      fitting = (1 << UInt64(digits - 1), sum)
    }
    return fitting
  }
}
