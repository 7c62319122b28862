/// Loads blocks from a source: reads each block as a whole, checks its checksum, decodes its events.
///
/// Blocks are independent of each other, so the result depends on the block alone. A loader holds scratch memory and
/// serves one thread.
final class BlockLoader {
  private let source: any ByteSource
  private let codec: any BlockCodec
  private lazy var decoder = EventBlockDecoder(codec: codec)
  private var buffer = RawBuffer()

  init(source: any ByteSource, codec: any BlockCodec) {
    self.source = source
    self.codec = codec
  }

  /// Reads a whole block and checks its checksum. The payload is valid until the next call.
  func load(
    _ entry: BlockEntry, block: Int
  ) throws(TraceFormatError) -> (header: BlockHeader, payload: UnsafeRawBufferPointer) {
    let isOfEvents = entry.type == .events
    let limit = isOfEvents ? TraceLimits.eventBytesPerBlock : TraceLimits.payloadBytes
    guard entry.payloadBytes <= limit else {
      throw .limit(
        offset: entry.offset, block: block,
        what: "\(entry.payloadBytes) bytes, the limit is \(limit) "
          + "(\(isOfEvents ? "eventBytesPerBlock" : "payloadBytes"))")
    }
    let size = BlockHeader.byteCount + entry.payloadBytes
    let bytes = UnsafeRawBufferPointer(
      rebasing: try buffer.fill(from: source, at: entry.offset, count: size, slack: EventBlockDecoder.slack))
    guard bytes.count == size else { throw .truncated(offset: source.size, block: block) }
    let header = UnsafeRawBufferPointer(rebasing: bytes[..<BlockHeader.byteCount])
    let payload = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.byteCount...])
    guard let stored = BlockHeader(header), BlockEntry(offset: entry.offset, header: stored) == entry,
      BlockHeader.isIntact(header: header, payload: payload)
    else {
      throw .damaged(offset: entry.offset, block: block, what: "the block does not match its checksum")
    }
    return (stored, payload)
  }

  /// Decodes the events of one block. After an error, the other blocks can still be read.
  func events(of entry: BlockEntry, block: Int, into out: DecodedEvents) throws(TraceFormatError) {
    let payload = try load(entry, block: block).payload
    do {
      try decoder.decode(payload, count: entry.count, first: entry.first, last: entry.last, into: out)
    } catch {
      throw error.placed(entry, block: block)
    }
    out.thread = entry.thread
  }
}

extension PayloadError {
  /// Returns the error with its place in the file.
  func placed(_ entry: BlockEntry, block: Int) -> TraceFormatError {
    switch self {
    case .malformed(let what): .damaged(offset: entry.offset, block: block, what: what)
    case .limit(let what): .limit(offset: entry.offset, block: block, what: what)
    }
  }
}
