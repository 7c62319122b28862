import TestSupport
import Testing
@testable import TraceFormat

/// Little-endian integers and varints.
@Suite struct BytesTests {
  private func varint(_ value: UInt64) -> [UInt8] {
    var out = ByteWriter()
    out.appendVarint(value)
    return out.bytes
  }

  private func read<T>(_ bytes: [UInt8], _ body: (inout ByteReader) throws(PayloadError) -> T) throws -> T {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try body(&reader)
    }
  }

  @Test func varintsAtTheirLimits() throws {
    #expect(varint(0) == [0])
    #expect(varint(127) == [0x7F])
    #expect(varint(128) == [0x80, 1])
    #expect(varint(300) == [0xAC, 2])
    #expect(varint(.max) == Array(repeating: 0xFF, count: 9) + [1])
    var values: [UInt64] = (0..<64).flatMap { bit in [1 << bit, (1 << bit) &- 1, (1 << bit) &+ 1] }
    values += [.max, .max - 1]
    for value in values {
      #expect(try read(varint(value)) { r throws(PayloadError) in try r.varint() } == value)
    }
  }

  @Test func badVarints() {
    func varint(_ bytes: [UInt8]) throws -> UInt64 {
      try read(bytes) { r throws(PayloadError) in try r.varint() }
    }
    #expect(throws: PayloadError.self) { try varint([]) }
    #expect(throws: PayloadError.self) { try varint([0x80]) }
    #expect(throws: PayloadError.self) { try varint(Array(repeating: 0xFF, count: 9) + [2]) }
    #expect(throws: PayloadError.self) { try varint(Array(repeating: 0x80, count: 10) + [0]) }
    #expect(throws: PayloadError.self) { try varint(Array(repeating: 0x80, count: 200)) }
  }

  @Test func countsHaveLimits() throws {
    func count(_ value: UInt64, limit: Int) throws -> Int {
      try read(varint(value)) { r throws(PayloadError) in try r.count(limit: limit, "things") }
    }
    #expect(try count(5, limit: 5) == 5)
    #expect(throws: PayloadError.self) { try count(6, limit: 5) }
    #expect(throws: PayloadError.self) { try count(.max, limit: 5) }
  }

  @Test func integersAreLittleEndianAndBounded() throws {
    var out = ByteWriter()
    out.appendInteger(UInt32(0x0102_0304))
    #expect(out.bytes == [4, 3, 2, 1])
    #expect(try read([1, 0, 0, 0]) { r throws(PayloadError) in try r.integer(UInt32.self) } == 1)
    #expect(throws: PayloadError.self) {
      try read([1, 0, 0]) { r throws(PayloadError) in try r.integer(UInt32.self) }
    }
    #expect(throws: PayloadError.self) { try read([1]) { r throws(PayloadError) in try r.take(2).count } }
    #expect(throws: PayloadError.self) { try read([1]) { r throws(PayloadError) in try r.take(-1).count } }
  }
}
