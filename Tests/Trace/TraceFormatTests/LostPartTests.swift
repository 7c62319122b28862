import TestSupport
import Testing

@testable import TraceFormat

/// The reported losses of a damaged file must equal the missing parts.
@Suite struct LostPartTests {
  private let whole: [UInt8]
  private let blocks: [BlockEntry]

  init() throws {
    // Two threads whose blocks alternate: 10 events and 100 units of time per block.
    whole = try writeTrace(codec: .none) { writer in
      try writer.write([ModeDefinition(id: 1, name: "default")])
      for block in 0..<6 {
        let events = (0..<10).map { TestEvent(time: UInt64(block * 100 + $0), kind: .mark, arguments: [1]) }
        try writer.write(EventBuffer(events), thread: UInt32(block & 1))
      }
    }
    blocks = try openTrace(whole).blocks
  }

  private var indexStart: Int { Int(blocks.last!.end) }

  private func hurt(_ block: Int, in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[Int(blocks[block].offset) + 45] ^= 1
    return bytes
  }

  private func lost(_ bytes: [UInt8]) throws -> [LostPart] {
    let reader = try openTrace(bytes)
    try reader.verify()
    #expect(reader.isClean == reader.lostParts.isEmpty)
    return reader.lostParts
  }

  private func bytes(_ block: Int) -> Range<UInt64> { blocks[block].offset..<blocks[block].end }

  @Test func aCompleteFileLosesNothing() throws {
    #expect(try lost(whole).isEmpty)
    #expect(try openTrace(whole).loss.parts == 0)
  }

  /// The index gives the number, thread and time of the lost events.
  @Test func exactlyByTheIndex() throws {
    let parts = try lost(hurt(3, in: whole))
    #expect(parts.map(\.bytes) == [bytes(3)])
    #expect(parts.map(\.events) == [.exactly(10)])
    #expect(parts.map(\.thread) == [0])
    #expect(parts.map(\.earliest) == [200] && parts.map(\.latest) == [209])
  }

  /// The index is intact, but the trailer does not lead to it.
  @Test func exactlyByAnIndexThatIsFound() throws {
    var bytes = hurt(3, in: hurt(4, in: whole))
    bytes[bytes.count - 1] ^= 1
    let parts = try lost(bytes)
    #expect(
      parts.map(\.bytes) == [self.bytes(3), self.bytes(4), UInt64(whole.count - 16)..<UInt64(whole.count)])
    #expect(parts.map(\.events) == [.exactly(10), .exactly(10), .exactly(0)])
    #expect(parts.map(\.latest).prefix(2) == [209, 309])
    let cut = try lost(Array(whole.dropLast(16)))
    #expect(cut.map(\.events) == [.exactly(0)] && cut[0].bytes.isEmpty)
  }

  /// Without an index, at most one block is missing. The report shows the values of its header but does not rely on
  /// them.
  @Test func aBound() throws {
    let killed = Array(whole[..<indexStart])
    let parts = try lost(hurt(3, in: killed))
    #expect(parts.map(\.bytes) == [bytes(3), UInt64(killed.count)..<UInt64(killed.count)])
    #expect(parts.map(\.events) == [.atMost(65_536, stated: 10), .unknown])
    #expect(parts[0].thread == nil)
    // Thread 0 stopped at 9 and continues at 400; thread 1 stopped at 109 and continues at 300.
    #expect(parts[0].earliest == 9 && parts[0].latest == 400)
    let reader = try openTrace(hurt(3, in: killed))
    #expect(reader.loss.events == 0 && reader.loss.more == nil && reader.loss.parts == 2)
  }

  /// A hole may have contained several blocks.
  @Test func aBoundOfSeveralBlocks() throws {
    var bytes = Array(whole[..<indexStart])
    for at in Int(blocks[2].offset)..<Int(blocks[4].end) { bytes[at] = 0 }
    let size = blocks[4].end - blocks[2].offset
    #expect(try lost(bytes).first?.events == .atMost(size / 41 * 65_536, stated: nil))
  }

  @Test func theEndIsNotKnown() throws {
    let cut = Int(blocks[5].offset) + 50
    let parts = try lost(Array(whole[..<cut]))
    #expect(parts.map(\.bytes) == [blocks[5].offset..<UInt64(cut)])
    #expect(parts.map(\.events) == [.unknown] && parts[0].latest == nil)
    #expect(parts[0].earliest == 209)
  }

  /// Names are not events.
  @Test func definitions() throws {
    let parts = try lost(hurt(0, in: whole))
    #expect(parts.map(\.events) == [.exactly(0)] && parts[0].thread == nil)
  }

  /// A file that consists of gaps must not take quadratic time. It has as many lost parts as gaps.
  @Test func manyGaps() throws {
    let event = [TestEvent(time: 1, kind: .mark, arguments: [1])]
    var bytes = try writeTrace(codec: .none) { writer in
      for _ in 0..<4_000 { try writer.write(EventBuffer(event), thread: 0) }
    }
    let blocks = try openTrace(bytes).blocks
    for block in blocks where block.offset / UInt64(block.payloadBytes + 40) & 1 == 1 {
      bytes[Int(block.offset) + 45] ^= 1
    }
    bytes.removeLast(400)
    let reader = try openTrace(bytes)
    #expect(reader.lostParts.count > 1_000 && reader.lostParts.count == reader.loss.parts)
  }
}
