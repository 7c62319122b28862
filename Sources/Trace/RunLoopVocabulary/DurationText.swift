/// Durations as users write them: on the command line, in rules, in YAML. This is the only parser for them.
package enum DurationText {
  /// The longest duration, about 30 years.
  package static let longestNs: UInt64 = 1_000_000_000_000_000_000

  private static let decimalUnits: [(names: [String], ns: UInt64)] = [
    (["ns"], 1), (["us", "µs", "μs"], 1000), (["ms"], 1_000_000), (["s"], 1_000_000_000),
  ]
  /// The units of a number; without one, the number is in seconds.
  private static let units = decimalUnits + [(["min"], 60_000_000_000), (["h"], 3_600_000_000_000)]

  /// `ns, us, ms, s, min, h`
  package static let unitNames = units.map { $0.names[0] }.joined(separator: ", ")

  /// Parses a duration such as `250ms`, `2 s` or `1.5`. Returns nanoseconds.
  package static func nanoseconds(_ text: String) throws(DurationError) -> UInt64 {
    let number = text.prefix { $0 == "." || $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    // `Double` also accepts words and exponents, which are mistakes here.
    guard let value = Double(number), value.isFinite,
      let scale = unit.isEmpty
        ? units.first(where: { $0.names.contains("s") })?.ns
        : units.first(where: { $0.names.contains(String(unit)) })?.ns
    else { throw DurationError(what: "expected \(expectation), got '\(text)'") }
    let ns = (value * Double(scale)).rounded()
    guard ns <= Double(longestNs) else {
      throw DurationError(what: "'\(text)' is too long; at most 30 years")
    }
    return UInt64(ns)
  }

  /// Parses a duration whose unit must be stated, because a bare number may be meant in any unit. Only 0 needs none.
  package static func statedNanoseconds(_ text: String) throws(DurationError) -> UInt64 {
    let ns: UInt64
    do throws(DurationError) { ns = try nanoseconds(text) } catch
      where !text.isEmpty && text.last?.isNumber == false
    {
      throw DurationError(what: "expected \(statedExpectation), got '\(text)'")
    }
    guard ns == 0 || text.last?.isLetter == true else {
      throw DurationError(what: "'\(text)' has no unit; write \(text)ms or \(text)s (units: \(unitNames))")
    }
    return ns
  }

  /// The form of a duration with its unit, for messages.
  package static let statedExpectation = "a time with its unit, such as 250ms or 2s (units: \(unitNames))"

  /// The form of a duration, for messages.
  package static let expectation = "a time such as 250ms, 2s, or 1.5 for seconds (units: \(unitNames))"

  /// Returns the text of a time that may lie before now: "-5ms".
  package static func signedWord(_ ns: Int64) -> String { (ns < 0 ? "-" : "") + word(ns.magnitude) }

  /// Returns the shortest exact text that `nanoseconds` can parse.
  package static func word(_ ns: UInt64) -> String {
    guard ns > 0 else { return "0s" }
    for (names, length) in decimalUnits.reversed() where ns.isMultiple(of: length) {
      return "\(ns / length)\(names[0])"
    }
    return "\(ns)ns"
  }
}

/// A problem with a duration, worded as the end of a message.
package struct DurationError: Error, Equatable, Sendable, CustomStringConvertible {
  package var what: String
  package var description: String { what }
}
