import TraceTables

/// Numbers and truth values as JSON and CSV have them.
enum NumberText {
  /// Of another value, nothing.
  static func append(_ value: Value, to bytes: inout [UInt8]) {
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

  /// 1, not 1.0.
  private static func shortest(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}

extension [UInt8] {
  /// A number's digits, without a string between: tables are mostly numbers.
  mutating func appendDecimal(_ number: UInt64) {
    let start = count
    var rest = number
    repeat {
      append(UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0"))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
