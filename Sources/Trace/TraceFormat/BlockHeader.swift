/// The type of a block's contents. Types that this version does not know are legal: readers skip and count them.
public struct BlockType: RawRepresentable, Hashable, Sendable {
  /// The code in the file.
  public let rawValue: UInt8
  /// Creates the type with a code, which this version need not know.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The events of one thread.
  public static let events = BlockType(rawValue: 1)
  package static let strings = BlockType(rawValue: 2)
  package static let threads = BlockType(rawValue: 3)
  package static let modes = BlockType(rawValue: 4)
  package static let sync = BlockType(rawValue: 5)
  package static let info = BlockType(rawValue: 6)
  package static let index = BlockType(rawValue: 7)

  static let names: [(BlockType, String)] = [
    (.events, "events"), (.strings, "strings"), (.threads, "threads"), (.modes, "modes"), (.sync, "sync"),
    (.info, "info"), (.index, "index"),
  ]

  package var name: String { BlockType.names.first { $0.0 == self }?.1 ?? "type-\(rawValue)" }
  /// Whether this version can decode the type.
  var isKnown: Bool { BlockType.names.contains { $0.0 == self } }
}

/// The 40 bytes in front of each block's payload.
struct BlockHeader: Equatable, Sendable {
  static let byteCount = 40
  static let magic: UInt32 = 0x4B4C_4252  // "RBLK"

  var type: BlockType
  /// The size of the payload as stored, in bytes.
  var payloadBytes: Int
  /// The size of the payload before compression, for blocks compressed as a whole. Equal to `payloadBytes` when
  /// stored uncompressed. Event blocks compress column by column, so their payload is always stored as is.
  var plainBytes: Int
  /// The number of events or entries.
  var count: Int
  var thread: UInt32 = 0
  /// The times of the first and last event; 0 in other blocks.
  var first: UInt64 = 0
  var last: UInt64 = 0

  private static let checksumOffset = 36

  func encoded(payload: UnsafeRawBufferPointer) -> [UInt8] {
    var out = ByteWriter()
    out.appendInteger(BlockHeader.magic)
    out.appendInteger(UInt32(payloadBytes))
    out.appendInteger(UInt32(plainBytes))
    // The type shares a word with the count, which never needs more than 24 bits.
    out.appendInteger(UInt32(count) | UInt32(type.rawValue) << 24)
    out.appendInteger(thread)
    out.appendInteger(first)
    out.appendInteger(last)
    let checksum = out.bytes.withUnsafeBytes { BlockHeader.checksum(header: $0, payload: payload) }
    out.appendInteger(checksum)
    return out.bytes
  }

  private static func checksum(header: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> UInt32 {
    let seed = XXHash64.hash(UnsafeRawBufferPointer(rebasing: header[0..<checksumOffset]))
    return UInt32(truncatingIfNeeded: XXHash64.hash(payload, seed: seed))
  }

  static func isIntact(header: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Bool {
    header.integer(at: checksumOffset, UInt32.self) == checksum(header: header, payload: payload)
  }
}

extension BlockHeader {
  /// Decodes a block header; nil when the bytes are not one. `isIntact` checks the checksum together with the
  /// payload.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= BlockHeader.byteCount else { return nil }
    guard bytes.integer(at: 0, UInt32.self) == BlockHeader.magic else { return nil }
    let typeAndCount = bytes.integer(at: 12, UInt32.self)
    self.init(
      type: BlockType(rawValue: UInt8(typeAndCount >> 24)),
      payloadBytes: Int(bytes.integer(at: 4, UInt32.self)),
      plainBytes: Int(bytes.integer(at: 8, UInt32.self)), count: Int(typeAndCount & 0xFF_FFFF),
      thread: bytes.integer(at: 16, UInt32.self), first: bytes.integer(at: 20, UInt64.self),
      last: bytes.integer(at: 28, UInt64.self))
  }
}

/// The last 16 bytes of a file that was closed properly: the offset of the index block.
enum Trailer {
  static let byteCount = 16
  static let magic: [UInt8] = Array("RLT.END\n".utf8)

  static func encoded(indexOffset: UInt64) -> [UInt8] {
    var out = ByteWriter()
    out.appendInteger(indexOffset)
    out.append(contentsOf: magic)
    return out.bytes
  }

  static func indexOffset(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count == byteCount, zip(bytes[8...], magic).allSatisfy(==) else { return nil }
    return bytes.integer(at: 0, UInt64.self)
  }
}
