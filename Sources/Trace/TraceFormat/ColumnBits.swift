// The two integer columns of an event block.
//
// A value is split into a *code* and *low bits*. The code is one byte, which a compressor predicts well. The low bits
// are noise and are stored uncompressed, least significant bit first:
//
//   narrow (time deltas below 2^31 - 2)       v = delta + 1, e = floor(log2 v), low = max(e - 3, 0) bits
//                                             code = e * 8 + the 3 bits of v below its leading one; v < 8: e * 8 + v
//   wide (arguments, any 64 bits)             z = zigzag(value), e = floor(log2 z), low = max(e - 2, 0) bits
//                                             code = e * 4 + the 2 bits below the leading one; z = 0: code 0
//
// Three mantissa bits leave 12 % of a value to the low bits, a range in which deltas are evenly distributed. More
// mantissa bits would only enlarge the code column.

/// Appends bits to memory that the caller made large enough, including 8 bytes of slack.
struct BitWriter {
  private let start: UnsafeMutableRawPointer
  private var bits: UInt64 = 0

  init(_ start: UnsafeMutableRawPointer) {
    self.start = start
    start.storeBytes(of: 0, as: UInt8.self)
  }

  /// The maximum number of bits per append.
  static let most: UInt64 = 56

  /// Appends `value`, which has `count` bits. `count` must not exceed `most`.
  @inline(__always) mutating func append(_ value: UInt64, _ count: UInt64) {
    // The store rewrites the partly filled byte and writes zeros after the new bits.
    let at = start + Int(truncatingIfNeeded: bits &>> 3)
    let begun = UInt64(at.load(as: UInt8.self))
    at.storeBytes(of: (begun | value &<< (bits & 7)).littleEndian, as: UInt64.self)
    bits &+= count
  }

  /// The number of bytes used; the last one is padded with zeros.
  var byteCount: Int { Int(truncatingIfNeeded: (bits &+ 7) &>> 3) }
}

enum NarrowColumn {
  /// Returns the number of bytes that the low bits of `count` values may take, including slack.
  static func bitsBound(_ count: Int) -> Int { count * 4 + 16 }

