import TestSupport
import Testing
@testable import TraceFormat

/// Readers select blocks by the index. Opening a trace reports an index or a block header with wrong times.
@Suite struct IndexTimesTests {
  private let whole: [UInt8]
  private let blocks: [BlockEntry]

  init() throws {
    whole = try writeTrace(codec: .none) { writer in
      for block in 0..<3 {
        try writer.write(
          EventBuffer((0..<9).map { TestEvent(time: UInt64(100 * block + $0), kind: .mark) }), thread: 0)
      }
    }
    blocks = try openTrace(whole).blocks
  }

  /// Returns the blocks with a modified index.
  private func indexed(_ bytes: [UInt8]? = nil, _ change: (inout [BlockEntry]) -> Void) -> [UInt8] {
    let last = blocks[2]
    let end = Int(last.offset) + BlockHeader.byteCount + last.payloadBytes
    var entries = blocks
    change(&entries)
    let payload = BlockEntry.encode(entries)
    let header = BlockHeader(
      type: .index, payloadBytes: payload.count, plainBytes: payload.count, count: entries.count)
    return (bytes ?? whole)[..<end] + payload.withUnsafeBytes { header.encoded(payload: $0) } + payload
      + Trailer.encoded(indexOffset: UInt64(end))
  }

  @Test func aCorrectIndex() throws {
    let reader = try openTrace(indexed { _ in })
    #expect(reader.isClean && reader.problem == nil && reader.blocks == blocks)
  }

  /// The block is intact, so the reader uses the times of the block's own header.
  @Test(arguments: [UInt64.max, 150, 0]) func aFirstTimeThatIsNotTheBlocks(first: UInt64) throws {
    let reader = try openTrace(indexed { $0[1].first = first })
    #expect(!reader.isClean && reader.blocks == blocks)
    #expect(
      reader.problem
        == .damaged(offset: blocks[1].offset, block: 1, what: "the index contradicts the block's header"))
    let events = DecodedEvents()
    try reader.events(of: 1, into: events)
    #expect(events.count == 9)
  }

  /// The block's checksum is right, but its times are wrong.
  @Test func aBlockThatEndsBeforeItBegins() throws {
    var bytes = whole
    let entry = blocks[1]
    let at = Int(entry.offset)
    let payload = Array(
      whole[(at + BlockHeader.byteCount)..<(at + BlockHeader.byteCount + entry.payloadBytes)])
    let header = BlockHeader(
      type: .events, payloadBytes: payload.count, plainBytes: payload.count, count: entry.count, first: .max,
      last: entry.last)
    let block = payload.withUnsafeBytes { header.encoded(payload: $0) } + payload
    bytes.replaceSubrange(at..<(at + block.count), with: block)
    let reader = try openTrace(indexed(bytes) { $0[1].first = .max })
    #expect(!reader.isClean && reader.damagedBlocks == 1)
    #expect(
      reader.problem == .damaged(offset: entry.offset, block: 1, what: "the block ends before it begins"))
  }

  @Test func aDamagedHeader() throws {
    var bytes = whole
    bytes[Int(blocks[1].offset) + 22] ^= 0x10
    let reader = try openTrace(bytes)
    #expect(!reader.isClean && reader.damagedBlocks == 1 && reader.blocks == blocks)
  }
}
