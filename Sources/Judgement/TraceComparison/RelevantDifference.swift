import TraceAnalysis
import TraceFormat

/// The smallest relevant difference between two durations, and between two distributions of durations. Lengths that are
/// closer count as equal.
package struct RelevantDifference: Sendable, Equatable {
  /// As a share of the shorter length.
  package var share: Double
  package var ns: UInt64
  /// For distributions.
  package var effect: Effect
  /// The factor by which a lack of processor time may have lengthened what is compared, at least 1. A difference within
  /// it is not relevant.
  var stretch = 1.0
  /// The smallest stretch that the notes state: a tenth of the threads' work.
  static let noticedStretch = 1.1
  /// The smallest relevant difference between waits if a recording ran on a busy machine: a thread that becomes ready
  /// there often waits a few milliseconds, the time slice of another thread.
  static let waitOnBusyMachineNs: UInt64 = 5_000_000

  package init(share: Double, ns: UInt64, effect: Effect) {
    self.effect = effect
    self.share = share.isFinite ? max(0, share) : 0
    self.ns = ns
  }

  /// 5 % and 100 µs, well below a frame; and a medium effect, because other work on the machine causes small ones.
  package static let standard = RelevantDifference(share: 0.05, ns: 100_000, effect: .medium)
  /// Any difference is relevant.
  package static let any = RelevantDifference(share: 0, ns: 0, effect: .small)

  /// Returns whether two lengths differ relevantly, both as a share and in nanoseconds.
  func separates(_ shorter: UInt64, _ longer: UInt64) -> Bool {
    longer > shorter && Double(longer) - Double(shorter) * stretch >= max(Double(ns), share * Double(shorter))
  }

  /// Returns whether two long lengths differ relevantly: one is at least twice the other, and longer by at
  /// least ten times the smallest relevant difference in nanoseconds.
  func separatesTails(_ shorter: UInt64, _ longer: UInt64) -> Bool {
    separates(shorter, longer) && Double(longer) / 2 >= Double(shorter) * stretch
      && (longer &- shorter) / 10 >= ns
  }

  /// Returns whether two rates differ relevantly as a share. For numbers that are not times.
  func separates(rate lower: Double, _ higher: Double) -> Bool {
    higher > lower && higher >= lower * (1 + share) * stretch
  }

  /// Returns a difference that also counts what a lack of processor time in one of the recordings explains.
  func stretched(by uses: [ProcessorUse?]) -> RelevantDifference {
    var stretched = self
    stretched.stretch = uses.compactMap { $0?.stretch }.max() ?? 1
    return stretched
  }

  /// For lateness and other waits, which a busy machine lengthens even if the program does little.
  var ofWaits: RelevantDifference {
    guard stretch >= Self.noticedStretch else { return self }
    var waits = self
    waits.ns = max(ns, Self.waitOnBusyMachineNs)
    return waits
  }

  /// Returns the shortest length that is not relevantly shorter than `threshold`.
  package func closest(to threshold: UInt64) -> UInt64 {
    let byShare = Double(threshold) / (1 + share)
    let byTime = Double(threshold) - Double(ns)
    return UInt64(clamping: max(0, min(byShare, byTime)).rounded(.up))
  }

  /// For two values: `5 % or 100 µs`.
  package var timeText: String { "\(shareText) or \(Units.duration(ns))" }

  /// For two counts: `5 %`.
  package var shareText: String { "\(Units.significant(share * 100).withoutZeros) %" }
}

/// The relevance of a difference.
package enum Difference: Int, Sendable, Comparable {
  case none
  /// Less than the smallest relevant difference, or possibly chance.
  case minor
  case relevant

  package var name: String { "\(self)" }
  package static func < (a: Difference, b: Difference) -> Bool { a.rawValue < b.rawValue }
}

extension String {
  /// Turns `5.00` into `5`.
  fileprivate var withoutZeros: String {
    guard contains(".") else { return self }
    let digits = reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(digits.reversed())
  }
}
