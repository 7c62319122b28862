/// Reads a trace. Opening reads the header, the block index and all definitions; events are read block by block.
///
/// A file that was not closed well, or is damaged, still opens: `problem` says what is wrong first, and the
/// blocks before (and, after damage, behind) it can be read.
public final class TraceReader {
  public let header: FileHeader
  public let fileSize: UInt64
  /// All readable blocks in file order, the index excluded.
  public private(set) var blocks: [BlockEntry] = []
  /// Closed well: index and trailer are there and agree with the file.
  public private(set) var isClean = false
  /// The first thing wrong with the file, nil for a clean one.
  public private(set) var problem: TraceFormatError?
  /// Damaged blocks met so far, those of events when they are read.
  public var damagedBlocks: Int { skippedRegions + damagedNumbers.count }
  /// What of the file cannot be used, in file order: so far, as `damagedBlocks`.
  public var lostParts: [LostPart] {
    (lostRegions + damagedNumbers.map { lost(block: $0, $1) }).sorted {
      ($0.bytes.lowerBound, $0.bytes.upperBound) < ($1.bytes.lowerBound, $1.bytes.upperBound)
    }
  }
  public var loss: Loss { Loss(lostParts) }
  /// Blocks of types this version does not know.
  public private(set) var unknownBlocks = 0

  public private(set) var strings: [UInt32: String] = [:]
  public private(set) var threads: [UInt32: ThreadDefinition] = [:]
  public private(set) var modes: [UInt8: String] = [:]
  public private(set) var syncPoints: [SyncPoint] = []
  public private(set) var info: [InfoEntry] = []
  /// Names that are cut.
  public private(set) var cutNames = 0

  let source: any ByteSource
  let codecs: CodecProvider
  private let longNames: LongNames?
  private let codec: any BlockCodec
  private let loader: BlockLoader
  private var buffer = RawBuffer()
  private var damagedNumbers: [Int: TraceFormatError] = [:]
  /// Stretches of the file that are not blocks.
  var regions: [SkippedRegion] = []
  /// Those of them that are damage, and no end.
  private var skippedRegions = 0
  /// What intact index blocks say that were met on the walk over a file whose index does not lead through it, by offset.
  private(set) var indexed: [BlockEntry] = []
  /// Behind the last of them.
  private(set) var indexEnd: UInt64 = 0
  /// Where the index contradicts the blocks.
  public private(set) var indexContradictions = IndexContradictions()
  /// Events in all readable blocks.
  public private(set) var eventCount: UInt64 = 0
  /// The time of the last event or sync point, in units.
  public private(set) var lastTime: UInt64 = 0

  /// Opens a trace. Throws when nothing can be read from it. `longNames`: what to do with those of strings, threads and
  /// modes; nil keeps them all.
  public init(
    source: any ByteSource, codecs: @escaping CodecProvider, longNames: LongNames? = nil
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
    // Its largest block may be as large as all that is kept of it.
    plainBuffer = RawBuffer()
  }

  /// The moment from which on the trace has all events: 0, or later when the recording kept its newest part only.
  /// What stands before it restates what lived then. Behind the last event there is nothing to begin.
  public var beginning: UInt64 {
    let stated = number(InfoEntry.beginsAt)
    return stated > lastTime ? lastTime.addingReportingOverflow(1).partialValue : stated
  }

  /// Events that the recording dropped to keep its newest part.
  public var droppedEvents: UInt64 { number(InfoEntry.droppedEvents) }

  /// From one beat of the recorder to the next; nil where the recording does not say it.
  public var heartbeatNs: UInt64? { numbers(InfoEntry.heartbeat).first }

  /// Threads of the recorder's own, whose events are no sign that the program ran. In recordings that say
  /// nothing of their recorder it is those without an id of the system that are not the main one.
  public var recorderThreads: Set<UInt32> {
    let told = numbers(InfoEntry.recorderThread)
    guard told.isEmpty, heartbeatNs == nil else { return Set(told.map(UInt32.init(clamping:))) }
    return Set(threads.values.filter { $0.osThread == 0 && !$0.isMain }.map(\.index))
  }

  private func number(_ key: String) -> UInt64 { numbers(key).first ?? 0 }

  private func numbers(_ key: String) -> [UInt64] {
    info.filter { $0.key == key }.compactMap { UInt64($0.value) }
  }

  /// Decodes the events of one block. After a throw the other blocks can still be read.
  public func events(of number: Int, into out: DecodedEvents) throws(TraceFormatError) {
    do {
      try loader.events(of: blocks[number], block: number, into: out)
    } catch {
      noteDamage(error, block: number)
      throw error
    }
  }

