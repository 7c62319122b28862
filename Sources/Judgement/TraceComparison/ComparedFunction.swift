import CallStacks
import Foundation
import TraceAnalysis

/// A function of the program in both traces, by the gaps that it held in one mode around one callout.
///
/// Its mean time per gap is compared, in gaps with the function and without it. A recording has stacks of gaps only, so if
/// one trace has no gap of the mode, the function held less than the threshold there.
package struct ComparedFunction: Sendable {
  /// The name of NEW, or of BASE if NEW does not have the function.
  package let name: String
  package let image: String?
  /// A line of the function that a stack of NEW shows; nil if NEW has no gap with the function.
  package let frame: StackFrame?
  /// The role of the loop's thread.
  package let thread: String
  package let mode: String
  /// Empty = no callout was recorded.
  package let callout: String
  package let base: HeldTime
  package let new: HeldTime
  /// The change of the mean time per gap lies between these, with a confidence of 95 %. Nil if it is not compared.
  package private(set) var changeNs: ClosedRange<Int64>?
  /// The p-value of the change, corrected for the number of functions.
  package private(set) var pValue: Double?
  package private(set) var difference = Difference.none

  /// The smallest number of gaps of a trace with gaps.
  static let fewestGaps: UInt64 = 5
  /// The bound on `pValue` of a relevant difference.
  static let significance = 0.01
  /// The smallest relevant difference of the means, as a share: sampling is coarse.
  static let share = 0.1

  /// Whether the function held gaps longer in NEW.
  package var isWorse: Bool { middle > 0 }

  /// The middle of `changeNs`.
  private var middle: Double {
    changeNs.map { Double($0.lowerBound) / 2 + Double($0.upperBound) / 2 } ?? 0
  }

  /// Returns the functions of both traces, those with the greatest change first. None if a trace does not list all of
  /// its gaps. A change is relevant only if the verdict has a reason in the same direction: a function is named to
  /// explain a difference.
  static func all(
    _ base: Analysis, _ new: Analysis, from thresholdNs: UInt64, _ relevant: RelevantDifference,
    _ reasons: [ComparisonVerdict.Reason]
  ) -> [ComparedFunction] {
    guard base.gapsOmitted == 0, new.gapsOmitted == 0 else { return [] }
    let (ofBase, ofNew) = (HeldGaps(base, from: thresholdNs), HeldGaps(new, from: thresholdNs))
    let keys = (ofNew.keys + ofBase.keys).uniqued()
    let changes = keys.map { MeanChange($0, ofBase, ofNew, thresholdNs) }
    let tests = Double(changes.count { $0 != nil })
    let functions = zip(keys, changes).map { key, change in
      var function = ComparedFunction(
        name: (ofNew.frames[key] ?? ofBase.frames[key])?.name ?? key.function, image: key.image,
        frame: ofNew.frames[key], thread: key.group.mode.thread, mode: key.group.mode.mode,
        callout: key.group.callout,
        base: ofBase.held(key), new: ofNew.held(key))
      if let change { function.judge(change, tests: tests, relevant, reasons) }
      return function
    }
    return functions.ordered { ($1.difference, $1.weight, $0.name) < ($0.difference, $0.weight, $1.name) }
  }

  private init(
    name: String, image: String?, frame: StackFrame?, thread: String, mode: String, callout: String,
    base: HeldTime, new: HeldTime
  ) {
    self.name = name
    self.image = image
    self.frame = frame
    self.thread = thread
    self.mode = mode
    self.callout = callout
    self.base = base
    self.new = new
  }

  private mutating func judge(
    _ change: MeanChange, tests: Double, _ relevant: RelevantDifference,
    _ reasons: [ComparisonVerdict.Reason]
  ) {
    changeNs = Int64(clamping: change.low.rounded(.down))...Int64(clamping: change.high.rounded(.up))
    let p = change.pValue
    pValue = min(1, p * tests)
    guard change.ns != 0, p < ComparedDistribution.significance else { return }
    var coarse = relevant
    coarse.share = max(relevant.share, Self.share)
    let isWorse = change.ns > 0
    let isRelevant =
      p * tests < Self.significance && coarse.separates(change.shorterNs, change.longerNs)
      && reasons.contains { $0.isWorse == isWorse }
    difference = isRelevant ? .relevant : .minor
  }

  /// The changed time in all gaps.
  private var weight: Double { abs(middle) * Double(max(base.gaps, new.gaps)) }

  /// The change in words, without a full stop. Names are safe to print on a terminal.
  package var sentence: String {
    let place =
      (callout.isEmpty ? "" : "around \(harmless(callout)) ") + "in \(harmless(mode)) "
      + "(\(harmless(thread, limit: 20)))"
    let (former, current) = (Units.duration(base.meanNs), Units.duration(new.meanNs))
    let means =
      base.gaps == 0
      ? "mean \(current); BASE has no gap as long"
      : new.gaps == 0 ? "NEW has no gap as long; the mean was \(former)" : "mean \(current), was \(former)"
    let change = changeNs.map { "; change \(Self.text($0)) (95 %)" } ?? ""
    return "\(harmless(name)) holds gaps \(place) \(isWorse ? "longer" : "for less time"): \(means)\(change)"
  }

  /// Such as `+98.0 ms to +116 ms`.
  package static func text(_ change: ClosedRange<Int64>) -> String {
    func signed(_ ns: Int64) -> String { (ns < 0 ? "−" : "+") + Units.duration(ns.magnitude) }
    return "\(signed(change.lowerBound)) to \(signed(change.upperBound))"
  }
}

