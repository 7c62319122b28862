/// Writes a trace: header, blocks in the given order, index, trailer.
///
/// Not thread-safe; one drain owns it. Without `close`, the file keeps its working name.
package final class TraceWriter {
  package let header: FileHeader
  private let sink: any ByteSink
  private let codec: any BlockCodec
  private lazy var encoder = EventBlockEncoder(codec: codec)
  private var offset: UInt64 = 0
  private var index: [BlockEntry] = []
  private let entriesPerIndexBlock: Int
  /// Whether index and trailer were written.
  private var isEnded = false

  /// Writes the file header.
  package convenience init(sink: any ByteSink, header: FileHeader, codec: any BlockCodec)
    throws(TraceFormatError)
  {
    try self.init(
      sink: sink, header: header, codec: codec, entriesPerIndexBlock: TraceLimits.entriesPerIndexBlock)
  }

  init(
    sink: any ByteSink, header: FileHeader, codec: any BlockCodec, entriesPerIndexBlock: Int
  ) throws(TraceFormatError) {
    guard codec.id == header.codec else {
      throw .invalidInput(
        what: "the header has codec \(header.codec.name), but the writer was given \(codec.id.name)")
    }
    self.sink = sink
    self.header = header
    self.codec = codec
    self.entriesPerIndexBlock = entriesPerIndexBlock
    try emit(header.encoded())
  }

  /// The number of bytes written so far.
  package var byteCount: UInt64 { offset }

  /// The number of events written so far.
  package private(set) var eventCount: UInt64 = 0

  /// Writes one event block. Does nothing for an empty buffer.
  package func write(_ events: EventBuffer, thread: UInt32) throws(TraceFormatError) {
    _ = try write(events, thread: thread, isFlat: false)
  }

  /// Writes one event block. Does nothing for an empty buffer. `isFlat`: the block is flat and not compressed. Returns
  /// the number of bytes of such a block; otherwise 0.
  package func write(
    _ events: EventBuffer, thread: UInt32, isFlat: Bool
  ) throws(TraceFormatError) -> Int {
    guard !events.isEmpty else { return 0 }
    let room = BlockHeader.byteCount
    var block = isFlat ? encoder.encodeFlat(events, room: room) : encoder.encode(events, room: room)
    let size = block.count - room
    try write(
      &block,
      BlockHeader(
        type: .events, payloadBytes: size, plainBytes: size, count: events.count, thread: thread,
        first: events.firstTime, last: events.lastTime))
    eventCount += UInt64(events.count)
    return isFlat ? size : 0
  }

  package func write(_ strings: [StringDefinition]) throws(TraceFormatError) { try writeDefinitions(strings) }
  package func write(_ threads: [ThreadDefinition]) throws(TraceFormatError) { try writeDefinitions(threads) }
  package func write(_ modes: [ModeDefinition]) throws(TraceFormatError) { try writeDefinitions(modes) }
  package func write(_ points: [SyncPoint]) throws(TraceFormatError) { try writeDefinitions(points) }
  package func write(_ info: [InfoEntry]) throws(TraceFormatError) { try writeDefinitions(info) }

  package func writeAll(_ strings: [StringDefinition]) throws(TraceFormatError) { try writeInParts(strings) }
  package func writeAll(_ threads: [ThreadDefinition]) throws(TraceFormatError) { try writeInParts(threads) }
  package func writeAll(_ modes: [ModeDefinition]) throws(TraceFormatError) { try writeInParts(modes) }
  package func writeAll(_ points: [SyncPoint]) throws(TraceFormatError) { try writeInParts(points) }
  package func writeAll(_ info: [InfoEntry]) throws(TraceFormatError) { try writeInParts(info) }

  /// Writes entries in as many blocks as they need.
  private func writeInParts<Entry: DefinitionPayload>(_ entries: [Entry]) throws(TraceFormatError) {
    for start in stride(from: 0, to: entries.count, by: Entry.limit) {
      try writeDefinitions(Array(entries[start..<min(start + Entry.limit, entries.count)]))
    }
  }

  /// Copies the readable blocks of another trace of the same unit and codec, as stored: all, or those for which
  /// `isWanted` returns true. Returns, for each thread, the number of its last event block in `reader`.
  @discardableResult
  package func write(
    blocksOf reader: TraceReader,
    where isWanted: (BlockEntry) throws(TraceFormatError) -> Bool = { _ in true }
  ) throws(TraceFormatError) -> [UInt32: Int] {
    guard reader.header.codec == header.codec, reader.header.timeUnit == header.timeUnit else {
      throw .invalidInput(what: "the traces have different codecs or time units")
    }
    var lastOfThread: [UInt32: Int] = [:]
    for number in reader.blocks.indices where reader.blocks[number].type != .index {
      guard try isWanted(reader.blocks[number]) else { continue }
      let (header, payload) = try reader.storedBlock(number)
      try writeBlock(header, payload)
      if header.type == .events {
        eventCount += UInt64(header.count)
        lastOfThread[header.thread] = number
      }
    }
    return lastOfThread
  }

  /// Writes index and trailer, and gives the file its final name. After an error the caller may try again.
  package func close() throws(TraceFormatError) {
    var end: [UInt8] = []
    var start = 0
    repeat {
      let next = min(start + entriesPerIndexBlock, index.count)
      let (header, payload) = try encoded(Array(index[start..<next]))
      end += payload.withUnsafeBytes { header.encoded(payload: $0) } + payload
      start = next
    } while start < index.count
    if !isEnded { try emit(end + Trailer.encoded(indexOffset: offset)) }
    isEnded = true
    try sink.commit()
  }

  /// Ends the file without index and trailer, as if the recorder had been killed. Readers report that the file was not
  /// closed properly.
  func abandon() throws(TraceFormatError) { try sink.commit() }

  func writeDefinitions<Entry: DefinitionPayload>(_ entries: [Entry]) throws(TraceFormatError) {
    guard !entries.isEmpty else { return }
    let (header, payload) = try encoded(entries)
    try writeBlock(header, payload)
  }

  private func encoded<Entry: DefinitionPayload>(
    _ entries: [Entry]
  ) throws(TraceFormatError) -> (BlockHeader, payload: [UInt8]) {
    guard entries.count <= Entry.limit else {
      throw .invalidInput(what: "\(entries.count) \(Entry.type.name) in a block, the limit is \(Entry.limit)")
    }
    for entry in entries {
      if let excess = entry.excess { throw .invalidInput(what: excess) }
    }
    let plain = Entry.encode(entries)
    let packed = plain.withUnsafeBytes { source in
      [UInt8](unsafeUninitializedCapacity: codec.bound(source.count)) { target, count in
        count = codec.compress(source, into: UnsafeMutableRawBufferPointer(target))
      }
    }
    let isPacked = !packed.isEmpty && packed.count < plain.count
    let payload = isPacked ? packed : plain
    return (
      BlockHeader(
        type: Entry.type, payloadBytes: payload.count, plainBytes: plain.count, count: entries.count), payload
    )
  }

  /// Writes a block as stored: all of it, or nothing.
  func writeBlock(_ header: BlockHeader, _ payload: [UInt8]) throws(TraceFormatError) {
    var block = [UInt8](repeating: 0, count: BlockHeader.byteCount) + payload
    try write(&block, header)
  }

  /// The same for a payload after as many bytes as the header takes. Large blocks are not copied again.
  private func write(_ block: inout [UInt8], _ header: BlockHeader) throws(TraceFormatError) {
    guard header.payloadBytes <= TraceLimits.payloadBytes,
      header.plainBytes <= TraceLimits.decodedBytesPerBlock
    else {
      throw .invalidInput(
        what: "a block of \(header.plainBytes) bytes, the limit is \(TraceLimits.payloadBytes)")
    }
    guard index.count < TraceLimits.blocks else {
      throw .limit(
        offset: offset, block: index.count, what: "a trace has at most \(TraceLimits.blocks) blocks")
    }
    let entry = BlockEntry(offset: offset, header: header)
    block.withUnsafeMutableBytes { bytes in
      let payload = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.byteCount...])
      bytes.copyBytes(from: header.encoded(payload: payload))
    }
    try emit(block)
    index.append(entry)
  }

  private func emit(_ bytes: [UInt8]) throws(TraceFormatError) {
    try sink.write(bytes)
    offset += UInt64(bytes.count)
  }
}
