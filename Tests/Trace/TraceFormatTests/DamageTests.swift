import Foundation
import SystemSupport
import TestSupport
import Testing
import TraceCompression
@testable import TraceFormat

/// Damage makes the blocks that it touches unreadable, and no others.
@Suite struct DamageTests {
  private let whole: [UInt8]
  private let blocks: [BlockEntry]
  private let events: [[TestEvent]]

  init() throws {
    var random = SeededGenerator(named: "damage")
    events = (0..<5).map { _ in RandomEvents(&random).make(200, &random) }
    let blocks = events
    whole = try writeTrace(codec: .zstd) { writer in
      try writer.write([ModeDefinition(id: 1, name: "default")])
      // A separate thread for each block, so that the blocks need not be in the order of their times.
      for (thread, block) in blocks.enumerated() {
        try writer.write(EventBuffer(block), thread: UInt32(thread))
      }
    }
    self.blocks = try openTrace(whole).blocks
  }

  /// The bytes of the file without index and trailer, as after the recorder was killed.
  private var killed: [UInt8] { Array(whole.prefix(end(of: blocks.count - 1))) }

  private func end(of number: Int) -> Int { Int(blocks[number].offset) + 40 + blocks[number].payloadBytes }

  /// Returns the events of all readable blocks.
  private func readable(_ reader: TraceReader) -> [[TestEvent]] {
    let decoded = DecodedEvents()
    return reader.blocks.indices.compactMap { number in
      guard reader.blocks[number].type == .events, (try? reader.events(of: number, into: decoded)) != nil
      else { return nil }
      return decoded.values
    }
  }

  private func without(_ number: Int) -> [[TestEvent]] {
    events.indices.filter { $0 != number }.map { events[$0] }
  }

  @Test func payloadUnderAnIndex() throws {
    var bytes = whole
    let hurt = blocks[3]
    bytes[Int(hurt.offset) + 60] ^= 0x10
    let reader = try openTrace(bytes)
    // Opening the trace reads no events. The damage shows when the block is read.
    #expect(reader.isClean && reader.damagedBlocks == 0)
    let expected = TraceFormatError.damaged(
      offset: hurt.offset, block: 3, what: "the block does not match its checksum")
    #expect(throws: expected) { try reader.events(of: 3, into: DecodedEvents()) }
    #expect(readable(reader) == without(2))
    #expect(reader.damagedBlocks == 1 && reader.problem == expected && !reader.isClean)
    #expect(readable(reader) == without(2) && reader.damagedBlocks == 1)
    #expect("\(expected)".contains("byte \(hurt.offset), block 3"))
  }

  /// Verifying the checksums finds the damage that reading would find.
  @Test func verify() throws {
    let intact = try openTrace(whole)
    try intact.verify()
    #expect(intact.isClean && intact.problem == nil && intact.damagedBlocks == 0)
    var bytes = whole
    for number in [2, 4] { bytes[Int(blocks[number].offset) + 60] ^= 0x10 }
    let reader = try openTrace(bytes)
    try reader.verify()
    #expect(!reader.isClean && reader.damagedBlocks == 2)
    guard case .damaged(blocks[2].offset, 2, _) = reader.problem else {
      Issue.record("\(String(describing: reader.problem))")
      return
    }
  }

  /// Two blocks of one thread, the later one first: an error that checksums do not find. `analyze` and `validate`
  /// agree.
  @Test func misplaced() throws {
    let late = [TestEvent(time: 100, kind: .mark, arguments: [1])]
    let early = [
      TestEvent(time: 50, kind: .mark, arguments: [1]), TestEvent(time: 60, kind: .mark, arguments: [1]),
    ]
    let reader = try openTrace(
      writeTrace(codec: .zstd) { writer in
        for block in [late, early, late] { try writer.write(EventBuffer(block), thread: 0) }
      })
    try reader.verify()
    #expect(!reader.isClean && reader.lostParts.map(\.block) == [1] && reader.loss.events == 2)
  }

  @Test func payloadWithoutIndex() throws {
    var bytes = killed
    bytes[Int(blocks[3].offset) + 60] ^= 0x10
    try expectOneLost(bytes, at: blocks[3].offset)
  }

  /// Bytes of the magic number, the payload length, type and count, and the checksum.
  @Test(arguments: [0, 4, 7, 12, 15, 36]) func headerWithoutIndex(byte: Int) throws {
    var bytes = killed
    bytes[Int(blocks[3].offset) + byte] ^= 0x01
    try expectOneLost(bytes, at: blocks[3].offset)
  }

  @Test func aHoleOfZeros() throws {
    var bytes = killed
    for i in Int(blocks[3].offset)..<end(of: 3) { bytes[i] = 0 }
    try expectOneLost(bytes, at: blocks[3].offset)
  }

  @Test func foreignBytesBetweenBlocks() throws {
    var random = SeededGenerator(named: "foreign bytes")
    var bytes = killed
    // The foreign bytes contain block magic numbers and are longer than the window of the search.
    var foreign = (0..<200_000).map { _ in UInt8(random.next() & 255) }
    for at in [0, 10_000, 65_534, 65_535, 65_536, 131_070] {
      foreign.replaceSubrange(at..<(at + 4), with: Array("RBLK".utf8))
    }
    bytes.insert(contentsOf: foreign, at: Int(blocks[3].offset))
    let reader = try openTrace(bytes)
    #expect(readable(reader) == events, "\(TestSeed.note)")
    #expect(reader.damagedBlocks == 1)
  }

