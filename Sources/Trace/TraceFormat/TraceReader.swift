/// Reads a trace. Opening reads the header, the block index and all definitions; events are read block by block.
///
/// A damaged file, or one that was not closed properly, still opens. `problem` then describes the first thing wrong,
/// and the intact blocks can be read.
public final class TraceReader {
  /// The header of the file.
  public let header: FileHeader
  package let fileSize: UInt64
  /// All readable blocks in file order, the index excluded.
  public private(set) var blocks: [BlockEntry] = []
  /// Whether the file was closed properly: index and trailer exist and agree with the file.
  public private(set) var isClean = false
  /// The first problem found in the file; nil for a clean one.
  public private(set) var problem: TraceFormatError?
  /// The number of damaged blocks found so far. Event blocks are checked when they are read.
  package var damagedBlocks: Int { skippedRegions + damagedNumbers.count }
  /// The parts of the file that cannot be used, in file order, as found so far (see `damagedBlocks`).
  package var lostParts: [LostPart] {
    (lostRegions + damagedNumbers.map { lost(block: $0, $1) }).ordered {
      ($0.bytes.lowerBound, $0.bytes.upperBound) < ($1.bytes.lowerBound, $1.bytes.upperBound)
    }
  }
  package var loss: Loss { Loss(lostParts) }
  /// The number of blocks of types that this version does not know.
  package private(set) var unknownBlocks = 0

  /// The string table, by id.
  public private(set) var strings: [UInt32: String] = [:]
  /// The thread table, by index.
  public private(set) var threads: [UInt32: ThreadDefinition] = [:]
  /// The names of the modes, by id.
  public private(set) var modes: [UInt8: String] = [:]
  package private(set) var syncPoints: [SyncPoint] = []
  /// Facts about the recording.
  public private(set) var info: [InfoEntry] = []
  /// The number of names that were shortened.
  package private(set) var cutNames = 0

  let source: any ByteSource
  let codecs: CodecProvider
  private let longNames: LongNames?
  private let codec: any BlockCodec
  private let loader: BlockLoader
  private var buffer = RawBuffer()
  private var damagedNumbers: [Int: TraceFormatError] = [:]
  /// The parts of the file that are not blocks.
  var regions: [SkippedRegion] = []
  /// The number of these that are damage rather than a cut end.
  private var skippedRegions = 0
  /// The entries of intact index blocks that a scan of the file found, by offset. Empty when the index at the end was
  /// usable.
  private(set) var indexed: [BlockEntry] = []
  /// The end of the last of these index blocks.
  private(set) var indexEnd: UInt64 = 0
  /// The places where the index contradicts the blocks.
  package private(set) var indexContradictions = IndexContradictions()
  /// The number of events in all readable blocks.
  public private(set) var eventCount: UInt64 = 0
  /// The time of the last event or sync point, in units.
  public private(set) var lastTime: UInt64 = 0

  /// Opens a trace. Throws when nothing can be read from it. `longNames`: how to shorten names of strings, threads
  /// and modes; nil keeps them all.
  package init(
    source: any ByteSource, codecs: @escaping CodecProvider, longNames: LongNames?
  ) throws(TraceFormatError) {
    self.source = source
    self.longNames = longNames
    fileSize = source.size
    var head = RawBuffer()
    let read = try head.fill(from: source, at: 0, count: FileHeader.byteCount)
    header = try FileHeader(UnsafeRawBufferPointer(rebasing: read), fileSize: source.size)
    guard let codec = codecs(header.codec) else {
      throw .codecMissing(offset: 16, block: nil, codec: header.codec.rawValue)
    }
    self.codec = codec
    self.codecs = codecs
    loader = BlockLoader(source: source, codec: codec)
    if try readIndex() { try compareWithHeaders() } else { try scanBlocks() }
    noteSpansThatRunBack()
    eventCount = blocks.reduce(0) { $0 + ($1.type == .events ? UInt64($1.count) : 0) }
    try refuseTooManyEvents()
    unknownBlocks = blocks.count { !$0.type.isKnown }
    try readDefinitions()
    lastTime = max(blocks.map(\.last).max() ?? 0, syncPoints.map(\.time).max() ?? 0)
    // Releases the buffer, which may be as large as all definitions kept from it.
    plainBuffer = RawBuffer()
  }

