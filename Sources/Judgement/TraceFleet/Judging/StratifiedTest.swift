import Foundation
import RunLoopVocabulary

/// The values of sessions for one subject, each with the number of sessions that have it.
typealias SessionValues = [(value: UInt64, count: UInt64)]

/// A comparison of two builds within strata, such as (OS, device), by one number for each session.
///
/// The statistic is the sum of ranks of the new build within each stratum, each divided by the stratum's sessions plus
/// one (van Elteren's test). Under the null hypothesis, builds are exchangeable within a stratum. Equal values share their
/// mean rank.
package struct StratifiedTest: Sendable {
  /// The number of sessions on each side, in strata that have sessions on both sides.
  package private(set) var baseSessions: UInt64 = 0
  package private(set) var newSessions: UInt64 = 0
  /// Means, weighted by the strata of the base build, so that a different mix of devices makes no difference.
  package private(set) var baseMean = 0.0
  package private(set) var newMean = 0.0
  /// The 95 % interval of the new mean minus the base mean; nil = too few sessions.
  package private(set) var difference: (low: Double, high: Double)?
  /// Whether the new build has larger ranks.
  package private(set) var isNewLarger = false
  /// Two-sided.
  package private(set) var pValue = 1.0

  /// Fewer sessions on one side are too few to judge.
  package static let fewestSessions: UInt64 = 20
  private static let permutations = 9_999
  /// The normal approximation decides above this p-value, and above this number of sessions.
  private static let clearlyNothing = 0.2
  static let manySessions = 4_000.0

  package var isTooFew: Bool { min(baseSessions, newSessions) < StratifiedTest.fewestSessions }

  /// A value with its score and its sessions on each side.
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
      cells.append(Self.scores(stratum.base, stratum.new))
    }
    guard baseSessions > 0, newSessions > 0 else { return }
    baseMean /= Double(baseSessions)
    newMean /= Double(baseSessions)
    isNewLarger = cells.joined().reduce(0) { $0 + $1.score * $1.new } > 0
    pValue = Self.pValue(cells)
    if !isTooFew { difference = MeanDifference.interval(strata) }
  }

  private static func count(_ values: SessionValues) -> UInt64 {
    values.reduce(0) { $0.saturated(adding: $1.count) }
  }

  private static func mean(_ values: SessionValues) -> Double {
    let sum = values.reduce(0) { $0 + Double($1.value) * Double($1.count) }
    return sum / Double(max(count(values), 1))
  }

  /// Returns the mid-ranks of a stratum minus their mean, divided by its sessions plus one.
  private static func scores(_ base: SessionValues, _ new: SessionValues) -> [Cell] {
    var sides: [UInt64: (base: Double, new: Double)] = [:]
    for (value, count) in base { sides[value, default: (0, 0)].base += Double(count) }
    for (value, count) in new { sides[value, default: (0, 0)].new += Double(count) }
    let all = sides.values.reduce(0) { $0 + $1.base + $1.new }
    var below = 0.0
    return sides.keys.ordered().map { value in
      let (base, new) = sides[value] ?? (0, 0)
      let count = base + new
      defer { below += count }
      return Cell(score: (below + (count + 1) / 2 - (all + 1) / 2) / (all + 1), base: base, new: new)
    }
  }

  private static func pValue(_ strata: [[Cell]]) -> Double {
    var (observed, variance, sessions) = (0.0, 0.0, 0.0)
    for cells in strata {
      let m = cells.reduce(0.0) { $0 + $1.base }
      let n = cells.reduce(0.0) { $0 + $1.new }
      observed += cells.reduce(0) { $0 + $1.score * $1.new }
      let squares = cells.reduce(0) { $0 + $1.score * $1.score * ($1.base + $1.new) }
      if m + n > 1 { variance += m * n / ((m + n) * (m + n - 1)) * squares }
      sessions += m + n
    }
    guard variance > 0 else { return 1 }
    let approximate = erfc(abs(observed) / (2 * variance).squareRoot())
    guard approximate < clearlyNothing, sessions <= manySessions else { return approximate }
    return permuted(strata, observed: abs(observed))
  }

  /// Returns the share of permutations of the builds within strata whose statistic is at least as large.
  private static func permuted(_ strata: [[Cell]], observed: Double) -> Double {
    let scores = strata.map { cells in
      cells.flatMap { Array(repeating: $0.score, count: Int($0.base + $0.new)) }
    }
    let drawn = strata.map { cells in Int(cells.reduce(0) { $0 + $1.new }) }
    var random = Shuffler()
    var asLarge = 1
    var places = scores
    for _ in 0..<permutations {
      var sum = 0.0
      for stratum in places.indices { sum += random.sumOfDrawn(drawn[stratum], of: &places[stratum]) }
      // Sums in another order may differ in the last bits.
      if abs(sum) >= observed - 1e-9 { asLarge += 1 }
    }
    return Double(asLarge) / Double(permutations + 1)
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
