import Foundation
import RunLoopVocabulary

/// The values of sessions for one subject, each with the number of sessions that have it.
typealias SessionValues = [(value: UInt64, count: UInt64)]

/// A comparison of two builds within strata, such as (OS, device), by one number for each session.
///
/// The statistic is the difference of the means, weighted by the strata of the base. Its p-value comes from permutations:
/// without a difference, builds are exchangeable within a stratum. The interval follows from the same p-value, so it
/// contains 0 exactly if the p-value is above 5 %.
package struct StratifiedTest: Sendable {
  /// The number of sessions on each side, in strata that have sessions on both sides.
  package private(set) var baseSessions: UInt64 = 0
  package private(set) var newSessions: UInt64 = 0
  /// Means, weighted by the strata of the base build, so that a different mix of devices makes no difference.
  package private(set) var baseMean = 0.0
  package private(set) var newMean = 0.0
  /// The 95 % interval of the new mean minus the base mean; nil = too few sessions.
  package private(set) var difference: (low: Double, high: Double)?
  /// The difference divided by its standard deviation without a difference of builds; 0 if all values are equal.
  package private(set) var score = 0.0
  /// Whether sessions of a stratum differ.
  package private(set) var hasVariance = false
  /// Two-sided.
  package private(set) var pValue = 1.0

  /// Fewer sessions on one side are too few to judge.
  package static let fewestSessions: UInt64 = 20
  /// If none of the first permutations has a difference as large, more follow, or the normal approximation decides above
  /// this number of sessions.
  private static let permutations = (first: 9_999, most: 99_999)
  private static let someSessions = 400.0
  /// The normal approximation decides above this p-value, and above this number of sessions.
  private static let clearlyNothing = 0.2
  private static let manySessions = 4_000.0

  package var isTooFew: Bool { min(baseSessions, newSessions) < StratifiedTest.fewestSessions }

  /// A value with its contribution to the difference, and its sessions on each side.
  private struct Cell {
    var score: Double
    var base: Double
    var new: Double
  }

  init(_ strata: [(base: SessionValues, new: SessionValues)]) {
    let strata = strata.filter { !$0.base.isEmpty && !$0.new.isEmpty }
    var cells: [[Cell]] = []
    for stratum in strata {
      let (m, n) = (Self.count(stratum.base), Self.count(stratum.new))
      baseSessions = baseSessions.saturated(adding: m)
      newSessions = newSessions.saturated(adding: n)
      baseMean += Self.mean(stratum.base) * Double(m)
      newMean += Self.mean(stratum.new) * Double(m)
      cells.append(Self.cells(stratum.base, stratum.new))
    }
    guard baseSessions > 0, newSessions > 0 else { return }
    baseMean /= Double(baseSessions)
    newMean /= Double(baseSessions)
    test(
      cells.enumerated().map { number, stratum in
        let share = Double(Self.count(strata[number].base)) / Double(baseSessions)
        return stratum.map { Cell(score: $0.score * share, base: $0.base, new: $0.new) }
      })
  }

  private static func count(_ values: SessionValues) -> UInt64 {
    values.reduce(0) { $0.saturated(adding: $1.count) }
  }

  private static func mean(_ values: SessionValues) -> Double {
    let sum = values.reduce(0) { $0 + Double($1.value) * Double($1.count) }
    return sum / Double(max(count(values), 1))
  }

  /// Returns the values of a stratum minus their mean, scaled so that their sum over the new sessions is the difference of
  /// the means.
  private static func cells(_ base: SessionValues, _ new: SessionValues) -> [Cell] {
    var sides: [UInt64: (base: Double, new: Double)] = [:]
    for (value, count) in base { sides[value, default: (0, 0)].base += Double(count) }
    for (value, count) in new { sides[value, default: (0, 0)].new += Double(count) }
    let (m, n) = sides.values.reduce((0.0, 0.0)) { ($0.0 + $1.base, $0.1 + $1.new) }
    let mean = sides.reduce(0.0) { $0 + Double($1.key) * ($1.value.base + $1.value.new) } / (m + n)
    return sides.keys.ordered().map { value in
      let (base, new) = sides[value] ?? (0, 0)
      let isOnlyValue = sides.count == 1
      return Cell(score: isOnlyValue ? 0 : (Double(value) - mean) * (1 / m + 1 / n), base: base, new: new)
    }
  }

  /// Sets the score, the p-value and the interval.
  private mutating func test(_ strata: [[Cell]]) {
    var (observed, variance, sessions) = (0.0, 0.0, 0.0)
    for cells in strata {
      let (m, n) = cells.reduce((0.0, 0.0)) { ($0.0 + $1.base, $0.1 + $1.new) }
      observed += cells.reduce(0) { $0 + $1.score * $1.new }
      let squares = cells.reduce(0) { $0 + $1.score * $1.score * ($1.base + $1.new) }
      if m + n > 1 { variance += m * n / ((m + n) * (m + n - 1)) * squares }
      sessions += m + n
    }
    let deviation = variance.squareRoot()
    hasVariance = deviation > 0
    if hasVariance {
      score = observed / deviation
      pValue = erfc(abs(score) / 2.0.squareRoot())
      if pValue < Self.clearlyNothing, sessions <= Self.manySessions {
        let isSmall = sessions <= Self.someSessions
        let most = isSmall ? Self.permutations.most : Self.permutations.first
        let permuted = Self.permuted(strata, observed: abs(observed), most: most)
        pValue = isSmall || permuted.asLarge > 1 ? permuted.pValue : min(permuted.pValue, pValue)
      }
    }
    guard !isTooFew else { return }
    // The ends have a p-value of 5 %, for a normal distribution in which 0 has the p-value above.
    let quantile = Self.normalQuantile(min(pValue, 0.999))
    var half = Self.normalQuantile(0.05) * (quantile > 0 ? abs(observed) / quantile : deviation)
    // Permutations bound a small p-value only from above.
    if pValue < 0.05 { half = min(half, Self.normalQuantile(0.05) * deviation) }
    difference = (observed - half, observed + half)
  }

  /// Returns the number of standard deviations that a normal value exceeds, in either direction, with this probability.
  private static func normalQuantile(_ probability: Double) -> Double {
    var (low, high) = (0.0, 40.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if erfc(middle / 2.0.squareRoot()) > probability { low = middle } else { high = middle }
    }
    return high
  }

  /// Returns the share of permutations of the builds within strata whose difference is at least as large, and their number.
  /// The order that was observed is one of them.
  private static func permuted(
    _ strata: [[Cell]], observed: Double, most: Int
  ) -> (pValue: Double, asLarge: Int) {
    let scores = strata.map { cells in
      cells.flatMap { Array(repeating: $0.score, count: Int($0.base + $0.new)) }
    }
    let drawn = strata.map { cells in Int(cells.reduce(0) { $0 + $1.new }) }
    var random = Shuffler()
    var (asLarge, done) = (1, 0)
    var places = scores
    // Sums in another order may differ in the last bits.
    let limit = observed * (1 - 1e-9)
    while done < permutations.first || asLarge == 1 && done < most {
      done += 1
      var sum = 0.0
      for stratum in places.indices { sum += random.sumOfDrawn(drawn[stratum], of: &places[stratum]) }
      if abs(sum) >= limit { asLarge += 1 }
    }
    return (Double(asLarge) / Double(done + 1), asLarge)
  }

  /// A fixed sequence of random numbers, so that equal data give equal results.
  private struct Shuffler {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    private mutating func next(below bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(((state >> 32) &* UInt64(bound)) >> 32)
    }

    /// Draws without replacement and returns the sum. All draws are equally likely.
    mutating func sumOfDrawn(_ count: Int, of values: inout [Double]) -> Double {
      var sum = 0.0
      for place in 0..<count {
        values.swapAt(place, place + next(below: values.count - place))
        sum += values[place]
      }
      return sum
    }
  }
}

/// The procedure of Benjamini and Hochberg.
enum FalseDiscoveries {
  static let allowed = 0.05

  /// Returns for each p-value whether it is a discovery, so that on average at most `allowed` of all discoveries are false.
  static func discoveries(_ pValues: [Double]) -> [Bool] {
    let order = pValues.indices.ordered { pValues[$0] < pValues[$1] }
    var last = -1
    for (rank, place) in order.enumerated()
    where pValues[place] <= allowed * Double(rank + 1) / Double(pValues.count) {
      last = rank
    }
    var found = Array(repeating: false, count: pValues.count)
    for place in order.prefix(last + 1) { found[place] = true }
    return found
  }
}
