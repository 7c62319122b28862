import TraceFormat

/// Writes protobuf messages.
struct Protobuf {
  private(set) var bytes: [UInt8]

  /// Continues a message.
  init(bytes: [UInt8] = []) { self.bytes = bytes }

  mutating func varint(_ field: Int, _ value: UInt64) {
    bytes.appendVarint(UInt64(field) << 3)
    bytes.appendVarint(value)
  }

  mutating func text(_ field: Int, _ text: String) {
    guard !text.utf8.contains(0) else {
      // Perfetto treats a zero byte as the end of a string.
      let visible = text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }
      return self.text(field, String(String.UnicodeScalarView(visible)))
    }
    bytes.appendVarint(UInt64(field) << 3 | 2)
    bytes.appendVarint(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Appends a message. Its length takes four bytes, so that it can be filled in afterwards.
  mutating func message(_ field: Int, _ body: (inout Protobuf) -> Void) {
    bytes.appendVarint(UInt64(field) << 3 | 2)
    let start = bytes.count
    bytes += [0, 0, 0, 0]
    body(&self)
    var length = bytes.count - start - 4
    for place in start..<start + 4 {
      bytes[place] = UInt8(truncatingIfNeeded: length & 0x7F) | (place < start + 3 ? 0x80 : 0)
      length >>= 7
    }
  }
}
