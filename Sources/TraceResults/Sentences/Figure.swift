/// A number that a finding rests on, and how its sentence says it.
public struct Figure: Sendable, Equatable {
  public enum Value: Sendable, Equatable {
    case count(UInt64)
    case ns(UInt64)
    /// Nanoseconds since the trace's origin.
    case moment(UInt64)
    /// Of a hundred.
    case percent(Double)
    /// A second.
    case rate(Double)
  }

  /// Times end in `_ns`, shares in `_percent`, rates in `_per_s`; the others are counts.
  public var name: String
  public var value: Value

  /// As sentences say it.
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

  /// Nothing of nothing is 0.
  package static func percent(_ name: String, _ part: UInt64, of whole: UInt64) -> Figure {
    Figure(name: name, value: .percent(whole == 0 ? 0 : Double(part) / Double(whole) * 100))
  }
}