  /// Decodes the events of one block. After an error, the other blocks can still be read.
  public func events(of number: Int, into out: DecodedEvents) throws(TraceFormatError) {
    do {
      try loader.events(of: blocks[number], block: number, into: out)
    } catch {
      noteDamage(error, block: number)
      throw error
    }
  }

  /// Reads all event blocks and checks their checksums, without decoding them. Afterwards `problem` and
  /// `damagedBlocks` report any damage. Throws only when the file cannot be read.
  package func verify(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) {
    var order = BlockOrder()
    for (number, entry) in blocks.enumerated() where entry.type == .events {
      progress?(Double(number) / Double(blocks.count))
      do throws(TraceFormatError) {
        _ = try loader.load(entry, block: number)
      } catch {
        if case .system = error { throw error }
        noteDamage(error, block: number)
        continue
      }
      if !order.accepts(entry) { noteMisplaced(block: number) }
    }
  }

  /// Notes that a block cannot be used at its position in the file. See `BlockOrder`. Only callers that read blocks
  /// in order find this.
  @discardableResult
  package func noteMisplaced(block number: Int) -> TraceFormatError {
    let error = contradiction(blocks[number], "its events are older than those before it", number)
    noteDamage(error, block: number)
    return error
  }

  func noteDamage(_ error: TraceFormatError, block: Int) {
    if case .system = error { return }
    isClean = false
    note(error)
    if damagedNumbers[block] == nil { damagedNumbers[block] = error }
  }

  // MARK: Opening

  /// Reads the index of a file that was closed properly. Returns false when there is none to trust.
  private func readIndex() throws(TraceFormatError) -> Bool {
    let size = UInt64(Trailer.byteCount)
    guard fileSize >= UInt64(FileHeader.byteCount) + size else { return false }
    let trailer = try buffer.fill(from: source, at: fileSize - size, count: Trailer.byteCount)
    guard let offset = Trailer.indexOffset(UnsafeRawBufferPointer(rebasing: trailer)) else { return false }
    guard offset >= UInt64(FileHeader.byteCount),
      let index = try indexEntries(from: offset, to: fileSize - size)
    else { return false }
    // The index must cover the file without gaps: each block begins where the one before ends.
    var expected = UInt64(FileHeader.byteCount)
    for block in index {
      guard block.offset == expected else { return false }
      expected += UInt64(BlockHeader.byteCount + block.payloadBytes)
    }
    guard expected == offset else { return false }
    blocks = index
    isClean = true
    return true
  }

  /// Compares the index with each block's header. They must agree, because callers that read a part of the trace rely
  /// on the index alone.
  private func compareWithHeaders() throws(TraceFormatError) {
    for (number, entry) in blocks.enumerated() {
      try refuseTooLarge(entry)
      let header = try blockHeader(at: entry.offset)
      let found = header.map { BlockEntry(offset: entry.offset, header: $0) }
      guard let found, found != entry else {
        if found == nil {
          noteDamage(contradiction(entry, "the block does not match its checksum", number), block: number)
        }
        continue
      }
      // Whichever of them is wrong, a block that is intact according to its own header is used.
      if found.payloadBytes == entry.payloadBytes, (try? loader.load(found, block: number)) != nil {
        blocks[number] = found
        isClean = false
        note(contradiction(entry, "the index contradicts the block's header", number))
        indexContradictions.compare(entry, with: found, block: number)
      } else {
        noteDamage(contradiction(entry, "the block does not match its checksum", number), block: number)
      }
    }
  }

  private func contradiction(_ entry: BlockEntry, _ what: String, _ number: Int) -> TraceFormatError {
    .damaged(offset: entry.offset, block: number, what: what)
  }

  /// Notes blocks that end before they begin. Blocks are selected by their times, so such a block would go missing
  /// unnoticed.
  private func noteSpansThatRunBack() {
    for (number, entry) in blocks.enumerated() where entry.type == .events && entry.first > entry.last {
      noteDamage(contradiction(entry, "the block ends before it begins", number), block: number)
    }
  }

