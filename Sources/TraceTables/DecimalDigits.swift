extension [UInt8] {
  /// Appends the digits of a number without an intermediate string, because tables are mostly numbers.
  package mutating func appendDecimal(_ number: UInt64) {
    var length = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    append(contentsOf: repeatElement(UInt8(ascii: "0"), count: length))
    var place = count
    rest = number
    while rest > 0 {
      place -= 1
      self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
