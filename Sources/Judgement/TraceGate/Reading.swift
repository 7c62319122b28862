import TraceResults

/// A measured value: a number, or a range if the recording does not allow more.
package struct Reading: Sendable, Equatable {
  package var low: Double
  package var high: Double
  /// Why it is a range; empty for a number.
  package var doubt: String

  init(_ value: Double) {
    low = value
    high = value
    doubt = ""
  }

  init(_ value: UInt64) { self.init(Double(value)) }

  init(from low: Double, to high: Double, because doubt: String) {
    self.low = low
    self.high = high
    self.doubt = low == high ? "" : doubt
  }

  package var isExact: Bool { low == high }

  /// Returns factor × this + plus. Neither is negative.
  func scaled(_ factor: Double, plus: Double) -> Reading {
    Reading(from: low * factor + plus, to: high * factor + plus, because: doubt)
  }
}

extension Reading {
  /// Returns the value with its unit, or the range.
  package func text(_ dimension: Dimension) -> String {
    guard high.isFinite else { return "at least \(Self.text(low, dimension))" }
    return isExact
      ? Self.text(low, dimension) : "\(Self.text(low, dimension)) to \(Self.text(high, dimension))"
  }

  private static func text(_ value: Double, _ dimension: Dimension) -> String {
    switch dimension {
    case .time: Units.duration(UInt64(clamping: value))
    case .count: value.rounded() == value ? "\(UInt64(clamping: value))" : Units.significant(value)
    case .ratio: "\(Units.significant(value * 100)) %"
    case .rate: Units.rate(value)
    }
  }
}

extension GateRule.Comparison {
  /// Returns whether the comparison holds, nil if that depends on the exact values in the ranges.
  func holds(_ a: Reading, _ b: Reading) -> Bool? {
    func decided(_ always: Bool, _ never: Bool) -> Bool? { always ? true : never ? false : nil }
    let isSame = a.isExact && b.isExact && a.low == b.low
    let isApart = a.high < b.low || a.low > b.high
    switch self {
    case .less: return decided(a.high < b.low, a.low >= b.high)
    case .lessOrEqual: return decided(a.high <= b.low, a.low > b.high)
    case .greater: return decided(a.low > b.high, a.high <= b.low)
    case .greaterOrEqual: return decided(a.low >= b.high, a.high < b.low)
    case .equal: return decided(isSame, isApart)
    case .notEqual: return decided(isApart, isSame)
    }
  }
}

/// Why a rule cannot be decided, in a few words. Names in it are safe to print on a terminal.
struct Undecidable: Error {
  var why: String
  init(_ why: String) { self.why = why }
}
