/// A growing buffer of little-endian bytes.
struct ByteWriter {
  private(set) var bytes: [UInt8]

  /// Begins with `room` zeros.
  init(room: Int = 0) { bytes = [UInt8](repeating: 0, count: room) }

  var count: Int { bytes.count }

  /// Makes room for `more` bytes.
  mutating func reserve(_ more: Int) { bytes.reserveCapacity(count + more) }

  mutating func append(_ value: UInt8) { bytes.append(value) }
  mutating func append(contentsOf more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  mutating func appendInteger<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func appendVarint(_ value: UInt64) { bytes.appendVarint(value) }
  mutating func appendVarint(_ value: Int) { appendVarint(UInt64(value)) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

extension [UInt8] {
  /// Appends a LEB128 number: seven bits per byte, the lowest first, the high bit set on all bytes but the last.
  @inlinable
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension UnsafeRawBufferPointer {
  /// Reads a little-endian number. The caller makes sure that its bytes are within bounds.
  @inline(__always)
  func integer<T: FixedWidthInteger>(at offset: Int, _ type: T.Type) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}

/// The reason why a payload cannot be read. `TraceReader` adds the place in the file.
enum PayloadError: Error {
  case malformed(String)
  case limit(String)
}

/// Bounds-checked reading of little-endian bytes.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var remaining: Int { bytes.count - offset }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws(PayloadError) -> T {
    let width = MemoryLayout<T>.size
    guard remaining >= width else { throw .malformed("payload ends inside a number") }
    let value = bytes.integer(at: offset, type)
    offset += width
    return value
  }

  mutating func varint() throws(PayloadError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard offset < bytes.count else { throw .malformed("payload ends inside a varint") }
      let byte = UInt64(bytes[offset])
      offset += 1
      guard shift < 63 || byte <= 1 else { throw .malformed("varint above 64 bits") }
      value |= (byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  /// Reads a varint that is a count; `limit` is inclusive.
  mutating func count(limit: Int, _ what: String) throws(PayloadError) -> Int {
    let value = try varint()
    guard value <= UInt64(limit) else { throw .limit("\(what) is \(value), the limit is \(limit)") }
    return Int(value)
  }

  mutating func take(_ length: Int) throws(PayloadError) -> UnsafeRawBufferPointer {
    guard length >= 0, remaining >= length else { throw .malformed("payload ends inside \(length) bytes") }
    defer { offset += length }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
  }
}