  /// Refuses a trace with too many events. Blocks of equal events are small, so the file size alone does not limit
  /// them.
  private func refuseTooManyEvents() throws(TraceFormatError) {
    let limit =
      TraceLimits.eventsOfAnyTrace + TraceLimits.eventsPerByte * Int(clamping: min(fileSize, 1 << 40))
    guard eventCount > limit else { return }
    throw .limit(
      offset: 0, block: nil,
      what: "\(eventCount) events in \(fileSize) bytes, the limit is \(TraceLimits.eventsOfAnyTrace) "
        + "plus \(TraceLimits.eventsPerByte) for each byte (eventsPerByte)")
  }

  /// Returns the entries of the index blocks that fill `offset..<end`; nil when it holds anything else.
  private func indexEntries(from offset: UInt64, to end: UInt64) throws(TraceFormatError) -> [BlockEntry]? {
    var entries: [BlockEntry] = []
    var at = offset
    repeat {
      guard at < end, let header = try blockHeader(at: at), header.type == .index,
        let part = try indexPart(BlockEntry(offset: at, header: header))
      else { return nil }
      // Usually there is one block, whose entries are not copied.
      if entries.isEmpty { entries = part } else { entries += part }
      try refuseTooManyBlocks(entries.count, at: at)
      at += UInt64(BlockHeader.byteCount + header.payloadBytes)
    } while at != end
    return entries
  }

  /// Returns the entries of an index block; nil when it is damaged.
  private func indexPart(_ entry: BlockEntry) throws(TraceFormatError) -> [BlockEntry]? {
    guard let (header, payload) = try? loader.load(entry, block: blocks.count) else { return nil }
    do throws(PayloadError) {
      return try BlockEntry.decode(plainPayload(payload, header), count: header.count)
    } catch {
      guard case .limit = error else { return nil }
      throw error.placed(entry, block: blocks.count)
    }
  }

