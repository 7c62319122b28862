/// The position of one block and the time that it spans.
///
/// Takes 40 bytes. A reader keeps one for each block of the trace, and nothing else that grows with the trace.
public struct BlockEntry: Equatable, Sendable {
  /// The offset of the block's header from the start of the file, in bytes.
  package var offset: UInt64
  /// The time of the first event, in time units since the origin; 0 = the block has no events.
  public var first: UInt64
  /// The time of the last event.
  public var last: UInt64
  private var storedPayloadBytes: UInt32
  private var storedCount: UInt32
  /// The index in the trace's thread table.
  public var thread: UInt32
  /// The type of the contents.
  public var type: BlockType

  package var payloadBytes: Int { Int(storedPayloadBytes) }
  /// The number of events or definitions.
  public var count: Int { Int(storedCount) }
}

extension BlockEntry: DefinitionPayload {
  static let type = BlockType.index
  static let limit = TraceLimits.entriesPerIndexBlock

  func encode(into out: inout ByteWriter) {
    out.appendInteger(offset)
    out.appendInteger(first)
    out.appendInteger(last)
    out.appendInteger(storedPayloadBytes)
    out.appendInteger(storedCount | UInt32(type.rawValue) << 24)
    out.appendInteger(thread)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    offset = try reader.integer(UInt64.self)
    first = try reader.integer(UInt64.self)
    last = try reader.integer(UInt64.self)
    storedPayloadBytes = try reader.integer(UInt32.self)
    let typeAndCount = try reader.integer(UInt32.self)
    type = BlockType(rawValue: UInt8(typeAndCount >> 24))
    storedCount = typeAndCount & 0xFF_FFFF
    thread = try reader.integer(UInt32.self)
  }

  init(offset: UInt64, header: BlockHeader) {
    self.offset = offset
    first = header.first
    last = header.last
    storedPayloadBytes = UInt32(header.payloadBytes)
    storedCount = UInt32(header.count)
    thread = header.thread
    type = header.type
  }
}
