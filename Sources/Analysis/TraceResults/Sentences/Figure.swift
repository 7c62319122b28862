/// A number on which a finding rests, and its wording in a sentence.
public struct Figure: Sendable, Equatable {
  /// An amount with its unit.
  public enum Value: Sendable, Equatable {
    case count(UInt64)
    case ns(UInt64)
    /// Nanoseconds since the trace's origin.
    case moment(UInt64)
    /// A percentage.
    case percent(Double)
    /// A rate per second.
    case rate(Double)
  }

  /// The name of a time ends in `_ns`, of a share in `_percent`, of a rate in `_per_s`; all others are counts.
  public var name: String
  /// The number.
  public var value: Value

  /// The value as it appears in sentences.
  public var text: String {
    switch value {
    case .count(let count): "\(count)"
    case .ns(let ns): Units.duration(ns)
    case .moment(let ns): Units.moment(ns)
    case .percent(let percent): "\(Units.significant(percent)) %"
    case .rate(let rate): Units.significant(rate)
    }
  }

  package static func count(_ name: String, _ value: UInt64) -> Figure {
    Figure(name: name, value: .count(value))
  }
  package static func rate(_ name: String, _ value: Double) -> Figure {
    Figure(name: name, value: .rate(value))
  }
  package static func ns(_ name: String, _ value: UInt64) -> Figure { Figure(name: name, value: .ns(value)) }

  /// Returns a percentage; 0 if `whole` is 0.
  package static func percent(_ name: String, _ part: UInt64, of whole: UInt64) -> Figure {
    Figure(name: name, value: .percent(whole == 0 ? 0 : Double(part) / Double(whole) * 100))
  }
}