  /// Writes `count` codes and their low bits. Returns the number of bytes of low bits.
  static func encode(
    _ deltas: UnsafePointer<UInt32>, count: Int, codes: UnsafeMutablePointer<UInt8>,
    bits: UnsafeMutableRawPointer
  ) -> Int {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: piece) { widths in
      table.withUnsafeBufferPointer { lows in
        // SAFETY: A piece has at most as many values as `widths` has elements. A code is a byte, and `lows` begins
        // with 256 bases.
        let widths = widths.baseAddress!, lows = lows.baseAddress!
        var writer = BitWriter(bits)
        var start = 0
        while start < count {
          let size = min(piece, count &- start)
          findCodes(deltas + start, count: size, codes: codes + start)
          for i in 0..<size { widths[i] = max(codes[start &+ i] &>> 3, 3) &- 3 }
          pack(deltas + start, codes + start, widths, lows, count: size, &writer)
          start &+= size
        }
        return writer.byteCount
      }
    }
  }

  /// The number of values that are coded before they are packed: few enough to stay in the first-level cache.
  private static let piece = 1024

  /// Finds the code of each value. No step depends on the previous value and nothing branches, so the compiler
  /// vectorises the loop.
  ///
  /// A Float has the exponent next to the bits below the leading one, which is what a code needs. It has 24
  /// significant bits. In longer values, each bit 8 below a set one is cleared first, so that rounding up never
  /// reaches the bits that count.
  private static func findCodes(
    _ deltas: UnsafePointer<UInt32>, count: Int, codes: UnsafeMutablePointer<UInt8>
  ) {
    for i in 0..<count {
      let value = Int32(bitPattern: deltas[i] &+ 1)
      let code = (Int32(bitPattern: Float(value & ~(value &>> 8)).bitPattern) &>> 20) &- 127 &* 8
      // Values below 8 have fewer than three bits after the leading one; the code holds the value itself.
      codes[i] = UInt8(truncatingIfNeeded: code ^ ((code ^ value) & (value < 8 ? 7 : 0)))
    }
  }

  /// Appends the low bits of the values, those of eight values at a time where they fit the writer.
  @inline(__always)
  private static func pack(
    _ deltas: UnsafePointer<UInt32>, _ codes: UnsafePointer<UInt8>, _ widths: UnsafePointer<UInt8>,
    _ lows: UnsafePointer<UInt32>, count: Int, _ writer: inout BitWriter
  ) {
    func low(_ i: Int) -> UInt64 { UInt64(deltas[i] &- lows[Int(codes[i])]) }
    /// Returns the low bits of four values, and the number of these bits, which may exceed a word.
    func four(_ i: Int) -> (bits: UInt64, count: UInt64) {
      var bits = low(i &+ 3)
      bits = bits &<< UInt64(widths[i &+ 2]) | low(i &+ 2)
      bits = bits &<< UInt64(widths[i &+ 1]) | low(i &+ 1)
      bits = bits &<< UInt64(widths[i]) | low(i)
      // The highest byte of this product is the sum of the four widths.
      let sum = UnsafeRawPointer(widths + i).loadUnaligned(as: UInt32.self) &* 0x0101_0101
      return (bits, UInt64(sum &>> 24))
    }
    func append(_ i: Int, _ four: (bits: UInt64, count: UInt64)) {
      if four.count <= BitWriter.most { return writer.append(four.bits, four.count) }
      for i in i..<i &+ 4 { writer.append(low(i), UInt64(widths[i])) }
    }
    var i = 0
    while i &+ 8 <= count {
      let first = four(i), second = four(i &+ 4)
      if first.count &+ second.count <= BitWriter.most {
        writer.append(first.bits | second.bits &<< first.count, first.count &+ second.count)
      } else {
        append(i, first)
        append(i &+ 4, second)
      }
      i &+= 8
    }
    while i < count {
      writer.append(low(i), UInt64(widths[i]))
      i &+= 1
    }
  }

  /// The decoding of each code: delta = base + (low bits & mask). The table holds the bases of all codes, then the
  /// masks, then the numbers of low bits. A load scales an index by 4 for free; entries of 16 bytes would need a
  /// shift.
  static let table: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 3 * 256)
    for code in 0..<256 {
      let exponent = UInt64(code >> 3)
      let mantissa = UInt64(code & 7)
      let low = exponent > 3 ? exponent - 3 : 0
      let value: UInt64 = exponent <= 2 ? mantissa : (1 << exponent) | (mantissa << low)
      table[code] = UInt32(truncatingIfNeeded: value &- 1)
      table[code + 256] = UInt32(truncatingIfNeeded: (UInt64(1) << low) &- 1)
      table[code + 512] = UInt32(truncatingIfNeeded: low)
    }
    return table
  }()

  /// Decodes `count` values. Returns the number of bits that the codes claim, which the caller compares with the
  /// number stored.
  ///
  /// SAFETY: Reads at most 4 bytes of `bits` per value and 16 more. The caller keeps that many bytes readable.
  @inline(__always)
  static func decode(
    codes: UnsafePointer<UInt8>, count: Int, bits: UnsafeRawPointer, table: UnsafePointer<UInt32>,
    into out: UnsafeMutablePointer<UInt32>
  ) -> Int {
    let masks = table + 256, widths = table + 512
    var position: UInt64 = 0
    func word(_ position: UInt64) -> UInt64 {
      UInt64(littleEndian: (bits + Int(truncatingIfNeeded: position &>> 3)).loadUnaligned(as: UInt64.self))
        &>> (position & 7)
    }
    /// Takes a value's bits off `rest`. Returns their number.
    @inline(__always) func take(_ i: Int, _ rest: inout UInt64) -> UInt64 {
      let code = Int(codes[i])
      out[i] = table[code] &+ (UInt32(truncatingIfNeeded: rest) & masks[code])
      let width = UInt64(widths[code])
      rest = rest &>> width
      return width
    }
    /// Decodes four values from one load if they fit after the up to 7 bits before them. Two values always fit: each
    /// has at most 28 bits.
    @inline(__always) func takeFour(_ i: Int) {
      var rest = word(position)
      let two = take(i, &rest) &+ take(i &+ 1, &rest)
      let four = two &+ take(i &+ 2, &rest) &+ take(i &+ 3, &rest)
      if four > 64 - 7 {
        rest = word(position &+ two)
        _ = take(i &+ 2, &rest)
        _ = take(i &+ 3, &rest)
      }
      position &+= four
    }
    var i = 0
    let whole = count & ~7
    while i != whole {
      takeFour(i)
      takeFour(i &+ 4)
      i &+= 8
    }
    while i != count {
      var rest = word(position)
      position &+= take(i, &rest)
      i &+= 1
    }
    return Int(truncatingIfNeeded: position)
  }
}

