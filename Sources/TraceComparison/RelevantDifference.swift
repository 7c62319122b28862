import TraceAnalysis
import TraceFormat

/// The smallest difference that matters: of two lengths of time, of which those that are closer count as equal, and of
/// two distributions of them.
public struct RelevantDifference: Sendable, Equatable {
  /// Of the shorter one.
  public var share: Double
  public var ns: UInt64
  /// Of distributions.
  public var effect: Effect

  public init(share: Double, ns: UInt64, effect: Effect) {
    self.effect = effect
    self.share = share.isFinite ? max(0, share) : 0
    self.ns = ns
  }

  /// 5 % and 100 µs: well below a frame. A medium effect: other work on the machine makes small ones.
  public static let standard = RelevantDifference(share: 0.05, ns: 100_000, effect: .medium)
  /// Any difference matters.
  public static let any = RelevantDifference(share: 0, ns: 0, effect: .small)

  /// Both in share and in nanoseconds.
  func separates(_ shorter: UInt64, _ longer: UInt64) -> Bool {
    longer > shorter && Double(longer &- shorter) >= max(Double(ns), share * Double(shorter))
  }

  /// In share only: for what is no time.
  func separates(rate lower: Double, _ higher: Double) -> Bool {
    higher > lower && higher >= lower * (1 + share)
  }

  /// The shortest length that is not relevantly shorter than `threshold`.
  public func closest(to threshold: UInt64) -> UInt64 {
    let byShare = Double(threshold) / (1 + share)
    let byTime = Double(threshold) - Double(ns)
    return UInt64(max(0, min(byShare, byTime)).rounded(.up))
  }

  /// For people: `5 %, 100 µs or a medium effect`.
  public var text: String { timeText.with(", ", for: " or ") + " or a \(effect.name) effect" }

  /// Of two values: `5 % or 100 µs`.
  public var timeText: String { "\(Units.significant(share * 100).withoutZeros) % or \(Units.duration(ns))" }
}

/// How much of a difference something is.
public enum Difference: Int, Sendable, Comparable {
  case none
  /// Less than the smallest relevant difference, or what may be chance.
  case minor
  case relevant

  public var name: String { "\(self)" }
  public static func < (a: Difference, b: Difference) -> Bool { a.rawValue < b.rawValue }
}

extension String {
  /// `5.00` is `5`.
  fileprivate var withoutZeros: String {
    guard contains(".") else { return self }
    let digits = reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(digits.reversed())
  }
}
