import TestSupport
import Testing

@testable import TraceFormat

/// Flat blocks beside others, as a recorder under pressure writes them.
@Suite struct FlatBlockFileTests {
  /// Passes of a loop, which compress well. Each block has 400 events.
  private static let blocks: [[TestEvent]] = (0..<4).map { block in
    (0..<400).map { event(block * 400 + $0) }
  }

  private static func event(_ number: Int) -> TestEvent {
    let isCallout = number % 2 == 1
    let kind: EventKind = isCallout ? .timerBegin : .beforeTimersLow
    let arguments: [UInt64] = number % 40 == 1 ? [UInt64(number)] : []
    return TestEvent(
      time: UInt64(number) * 10, kind: kind, mode: 1, object: isCallout ? 2 : 1, arguments: arguments)
  }

  /// Returns a trace in which every second block is flat, and what the writer returned for each block.
  private func mixed(_ codec: CodecID) throws -> (bytes: [UInt8], flat: [Int]) {
    var flat: [Int] = []
    let bytes = try writeTrace(codec: codec) { writer in
      for (number, events) in Self.blocks.enumerated() {
        flat.append(try writer.write(EventBuffer(events), thread: 0, isFlat: number % 2 == 0))
      }
    }
    return (bytes, flat)
  }

  @Test func comeBackBesideCompressedOnes() throws {
    let (bytes, flat) = try mixed(.zstd)
    let reader = try openTrace(bytes)
    #expect(reader.isClean && reader.header.codec == .zstd && reader.problem == nil)
    #expect(try reader.allEvents() == Self.blocks)
    // The codec makes no difference to a flat block.
    let plain = try openTrace(mixed(.none).bytes).blocks.map(\.payloadBytes)
    let stored = reader.blocks.map(\.payloadBytes)
    #expect(flat == [plain[0], 0, plain[2], 0] && stored[0] == plain[0] && stored[2] == plain[2])
    #expect(stored[1] < plain[1] && stored[3] < plain[3])
    #expect(try mixed(.none).flat == flat)
  }

  /// In a trace with a codec, any block may be uncompressed, flat or not.
  @Test func uncompressedBlocks() throws {
    let blocks = try Mutation.blocks(of: mixed(.none).bytes)
    let reader = try openTrace(try Mutation.file(blocks, codec: .zstd))
    #expect(reader.isClean && reader.header.codec == .zstd)
    #expect(try reader.allEvents() == Self.blocks)
  }

  @Test func areCompressedByTheTextForm() throws {
    let text = try dumpTrace(try openTrace(mixed(.zstd).bytes))
    let again = try openTrace(try assembleTrace(text))
    #expect(try again.allEvents() == Self.blocks)
    #expect(again.fileSize < UInt64(try mixed(.zstd).bytes.count))
  }

  /// The third block is flat. A cut inside it leaves the two blocks before it.
  @Test func aCutInsideOne() throws {
    let whole = try mixed(.zstd).bytes
    let block = try openTrace(whole).blocks[2]
    let start = Int(block.offset), end = start + BlockHeader.byteCount + block.payloadBytes
    for length in stride(from: start + 1, to: end, by: 7) {
      let cut = try openTrace(Array(whole[..<length]))
      #expect(!cut.isClean && cut.problem == .truncated(offset: UInt64(length), block: 2), "\(length)")
      #expect(try cut.allEvents() == Array(Self.blocks[..<2]), "\(length)")
    }
  }

  @Test func aChangedByteInsideOne() throws {
    var bytes = try mixed(.zstd).bytes
    let block = try openTrace(bytes).blocks[2]
    bytes[Int(block.offset) + BlockHeader.byteCount + block.payloadBytes / 2] ^= 1
    let reader = try openTrace(bytes)
    try reader.verify()
    #expect(!reader.isClean && reader.damagedBlocks == 1)
    #expect(throws: TraceFormatError.self) { try reader.events(of: 2, into: DecodedEvents()) }
    let last = DecodedEvents()
    try reader.events(of: 3, into: last)
    #expect(last.values == Self.blocks[3])
  }

  /// The first column states a size that it does not have. The checksum is right, so only the decoder can find that.
  @Test(arguments: [
    0, 1, 3, 1_000, TraceLimits.eventBytesPerBlock, TraceLimits.eventBytesPerBlock + 1, 1 << 62,
  ])
  func hostileSizeOfAColumn(size: Int) throws {
    let events = (0..<100).map { TestEvent(time: UInt64($0), kind: .heartbeat) }
    let bytes = try writeTrace(codec: .zstd) {
      _ = try $0.write(EventBuffer(events), thread: 0, isFlat: true)
    }
    var blocks = try Mutation.blocks(of: bytes)
    // No kinds, because the block is flat, then the number of columns and the size of the column of kinds.
    let at = 2
    #expect(Array(blocks[0].payload[...at]) == [0, UInt8(EventBlockLayout.flatColumns), 100])
    var varint = ByteWriter()
    varint.appendVarint(size)
    blocks[0].payload.replaceSubrange(at...at, with: varint.bytes)
    let reader = try openTrace(try Mutation.file(blocks, codec: .zstd))
    #expect(throws: TraceFormatError.self) { try reader.events(of: 0, into: DecodedEvents()) }
  }
}
