import Foundation
import TraceAnalysis

/// The hitches of a frame source in one trace, or of several while a state had a value.
struct FrameHitches: Sendable {
  private(set) var time: HitchTime
  /// The sum of the squares of the hitches in square nanoseconds. Hitches that are not listed count as the longest one.
  private var squares: Double

  /// Nil if the timer has no judged frames.
  init?(of timer: TimerResult, in frames: FrameResults) {
    let sources = frames.judged.filter { timer.classes.contains($0.timer) }
    guard !sources.isEmpty else { return nil }
    time = sources.hitchTime
    let listed = frames.hitches.filter { timer.classes.contains($0.timer) }.map(\.durationNs)
    let rest = time.hitchNs &- min(time.hitchNs, listed.saturatedSum)
    squares = listed.reduce(Double(rest) * Double(time.longestNs)) { $0 + Double($1) * Double($1) }
  }

  /// The hitches of a source while a state had a value.
  init(_ source: SplitResults.FrameSource) {
    time = source.hitchTime
    squares = source.squares
  }

  func adding(_ other: FrameHitches) -> FrameHitches {
    var sum = self
    sum.time = time.adding(other.time)
    sum.squares += other.squares
    return sum
  }

  /// The variance of the hitch ratio if hitches of these lengths come at random.
  fileprivate var variance: Double {
    let active = Double(max(time.activeNs, 1))
    return squares / active / active * 1e6
  }
}

/// The hitches of a frame source that both traces judge.
package struct ComparedFrames: Sendable {
  package var base: HitchTime
  package var new: HitchTime
  /// The two-sided probability of such a difference of the hitch ratios by chance.
  package var pValue = 1.0
  package var difference = Difference.none

  /// The bound on `pValue` for a difference beyond chance, which is that of rare long values.
  package static let significance = TailTest.significance

  package var isWorse: Bool { new.ratio ?? 0 > base.ratio ?? 0 }
}

extension Yardstick {
  /// The smallest relevant difference of hitch ratios, in milliseconds per second: a fifth of the first band.
  static let hitchRatio = 1.0

  /// Compares hitch ratios. Relevant if they differ relevantly, and that is unlikely to be chance.
  func frames(_ base: FrameHitches, _ new: FrameHitches) -> ComparedFrames {
    var compared = ComparedFrames(base: base.time, new: new.time)
    guard let a = base.time.ratio, let b = new.time.ratio, a != b else { return compared }
    // Uses the normal approximation of a sum of lengths that come at random.
    let z = abs(a - b) / max((base.variance + new.variance).squareRoot(), .leastNormalMagnitude)
    compared.pValue = erfc(z / 2.0.squareRoot())
    let isApart = abs(a - b) >= Self.hitchRatio && relevant.separates(rate: min(a, b), max(a, b))
    compared.difference = isApart && compared.pValue < ComparedFrames.significance ? .relevant : .minor
    return compared
  }
}
