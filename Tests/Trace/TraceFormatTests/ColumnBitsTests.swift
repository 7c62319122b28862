import TestSupport
import Testing
@testable import TraceFormat

/// The two integer columns: every value in their range is restored, and codes only claim bits that exist.
@Suite struct ColumnBitsTests {
  private func edges(_ bits: ClosedRange<Int>) -> [UInt64] {
    bits.flatMap { bit in [(1 << UInt64(bit)) &- 1, 1 << UInt64(bit), (1 << UInt64(bit)) &+ 1] }
  }

  @Test func narrow() {
    var random = SeededGenerator(named: "narrow columns")
    var lists = [edges(0...30).filter { $0 < TraceLimits.deltaUnits } + [TraceLimits.deltaUnits - 1]]
    for _ in 0..<200 {
      let width = random.next() % 31
      lists.append((0..<(random.next() % 70)).map { _ in random.next() & ((1 << width) - 1) })
    }
    for list in lists {
      let values = list.map { UInt32($0) }
      let (codes, bits) = encodeNarrow(values)
      #expect(decodeNarrow(codes, bits) == values, "\(TestSeed.note)")
      #expect((claimedNarrow(codes) + 7) / 8 == bits.count, "\(TestSeed.note)")
    }
  }

  @Test func narrowCodesAsDocumented() {
    // v = 1, 2, 3, 4, 8, 9: e = 0, 1, 1, 2, 3, 3.
    let small: [UInt8] = [1, 10, 11, 20, 24, 25]
    #expect(encodeNarrow([0, 1, 2, 3, 7, 8]).codes == small)
    let (codes, bits) = encodeNarrow([15, 0b1_1010_1100])
    // v = 16: one low bit, 0. v = 0b110101101: five low bits, 01101, after it.
    let expected: [UInt8] = [32, 69]
    #expect(codes == expected && bits == [0b011010])
  }

  @Test func wide() {
    var random = SeededGenerator(named: "wide columns")
    let extremes: [Int64] = [0, 1, -1, 2, -2, 3, -3, .min, .max, .min + 1, .max - 1]
    var lists = [extremes + edges(0...63).flatMap { [Int64(bitPattern: $0), Int64(bitPattern: ~$0)] }]
    for _ in 0..<200 {
      let shift = random.next() % 64
      lists.append((0..<(random.next() % 70)).map { _ in Int64(bitPattern: random.next()) >> Int64(shift) })
    }
    for values in lists {
      let (codes, bits) = encodeWide(values)
      #expect(decodeWide(codes, bits) == values, "\(TestSeed.note)")
      #expect((WideColumn.claimedBits(codes, count: codes.count) + 7) / 8 == bits.count, "\(TestSeed.note)")
    }
  }

  @Test func wideCodesAsDocumented() {
    // zigzag: 0 1 2 3 4 for 0 -1 1 -2 2.
    #expect(encodeWide([0, -1, 1, -2, 2]).codes == [0, 1, 6, 7, 8])
    let (codes, bits) = encodeWide([20])
    // z = 40 = 0b101000: e = 5, three low bits 000, the two bits after the leading one are 01.
    #expect(codes == [21] && bits == [0])
  }

  @Test func anyCodesDecodeToSomething() {
    var random = SeededGenerator(named: "any codes")
    for _ in 0..<200 {
      let codes = (0..<64).map { _ in UInt8(random.next() & 255) }
      let noise = (0..<(64 * 8 + 16)).map { _ in UInt8(random.next() & 255) }
      #expect(decodeNarrow(codes, noise).count == 64 && decodeWide(codes, noise).count == 64)
    }
  }

  private func encodeNarrow(_ values: [UInt32]) -> (codes: [UInt8], bits: [UInt8]) {
    var codes = [UInt8](repeating: 0, count: values.count + 1)
    var bits = [UInt8](repeating: 0, count: NarrowColumn.bitsBound(values.count))
    let used = bits.withUnsafeMutableBytes {
      NarrowColumn.encode(values, count: values.count, codes: &codes, bits: $0.baseAddress!)
    }
    return (Array(codes.prefix(values.count)), Array(bits.prefix(used)))
  }

  private func decodeNarrow(_ codes: [UInt8], _ bits: [UInt8]) -> [UInt32] { readNarrow(codes, bits).values }

  private func claimedNarrow(_ codes: [UInt8]) -> Int {
    readNarrow(codes, [UInt8](repeating: 0, count: codes.count * 4)).claimed
  }

  private func readNarrow(_ codes: [UInt8], _ bits: [UInt8]) -> (values: [UInt32], claimed: Int) {
    var out = [UInt32](repeating: 0, count: codes.count + 1)
    let claimed = NarrowColumn.decode(
      codes: codes, count: codes.count, bits: bits + [UInt8](repeating: 0, count: 16),
      table: NarrowColumn.table, into: &out)
    return (Array(out.prefix(codes.count)), claimed)
  }

  private func encodeWide(_ values: [Int64]) -> (codes: [UInt8], bits: [UInt8]) {
    var codes = [UInt8](repeating: 0, count: values.count + 1)
    var bits = [UInt8](repeating: 0, count: WideColumn.bitsBound(values.count))
    let used = bits.withUnsafeMutableBytes {
      WideColumn.encode(values, count: values.count, codes: &codes, bits: $0.baseAddress!)
    }
    return (Array(codes.prefix(values.count)), Array(bits.prefix(used)))
  }

  private func decodeWide(_ codes: [UInt8], _ bits: [UInt8]) -> [Int64] {
    var out = [Int64](repeating: 0, count: codes.count + 1)
    WideColumn.decode(
      codes: codes, count: codes.count, bits: bits + [UInt8](repeating: 0, count: 16), into: &out)
    return Array(out.prefix(codes.count))
  }
}
