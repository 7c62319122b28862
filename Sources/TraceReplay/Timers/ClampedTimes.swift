extension Int64 {
  /// The product, or the nearest number that fits: absurd times of a damaged file stay absurd, and trap nothing.
  func multipliedClamping(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    guard overflow else { return product.clampedToTime }
    return self < 0 ? -Int64.timeLimit : Int64.timeLimit
  }

  /// Leaves room for sums and differences of a few times.
  static var timeLimit: Int64 { 1 << 61 }
  var clampedToTime: Int64 { Swift.min(Swift.max(self, -Int64.timeLimit), Int64.timeLimit) }
}
