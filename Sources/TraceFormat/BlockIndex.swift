/// Where one block stands and what it spans.
public struct BlockEntry: Equatable, Sendable {
  /// Of the block's header, from the start of the file.
  public var offset: UInt64
  public var type: BlockType
  public var payloadBytes: Int
  public var count: Int
  public var thread: UInt32
  public var first: UInt64
  public var last: UInt64
}

extension BlockEntry: DefinitionPayload {
  static let type = BlockType.index
  static let limit = TraceLimits.entriesPerIndexBlock

  func encode(into out: inout ByteWriter) {
    out.appendInteger(offset)
    out.appendInteger(first)
    out.appendInteger(last)
    out.appendInteger(UInt32(payloadBytes))
    out.appendInteger(UInt32(count) | UInt32(type.rawValue) << 24)
    out.appendInteger(thread)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    offset = try reader.integer(UInt64.self)
    first = try reader.integer(UInt64.self)
    last = try reader.integer(UInt64.self)
    payloadBytes = Int(try reader.integer(UInt32.self))
    let typeAndCount = try reader.integer(UInt32.self)
    type = BlockType(rawValue: UInt8(typeAndCount >> 24))
    count = Int(typeAndCount & 0xFF_FFFF)
    thread = try reader.integer(UInt32.self)
  }

  init(offset: UInt64, header: BlockHeader) {
    self.init(
      offset: offset, type: header.type, payloadBytes: header.payloadBytes, count: header.count,
      thread: header.thread, first: header.first, last: header.last)
  }
}