  private func expectOneLost(
    _ bytes: [UInt8], at offset: UInt64, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let reader = try openTrace(bytes)
    #expect(readable(reader) == without(2), sourceLocation: location)
    #expect(reader.damagedBlocks == 1 && !reader.isClean, sourceLocation: location)
    guard case .damaged(let at, let block, _) = reader.problem else {
      Issue.record("\(String(describing: reader.problem))", sourceLocation: location)
      return
    }
    #expect(at == offset && block == 3, sourceLocation: location)
  }

  /// Zeros after the last write, as on a full disk, or a page of text at the end of a download.
  @Test func rubbishAtTheEnd() throws {
    for rubbish in [
      [UInt8](repeating: 0, count: 4096), Array("<html>not found, try again, or ask your admin</html>".utf8),
    ] {
      let reader = try openTrace(killed + rubbish)
      #expect(readable(reader) == events)
      guard case .damaged(let at, _, _) = reader.problem else {
        Issue.record("\(String(describing: reader.problem))")
        continue
      }
      #expect(at == UInt64(killed.count))
      #expect(readable(try openTrace(whole + rubbish)) == events)
    }
  }

  /// A damaged block of names loses these names, but no events.
  @Test func definitions() throws {
    var bytes = whole
    bytes[Int(blocks[0].offset) + 42] ^= 0x10
    let reader = try openTrace(bytes)
    #expect(reader.modes.isEmpty && !reader.isClean && reader.damagedBlocks == 1)
    #expect(readable(reader) == events)
  }

  /// The reader ignores an index whose blocks are not those of the file.
  @Test func foreignIndex() throws {
    var random = SeededGenerator(named: "foreign index")
    let other = try writeTrace(codec: .zstd) { writer in
      for _ in 0..<6 { try writer.write(EventBuffer(RandomEvents(&random).make(50, &random)), thread: 0) }
    }
    let otherEnd = try #require(try openTrace(other).blocks.last)
    let index = other[(Int(otherEnd.offset) + 40 + otherEnd.payloadBytes)..<(other.count - 16)]
    let reader = try openTrace(killed + index + Trailer.encoded(indexOffset: UInt64(killed.count)))
    #expect(!reader.isClean && reader.problem != nil)
    #expect(readable(reader) == events)
  }

  /// Holes that take no space on the disk take no time: a file of a terabyte with a block at its end.
  @Test func holes() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("sparse.rltrace")
    try Data(killed).write(to: URL(fileURLWithPath: path))
    #expect(truncate(path, 1 << 40) == 0)
    let source = try FileSource(path: path)
    try #require(source.data(from: 1 << 20) == nil, "the file system has no holes")
    let ending = try TraceReader(source: source, codecs: allCodecs)
    #expect(readable(ending) == events && ending.damagedBlocks == 1)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: killed[Int(blocks[2].offset)..<end(of: 2)])
    try file.close()
    let between = try openTrace(path: path)
    #expect(between.blocks.count == ending.blocks.count + 1 && between.damagedBlocks == 1)
  }

  /// The reader tries a block header that claims the hole after it, but only a limited number of times.
  @Test func manyFalseBlocksBeforeAHole() throws {
    let claim = 1 << 24
    let header = BlockHeader(type: .events, payloadBytes: claim, plainBytes: claim, count: 1)
    let empty = header.encoded(payload: UnsafeRawBufferPointer(start: nil, count: 0))
    let source = HoleSource(
      Array(whole.prefix(32)) + Array(repeating: empty, count: 2000).flatMap(\.self), size: 1 << 40)
    let reader = try TraceReader(source: source, codecs: allCodecs)
    #expect(reader.blocks.isEmpty && !reader.isClean)
    #expect(source.bytesRead < 2 << 30, "of 32 gigabytes")
  }

  /// A file of block headers that all claim the rest of the file must not take quadratic time.
  @Test func manyFalseBlocks() throws {
    let count = 20_000
    var bytes = Array(whole.prefix(32))
    for i in 0..<count {
      let claim = (count - i - 1) * 40
      let header = BlockHeader(type: .events, payloadBytes: claim, plainBytes: claim, count: 1)
      bytes += header.encoded(payload: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let source = CountingSource(bytes)
    let reader = try TraceReader(source: source, codecs: allCodecs)
    #expect(reader.blocks.count <= 1 && !reader.isClean)
    #expect(source.bytesRead < 40 * bytes.count)
  }
}

/// A source that counts its reads.
private final class CountingSource: ByteSource {
  private let memory: MemorySource
  private let count = Locked(0)
  init(_ bytes: [UInt8]) { memory = MemorySource(bytes) }
  var size: UInt64 { memory.size }
  var bytesRead: Int { count.withLock { $0 } }
  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(TraceFormatError) -> Int {
    let read = memory.read(at: offset, into: target)
    count.withLock { $0 += read }
    return read
  }
}

/// A source with a hole after its bytes.
private final class HoleSource: ByteSource {
  private let memory: MemorySource
  private let count = Locked(0)
  let size: UInt64
  init(_ bytes: [UInt8], size: UInt64) {
    memory = MemorySource(bytes)
    self.size = size
  }
  var bytesRead: Int { count.withLock { $0 } }
  func data(from offset: UInt64) -> UInt64? { offset < memory.size ? offset : nil }
  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(TraceFormatError) -> Int {
    let count = Int(min(UInt64(target.count), size - min(size, offset)))
    // The target already has zeros, which serve as the hole.
    _ = memory.read(at: offset, into: target)
    self.count.withLock { $0 += count }
    return count
  }
}