  /// Refuses an intact event block that exceeds the limit. A block that is not intact counts as damage, because its
  /// length may be wrong.
  private func refuseTooLarge(_ entry: BlockEntry) throws(TraceFormatError) {
    guard entry.type == .events, entry.payloadBytes > TraceLimits.eventBytesPerBlock else { return }
    let size = BlockHeader.byteCount + entry.payloadBytes
    var whole = RawBuffer()
    let bytes = UnsafeRawBufferPointer(
      rebasing: try whole.fill(from: source, at: entry.offset, count: size))
    guard bytes.count == size,
      BlockHeader.isIntact(
        header: UnsafeRawBufferPointer(rebasing: bytes[..<BlockHeader.byteCount]),
        payload: UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.byteCount...]))
    else { return }
    // Throws the error that states the limit.
    _ = try loader.load(entry, block: blocks.count)
  }

  /// Walks over the block headers of a file without a usable index. After damage, looks for the next intact block.
  private func scanBlocks() throws(TraceFormatError) {
    var offset = UInt64(FileHeader.byteCount)
    while offset < fileSize {
      guard let header = try blockHeader(at: offset) else {
        try skipDamage(&offset)
        continue
      }
      let end = offset + UInt64(BlockHeader.byteCount + header.payloadBytes)
      guard end <= fileSize else {
        // A damaged length looks like a truncated file. If an intact block follows, the length was damaged.
        try skipDamage(&offset)
        continue
      }
      let entry = BlockEntry(offset: offset, header: header)
      try refuseTooLarge(entry)
      guard (try? loader.load(entry, block: blocks.count)) != nil else {
        try skipDamage(&offset)
        continue
      }
      offset = end
      if header.type != .index {
        blocks.append(entry)
      } else if let part = try indexPart(entry) {
        indexed += part
        indexEnd = end
      }
      try refuseTooManyBlocks(blocks.count, at: offset)
      try refuseTooManyBlocks(indexed.count, at: offset)
    }
    indexContradictions.compare(indexed, with: blocks)
    indexed.sort { $0.offset < $1.offset }
    if regions.last?.bytes.upperBound != fileSize {
      skipped(fileSize..<fileSize, .truncated(offset: fileSize, block: blocks.count))
    }
    // A file whose index does not cover it is incomplete, even if all its blocks are intact.
    note(.truncated(offset: fileSize, block: blocks.count))
  }

  private func refuseTooManyBlocks(_ count: Int, at offset: UInt64) throws(TraceFormatError) {
    guard count > TraceLimits.blocks else { return }
    throw .limit(offset: offset, block: count, what: "more than \(TraceLimits.blocks) blocks (blocks)")
  }

  /// Moves to the next intact block after `offset`, or to the end of the file.
  private func skipDamage(_ offset: inout UInt64) throws(TraceFormatError) {
    let start = offset
    offset = try intactBlock(after: start) ?? fileSize
    if offset < fileSize {
      skippedRegions += 1
      skipped(
        start..<offset,
        .damaged(
          offset: start, block: blocks.count,
          what: "\(offset - start) bytes are not a block; reading continues after them"))
      return
    }
    // Nothing intact follows. If the rest is shorter than the block that it begins, the file was truncated.
    let rest = fileSize - start
    let header = try blockHeader(at: start)
    let isCut = rest < UInt64(BlockHeader.byteCount + (header?.payloadBytes ?? 0))
    guard !isCut else {
      return skipped(start..<fileSize, .truncated(offset: fileSize, block: blocks.count))
    }
    skippedRegions += 1
    let what =
      header == nil ? "\(rest) bytes at the end are not a block" : "the block does not match its checksum"
    skipped(start..<fileSize, .damaged(offset: start, block: blocks.count, what: what))
  }

  private func skipped(_ bytes: Range<UInt64>, _ error: TraceFormatError) {
    note(error)
    // The bytes are lost, whatever their header states. The header only shows how much was lost.
    let header = try? blockHeader(at: bytes.lowerBound)
    regions.append(SkippedRegion(bytes: bytes, block: blocks.count, error: error, header: header ?? nil))
  }

  /// The number of bytes that may be read for candidates that turn out not to be blocks. Without a limit, a file of
  /// block headers alone would take quadratic time, and a hole after a header costs nothing to create.
  private lazy var searchBudget = 16 * min(fileSize, 1 << 26)

  private func intactBlock(after offset: UInt64) throws(TraceFormatError) -> UInt64? {
    let magic = withUnsafeBytes(of: BlockHeader.magic.littleEndian) { Array($0) }
    var at = offset + 1
    var window = RawBuffer()
    while at + UInt64(BlockHeader.byteCount) <= fileSize {
      guard let next = source.data(from: at) else { return nil }
      at = next
      let bytes = try window.fill(from: source, at: at, count: 1 << 16)
      for i in 0..<max(0, bytes.count - 3) where bytes[i] == magic[0] {
        guard bytes[i + 1] == magic[1], bytes[i + 2] == magic[2], bytes[i + 3] == magic[3] else { continue }
        let candidate = at + UInt64(i)
        guard let header = try blockHeader(at: candidate) else { continue }
        let size = UInt64(BlockHeader.byteCount + header.payloadBytes)
        guard candidate + size <= fileSize else { continue }
        guard size <= searchBudget else { return nil }
        let entry = BlockEntry(offset: candidate, header: header)
        if (try? loader.load(entry, block: blocks.count)) != nil { return candidate }
        searchBudget -= size
      }
      if bytes.count < 1 << 16 { return nil }
      at += UInt64(clamping: bytes.count - 3)
    }
    return nil
  }

  private func note(_ error: TraceFormatError) { if problem == nil { problem = error } }

  /// The memory that a name takes besides its text, in bytes.
  static let bytesPerDefinition = 64

  /// Shortens a long name. `before`: the previous name with the same id.
  private func kept(_ name: String, before: String?) -> String {
    guard let longNames, name.utf8.count > longNames.limit else { return name }
    let cut = longNames.cut(name)
    if cut != before { cutNames += 1 }
    return cut
  }

  private func readDefinitions() throws(TraceFormatError) {
    var bytes = 0
    for (number, entry) in blocks.enumerated() where entry.type != .events {
      if entry.type.isKnown, entry.type != .sync {
        // Checked before the block is read and decompressed.
        let plainBytes = try blockHeader(at: entry.offset)?.plainBytes ?? 0
        bytes += max(plainBytes, entry.payloadBytes) + TraceReader.bytesPerDefinition * entry.count
        guard bytes <= TraceLimits.definitionBytes else {
          throw .limit(
            offset: entry.offset, block: number,
            what: "more than \(TraceLimits.definitionBytes) bytes of definitions (definitionBytes)")
        }
      }
      do throws(TraceFormatError) {
        switch entry.type {
        case .strings:
          let found = try definitions(StringDefinition.self, number) {
            $0.text = kept($0.text, before: strings[$0.id])
          }
          for string in found { strings[string.id] = string.text }
        case .threads:
          let found = try definitions(ThreadDefinition.self, number) {
            $0.name = kept($0.name, before: threads[$0.index]?.name)
          }
          for thread in found { threads[thread.index] = thread }
        case .modes:
          let found = try definitions(ModeDefinition.self, number) {
            $0.name = kept($0.name, before: modes[$0.id])
          }
          for mode in found { modes[mode.id] = mode.name }
        case .sync: syncPoints += try definitions(SyncPoint.self, number)
        case .info: info += try definitions(InfoEntry.self, number)
        default: break
        }
        for (count, limit, name) in [
          (strings.count, TraceLimits.strings, "strings"), (threads.count, TraceLimits.threads, "threads"),
          (info.count, TraceLimits.infoEntries, "infoEntries"),
          (syncPoints.count, TraceLimits.syncPoints, "syncPoints"),
        ] where count > limit {
          throw .limit(
            offset: entry.offset, block: number, what: "more than \(limit) entries (\(name))")
        }
      } catch {
        guard case .damaged = error else { throw error }
        // Names may be missing now; events still make sense.
        noteDamage(error, block: number)
      }
    }
  }

  // MARK: Blocks

  func definitions<Entry: DefinitionPayload>(
    _ type: Entry.Type, _ number: Int, change: (inout Entry) -> Void = { _ in }
  ) throws(TraceFormatError) -> [Entry] {
    let entry = blocks[number]
    let (header, payload) = try loader.load(entry, block: number)
    do {
      return try Entry.decode(try plainPayload(payload, header), count: entry.count, change: change)
    } catch {
      throw error.placed(entry, block: number)
    }
  }

  /// Returns a hash of all event blocks as stored: equal for copies of a trace, different for different recordings.
  /// Blocks that cannot be read are left out. Reads the whole file.
  package func contentHash() -> UInt64 {
    var words: [UInt64] = []
    for number in blocks.indices where blocks[number].type == .events {
      guard let (header, payload) = try? loader.load(blocks[number], block: number) else { continue }
      words.append(XXHash64.hash(payload) &+ UInt64(header.thread))
    }
    return words.withUnsafeBytes { XXHash64.hash($0) }
  }

  /// Returns a block as stored, whatever its type.
  func storedBlock(_ number: Int) throws(TraceFormatError) -> (header: BlockHeader, payload: [UInt8]) {
    let (header, payload) = try loader.load(blocks[number], block: number)
    return (header, Array(payload))
  }

  private var headerBuffer = RawBuffer()

  private func blockHeader(at offset: UInt64) throws(TraceFormatError) -> BlockHeader? {
    let bytes = try headerBuffer.fill(from: source, at: offset, count: BlockHeader.byteCount)
    guard let header = BlockHeader(UnsafeRawBufferPointer(rebasing: bytes)),
      header.payloadBytes <= TraceLimits.payloadBytes, header.plainBytes <= TraceLimits.decodedBytesPerBlock
    else { return nil }
    return header
  }

  private var plainBuffer = RawBuffer()

  /// Returns the decompressed payload of a definition block.
  private func plainPayload(
    _ payload: UnsafeRawBufferPointer, _ header: BlockHeader
  ) throws(PayloadError) -> UnsafeRawBufferPointer {
    guard header.plainBytes != header.payloadBytes else { return payload }
    guard header.plainBytes <= TraceLimits.decodedBytesPerBlock else {
      throw .limit("\(header.plainBytes) bytes in a block, the limit is \(TraceLimits.decodedBytesPerBlock)")
    }
    let target = plainBuffer.room(header.plainBytes)
    guard codec.decompress(payload, into: target) == header.plainBytes else {
      throw .malformed("the block does not decompress to \(header.plainBytes) bytes")
    }
    return UnsafeRawBufferPointer(target)
  }
}
