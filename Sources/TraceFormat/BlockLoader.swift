/// Takes blocks from a source: reads each whole, tests its checksum, decodes its events.
///
/// Blocks know nothing of each other, so what it gives depends on the block alone. Holds scratch; one loader serves one
/// thread.
final class BlockLoader {
  private let source: any ByteSource
  private let codec: any BlockCodec
  private lazy var decoder = EventBlockDecoder(codec: codec)
  private var buffer = RawBuffer()

  init(source: any ByteSource, codec: any BlockCodec) {
    self.source = source
    self.codec = codec
  }

  /// Reads a block whole and tests its checksum. The payload lives until the next call.
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
      throw .damaged(offset: entry.offset, block: block, what: "the block contradicts its checksum")
    }
    return (stored, payload)
  }

  /// Decodes the events of one block. After a throw the other blocks can still be read.
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
  /// The same, with its place in the file.
  func placed(_ entry: BlockEntry, block: Int) -> TraceFormatError {
    switch self {
    case .malformed(let what): .damaged(offset: entry.offset, block: block, what: what)
    case .limit(let what): .limit(offset: entry.offset, block: block, what: what)
    }
  }
}
