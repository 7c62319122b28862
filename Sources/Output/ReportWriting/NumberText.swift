import TraceTables

/// Writes numbers and Booleans for JSON and CSV.
package enum NumberText {
  /// Appends the value; nothing if it is neither a number nor a Boolean.
  package static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .integer(let value): bytes.appendDecimal(value)
    case .signed(let value):
      if value < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.appendDecimal(value.magnitude)
    case .number(let value): bytes += shortest(value).utf8
    case .truth(let value): bytes += (value ? "true" : "false").utf8
    case .text, .list, .rows, .object, .unknown: break
    }
  }

  /// Returns the shortest form: 1, not 1.0.
  private static func shortest(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}
