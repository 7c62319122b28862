import Foundation

/// The 95 % interval of the difference of two builds' means, by Poisson bootstrap over sessions.
///
/// In each replicate, a session counts a random number of times, drawn from a Poisson distribution with mean 1.
/// Sessions with equal values are drawn together, because the sum of such numbers has that distribution too. With many
/// sessions, the normal approximation decides.
enum MeanDifference {
  private static let replicates = 500
  private static let normalQuantile = 1.96

  /// Each stratum has sessions on both sides. Strata have the weights of the base.
  static func interval(_ strata: [(base: SessionValues, new: SessionValues)]) -> (low: Double, high: Double) {
    let weights = strata.map { $0.base.reduce(0.0) { $0 + Double($1.count) } }
    let sessions = strata.reduce(0.0) { sum, sides in
      (sides.base + sides.new).reduce(sum) { $0 + Double($1.count) }
    }
    return sessions > StratifiedTest.manySessions
      ? approximated(strata, weights) : bootstrapped(strata, weights)
  }

  private static func bootstrapped(
    _ strata: [(base: SessionValues, new: SessionValues)], _ weights: [Double]
  ) -> (low: Double, high: Double) {
    var random = FixedSequence()
    let differences = (0..<replicates).map { _ -> Double in
      var (sum, weight) = (0.0, 0.0)
      for (stratum, sides) in strata.enumerated() {
        // A stratum says nothing if one of its sides was not drawn.
        guard let base = drawnMean(sides.base, &random), let new = drawnMean(sides.new, &random) else {
          continue
        }
        sum += weights[stratum] * (new - base)
        weight += weights[stratum]
      }
      return weight > 0 ? sum / weight : 0
    }.sorted()
    let beyond = replicates * 25 / 1_000
    return (differences[beyond], differences[replicates - 1 - beyond])
  }

  private static func drawnMean(_ values: SessionValues, _ random: inout FixedSequence) -> Double? {
    var (sum, count) = (0.0, 0.0)
    for cell in values {
      let drawn = random.poisson(Double(cell.count))
      sum += drawn * Double(cell.value)
      count += drawn
    }
    return count > 0 ? sum / count : nil
  }

  private static func approximated(
    _ strata: [(base: SessionValues, new: SessionValues)], _ weights: [Double]
  ) -> (low: Double, high: Double) {
    let all = weights.reduce(0, +)
    var (difference, variance) = (0.0, 0.0)
    for (stratum, sides) in strata.enumerated() {
      let (base, new) = (moments(sides.base), moments(sides.new))
      let share = weights[stratum] / all
      difference += share * (new.mean - base.mean)
      variance += share * share * (base.varianceOfMean + new.varianceOfMean)
    }
    let half = normalQuantile * variance.squareRoot()
    return (difference - half, difference + half)
  }

  private static func moments(_ values: SessionValues) -> (mean: Double, varianceOfMean: Double) {
    let count = values.reduce(0.0) { $0 + Double($1.count) }
    let mean = values.reduce(0.0) { $0 + Double($1.count) * Double($1.value) } / count
    let squares = values.reduce(0.0) { sum, cell in
      let distance = Double(cell.value) - mean
      return sum + Double(cell.count) * distance * distance
    }
    return (mean, squares / max(count - 1, 1) / count)
  }
}

/// A fixed sequence of random numbers, so that equal data give equal results: SplitMix64.
private struct FixedSequence: RandomNumberGenerator {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// Above this mean, the normal approximation is drawn.
  private static let largeMean = 32.0

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a number that is larger than 0 and smaller than 1.
  private mutating func unit() -> Double { (Double(next() >> 11) + 0.5) * 0x1p-53 }

  /// Draws a number from the Poisson distribution with this mean.
  mutating func poisson(_ mean: Double) -> Double {
    if mean > Self.largeMean {
      let normal = (-2 * log(unit())).squareRoot() * cos(2 * .pi * unit())
      return max(0, (mean + mean.squareRoot() * normal).rounded())
    }
    // Knuth's method: counts events in one unit of time. The intervals between events are exponentially distributed.
    let limit = exp(-mean)
    var (product, count) = (unit(), 0.0)
    while product > limit {
      product *= unit()
      count += 1
    }
    return count
  }
}