  /// Reads all event blocks and tests their checksums, without decoding them. Damage stands in `problem` and
  /// `damagedBlocks` afterwards; throws only when the file cannot be read.
  public func verify(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) {
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

  /// Notes that a block cannot be used where it stands, see `BlockOrder`. Whoever reads blocks in their order finds that.
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

  /// The index of a file that was closed well. False when there is none to trust.
  private func readIndex() throws(TraceFormatError) -> Bool {
    let size = UInt64(Trailer.byteCount)
    guard fileSize >= UInt64(FileHeader.byteCount) + size else { return false }
    let trailer = try buffer.fill(from: source, at: fileSize - size, count: Trailer.byteCount)
    guard let offset = Trailer.indexOffset(UnsafeRawBufferPointer(rebasing: trailer)) else { return false }
    guard offset >= UInt64(FileHeader.byteCount),
      let index = try indexEntries(from: offset, to: fileSize - size)
    else { return false }
    // The index must describe the file without holes: each block begins where the one before ends.
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

  /// Each block's header must say what the index says: who reads a part of the trace goes by the index alone.
  private func compareWithHeaders() throws(TraceFormatError) {
    for (number, entry) in blocks.enumerated() {
      try refuseTooLarge(entry)
      let header = try blockHeader(at: entry.offset)
      let found = header.map { BlockEntry(offset: entry.offset, header: $0) }
      guard let found, found != entry else {
        if found == nil {
          noteDamage(contradiction(entry, "the block contradicts its checksum", number), block: number)
        }
        continue
      }
      // Whichever is wrong, a block that is intact by its own header is used.
      if found.payloadBytes == entry.payloadBytes, (try? loader.load(found, block: number)) != nil {
        blocks[number] = found
        isClean = false
        note(contradiction(entry, "the index contradicts the block's header", number))
        indexContradictions.compare(entry, with: found, block: number)
      } else {
        noteDamage(contradiction(entry, "the block contradicts its checksum", number), block: number)
      }
    }
  }

  private func contradiction(_ entry: BlockEntry, _ what: String, _ number: Int) -> TraceFormatError {
    .damaged(offset: entry.offset, block: number, what: what)
  }

  /// Blocks are chosen by their times: one that ends before it begins would not be chosen, and not be missed.
  private func noteSpansThatRunBack() {
    for (number, entry) in blocks.enumerated() where entry.type == .events && entry.first > entry.last {
      noteDamage(contradiction(entry, "the block ends before it begins", number), block: number)
    }
  }

  /// Blocks of equal events are small: what few bytes mean is bounded as well.
  private func refuseTooManyEvents() throws(TraceFormatError) {
    let limit =
      TraceLimits.eventsOfAnyTrace + TraceLimits.eventsPerByte * Int(clamping: min(fileSize, 1 << 40))
    guard eventCount > limit else { return }
    throw .limit(
      offset: 0, block: nil,
      what: "\(eventCount) events in \(fileSize) bytes, the limit is \(TraceLimits.eventsOfAnyTrace) "
        + "and \(TraceLimits.eventsPerByte) a byte (eventsPerByte)")
  }

  /// The entries of the index blocks that fill `offset..<end`; nil when something else stands there.
  private func indexEntries(from offset: UInt64, to end: UInt64) throws(TraceFormatError) -> [BlockEntry]? {
    var entries: [BlockEntry] = []
    var at = offset
    repeat {
      guard at < end, let header = try blockHeader(at: at), header.type == .index,
        let part = try indexPart(BlockEntry(offset: at, header: header))
      else { return nil }
      // Mostly there is one block: its entries are not copied.
      if entries.isEmpty { entries = part } else { entries += part }
      try refuseTooManyBlocks(entries.count, at: at)
      at += UInt64(BlockHeader.byteCount + header.payloadBytes)
    } while at != end
    return entries
  }

  /// The entries of an index block, nil when it is damaged.
  private func indexPart(_ entry: BlockEntry) throws(TraceFormatError) -> [BlockEntry]? {
    guard let (header, payload) = try? loader.load(entry, block: blocks.count) else { return nil }
    do throws(PayloadError) {
      return try BlockEntry.decode(plainPayload(payload, header), count: header.count)
    } catch {
      guard case .limit = error else { return nil }
      throw error.placed(entry, block: blocks.count)
    }
  }

  /// Refuses an intact block of events that is larger than the limit. A block that is not intact counts as damage: its
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
    // Throws the error that names the limit.
    _ = try loader.load(entry, block: blocks.count)
  }

  /// Walks the block headers of a file without an index, and looks for the next intact one after damage.
  private func scanBlocks() throws(TraceFormatError) {
    var offset = UInt64(FileHeader.byteCount)
    while offset < fileSize {
      guard let header = try blockHeader(at: offset) else {
        try skipDamage(&offset)
        continue
      }
      let end = offset + UInt64(BlockHeader.byteCount + header.payloadBytes)
      guard end <= fileSize else {
        // A damaged length looks like a cut file; an intact block behind it tells them apart.
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
    // A file whose index does not lead through it is not whole, whatever is intact of it.
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
          what: "\(offset - start) bytes are not a block, reading goes on behind them"))
      return
    }
    // Nothing intact follows. A rest that is too short for the block it begins was cut.
    let rest = fileSize - start
    let header = try blockHeader(at: start)
    let isCut = rest < UInt64(BlockHeader.byteCount + (header?.payloadBytes ?? 0))
    guard !isCut else {
      return skipped(start..<fileSize, .truncated(offset: fileSize, block: blocks.count))
    }
    skippedRegions += 1
    let what =
      header == nil ? "\(rest) bytes at the end are not a block" : "the block contradicts its checksum"
    skipped(start..<fileSize, .damaged(offset: start, block: blocks.count, what: what))
  }

  private func skipped(_ bytes: Range<UInt64>, _ error: TraceFormatError) {
    note(error)
    // What stands there is lost, whatever its header says: only as much of it is kept as says how much it was.
    let header = try? blockHeader(at: bytes.lowerBound)
    regions.append(SkippedRegion(bytes: bytes, block: blocks.count, error: error, header: header ?? nil))
  }

  /// Bytes to test for being a block, and not to be one: a file made of block headers alone would take quadratic time, and
  /// one of holes behind a header costs nothing.
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
      at += UInt64(bytes.count - 3)
    }
    return nil
  }

  private func note(_ error: TraceFormatError) { if problem == nil { problem = error } }

  /// What a name costs in memory beside its text.
  static let bytesPerDefinition = 64

  /// `before`: what the same number was called so far.
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
        // Before the block is read and decompressed.
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

  /// A block as stored, for types this version does not know.
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

  /// The payload of a definition block before compression.
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
