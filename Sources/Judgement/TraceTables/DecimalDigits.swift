extension [UInt8] {
  /// Appends the digits of a number without an intermediate string, because tables are mostly numbers.
  package mutating func appendDecimal(_ number: UInt64) {
    Digits.parts(of: number) { append($0) }
  }

  private mutating func append(_ digits: Digits) {
    unsafe Swift.withUnsafeBytes(of: digits.bytes.littleEndian) { bytes in
      // SAFETY: there are at most eight bytes.
      unsafe append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<digits.count]))
    }
  }
}

/// Up to eight characters, the first one in the lowest byte.
struct Digits {
  /// The smallest number with more digits.
  static let limit: UInt64 = 100_000_000

  private(set) var bytes: UInt64
  private(set) var count: Int

  /// The digits of a number below the limit, with zeros before them to eight digits.
  init(padded number: UInt64) {
    // Divides the number into two, four and eight parts, each part in a lane of the word. The factors divide exactly
    // for all numbers that fit into a lane.
    let fours = (number % 10_000) << 32 | number / 10_000
    let hundreds = (fours &* 10_486) >> 20 & 0x7F_0000_007F
    let twos = (fours &- hundreds &* 100) << 16 | hundreds
    let tens = (twos &* 103) >> 10 & 0x0F_000F_000F_000F
    bytes = ((twos &- tens &* 10) << 8 | tens) | 0x3030_3030_3030_3030
    count = 8
  }

  /// The digit of a number below ten. Many cells are zero.
  init(digit: UInt64) { (bytes, count) = (digit | 0x30, 1) }

  /// The digits of a number below the limit.
  init(_ number: UInt64) {
    self.init(padded: number)
    // The last digit is kept, even for zero.
    let zeros = min((bytes ^ 0x3030_3030_3030_3030).trailingZeroBitCount / 8, 7)
    bytes >>= UInt64(8 * zeros)
    count = 8 - zeros
  }

  /// Calls `body` with the digits of any number, in up to three parts.
  @inline(__always)
  static func parts(of number: UInt64, _ body: (Digits) -> Void) {
    guard number >= limit else { return body(Digits(number)) }
    if number < limit * limit {
      body(Digits(number / limit))
    } else {
      body(Digits(number / limit / limit))
      body(Digits(padded: number / limit % limit))
    }
    body(Digits(padded: number % limit))
  }

  /// Puts a character before at most seven digits.
  func after(_ byte: UInt8) -> Digits {
    var digits = self
    digits.bytes = bytes << 8 | UInt64(byte)
    digits.count += 1
    return digits
  }
}