/// The change of a mean time per gap, by Welch's test.
private struct MeanChange {
  /// The change that the test is about: a part of the change if one mean is only bounded.
  let ns: Double
  /// The interval of 95 %.
  let low: Double
  let high: Double
  /// Two-sided.
  let pValue: Double
  let shorterNs: UInt64
  let longerNs: UInt64

  /// Nil if there are too few gaps, or names are missing.
  init?(_ key: HeldGaps.Key, _ base: HeldGaps, _ new: HeldGaps, _ thresholdNs: UInt64) {
    guard base.isNamed(key.group), new.isNamed(key.group) else { return nil }
    let (a, b) = (base.held(key), new.held(key))
    let least = ComparedFunction.fewestGaps
    if a.gaps >= least, b.gaps >= least {
      let squares = (a.squaredError, b.squaredError)
      let all = squares.0 + squares.1
      let weights =
        squares.0 * squares.0 / (Double(a.gaps) - 1) + squares.1 * squares.1 / (Double(b.gaps) - 1)
      let freedom = weights > 0 ? all * all / weights : Double(a.gaps) + Double(b.gaps) - 2
      let change = b.mean - a.mean
      let margin = all.squareRoot() * StudentT.quantile(freedom)
      (ns, low, high) = (change, change - margin, change + margin)
      pValue = StudentT.pValue(change, error: all.squareRoot(), freedom)
      (shorterNs, longerNs) = (min(a.meanNs, b.meanNs), max(a.meanNs, b.meanNs))
      return
    }
    // One trace has no gap of the mode: there, the function held at most the threshold.
    let isNew = b.gaps >= least && !base.modes.contains(key.group.mode)
    guard isNew || a.gaps >= least && !new.modes.contains(key.group.mode) else { return nil }
    let held = isNew ? b : a
    let (error, freedom) = (held.squaredError.squareRoot(), Double(held.gaps) - 1)
    let beyond = held.mean - Double(thresholdNs)
    guard beyond > 0 else { return nil }
    let margin = error * StudentT.quantile(freedom)
    ns = isNew ? beyond : -beyond
    low = isNew ? beyond - margin : -(held.mean + margin)
    high = isNew ? held.mean + margin : -(beyond - margin)
    pValue = StudentT.pValue(beyond, error: error, freedom)
    (shorterNs, longerNs) = (thresholdNs, held.meanNs)
  }
}

/// Student's t distribution, by approximations: Wallace's (1959) for p, and Cornish and Fisher's for the quantile. The
/// latter is at most 2 % too small from four degrees of freedom on.
enum StudentT {
  /// Returns the two-sided p-value of a value with a standard error.
  static func pValue(_ value: Double, error: Double, _ freedom: Double) -> Double {
    guard error > 0 else { return value == 0 ? 1 : 0 }
    let t = abs(value) / error
    let z = (8 * freedom + 1) / (8 * freedom + 3) * (freedom * log(1 + t * t / freedom)).squareRoot()
    return erfc(z / 2.0.squareRoot())
  }

  /// Returns the quantile of 97.5 %.
  static func quantile(_ freedom: Double) -> Double {
    let z = 1.959964
    let cube = z * z * z
    return z + (cube + z) / (4 * freedom) + (5 * cube * z * z + 16 * cube + 3 * z) / (96 * freedom * freedom)
  }
}