enum WideColumn {
  static func bitsBound(_ count: Int) -> Int { count * 8 + 16 }

  @inline(__always) static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: value &<< 1) ^ UInt64(bitPattern: value &>> 63)
  }

  @inline(__always) static func unzigzag(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
  }

  static func encode(
    _ residuals: UnsafePointer<Int64>, count: Int, codes: UnsafeMutablePointer<UInt8>,
    bits: UnsafeMutableRawPointer
  ) -> Int {
    var writer = BitWriter(bits)
    for i in 0..<count {
      let z = zigzag(residuals[i])
      guard z > 1 else {
        codes[i] = UInt8(z)
        continue
      }
      let exponent = UInt64(truncatingIfNeeded: 63 &- z.leadingZeroBitCount)
      let low = exponent > 2 ? exponent &- 2 : 0
      codes[i] = UInt8(truncatingIfNeeded: exponent &* 4 &+ ((z &>> low) & 3))
      let raw = z & ((1 &<< low) &- 1)
      // 7 pending bits and 32 new ones fit the writer.
      writer.append(raw & 0xFFFF_FFFF, min(low, 32))
      if low > 32 { writer.append(raw &>> 32, low &- 32) }
    }
    return writer.byteCount
  }

  static func claimedBits(_ codes: UnsafePointer<UInt8>, count: Int) -> Int {
    var sum = 0
    for i in 0..<count { sum += max(Int(codes[i] >> 2) - 2, 0) }
    return sum
  }

  /// SAFETY: The caller has compared `claimedBits` with `bits`, and keeps 16 bytes after `bits` readable.
  static func decode(
    codes: UnsafePointer<UInt8>, count: Int, bits: UnsafeRawPointer, into out: UnsafeMutablePointer<Int64>
  ) {
    var position: UInt64 = 0
    func take(_ width: UInt64) -> UInt64 {
      let word = UInt64(
        littleEndian: (bits + Int(truncatingIfNeeded: position >> 3)).loadUnaligned(as: UInt64.self))
      let value = (word &>> (position & 7)) & ((1 &<< width) &- 1)
      position &+= width
      return value
    }
    for i in 0..<count {
      let exponent = UInt64(codes[i] >> 2)
      let mantissa = UInt64(codes[i] & 3)
      guard exponent >= 2 else {
        // Codes 0, 1 are the values 0, 1; codes 6, 7 are 2, 3. Codes 2...5 are never written.
        out[i] = unzigzag(exponent == 0 ? mantissa & 1 : 2 | (mantissa & 1))
        continue
      }
      let low = exponent - 2
      var raw = take(min(low, 32))
      if low > 32 { raw |= take(low - 32) &<< 32 }
      out[i] = unzigzag((4 | mantissa) &<< low | raw)
    }
  }
}
