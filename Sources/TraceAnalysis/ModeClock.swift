/// How long a thread's innermost run has been in each mode, by column: column 0 is "outside any run", columns 1
/// to 14 are mode ids, the last stands for all others.
///
/// The difference of two readings says which modes ran between two moments, without a history.
struct ModeClock {
  typealias Reading = SIMD16<UInt64>
  static let columns = AnalysisLimits.modeColumns

  private var total = Reading()
  private var column = 0
  private var since: UInt64 = 0

  static func column(_ mode: UInt8) -> Int { min(Int(mode), columns - 1) }

  mutating func change(to mode: UInt8, at time: UInt64) {
    total[column] &+= time &- since
    since = time
    column = ModeClock.column(mode)
  }

  /// The reading at a moment not before the last change.
  func reading(at time: UInt64) -> Reading {
    var reading = total
    if time > since { reading[column] &+= time &- since }
    return reading
  }

  mutating func reset(at time: UInt64) {
    total = Reading()
    since = time
  }
}
