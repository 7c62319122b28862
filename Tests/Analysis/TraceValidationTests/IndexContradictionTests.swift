import TestSupport
import Testing
import TraceValidation

@testable import TraceFormat

/// An index that contradicts the blocks: `validate` reports the place, and no result depends on the index.
@Suite struct IndexContradictionTests {
  private let whole: [UInt8]
  private let blocks: [BlockEntry]

  init() throws {
    whole = try writeTrace(codec: .none) { writer in
      try writer.write([StringDefinition(id: 1, text: "a")])
      try writer.write((0..<2).map { ThreadDefinition(index: $0, osThread: 1, isMain: $0 == 0, name: "t") })
      for block in 0..<4 {
        let events = (0..<9).map { TestEvent(time: UInt64(100 * block + $0), kind: .loopWakeUp) }
        try writer.write(EventBuffer(events), thread: UInt32(block % 2))
      }
    }
    blocks = try openTrace(whole).blocks
  }

  private var end: Int { Int(blocks[blocks.count - 1].end) }

  /// Returns a copy of the blocks with another index.
  private func indexed(_ entries: [BlockEntry]) -> [UInt8] {
    let payload = BlockEntry.encode(entries)
    let header = BlockHeader(
      type: .index, payloadBytes: payload.count, plainBytes: payload.count, count: entries.count)
    return whole[..<end] + payload.withUnsafeBytes { header.encoded(payload: $0) } + payload
      + Trailer.encoded(indexOffset: UInt64(end))
  }

  private func entry(_ number: Int, _ change: (inout BlockHeader) -> Void) -> BlockEntry {
    let entry = blocks[number]
    var header = BlockHeader(
      type: entry.type, payloadBytes: entry.payloadBytes, plainBytes: entry.payloadBytes, count: entry.count,
      thread: entry.thread, first: entry.first, last: entry.last)
    change(&header)
    return BlockEntry(offset: entry.offset, header: header)
  }

  private func replaced(_ number: Int, _ change: (inout BlockHeader) -> Void) -> [BlockEntry] {
    var entries = blocks
    entries[number] = entry(number, change)
    return entries
  }

  /// For each kind of error, the entries and words of the problem that reports it.
  private var lies: [(name: String, entries: [BlockEntry], words: String)] {
    var moved = blocks
    moved[3].offset += 1
    var far = blocks
    far[3].offset = 1 << 40
    return [
      ("first time, earlier", replaced(3) { $0.first -= 1 }, "first time"),
      ("first time, later", replaced(3) { $0.first += 1 }, "first time"),
      ("first time, last of all", replaced(3) { $0.first = .max }, "first time"),
      ("last time, earlier", replaced(3) { $0.last -= 1 }, "last time"),
      ("last time, later", replaced(3) { $0.last = .max }, "last time"),
      ("thread", replaced(3) { $0.thread = 0 }, "thread 0 where the block has 1"),
      ("no such thread", replaced(3) { $0.thread = 77 }, "thread 77 where the block has 1"),
      ("count, fewer", replaced(3) { $0.count = 8 }, "count 8 where the block has 9"),
      ("count, more", replaced(3) { $0.count = 10 }, "count 10 where the block has 9"),
      ("type", replaced(3) { $0.type = .sync }, "type 5 where the block has 1"),
      ("length, shorter", replaced(3) { $0.payloadBytes -= 1 }, "payload length"),
      ("length, longer", replaced(3) { $0.payloadBytes += 1 }, "payload length"),
      ("offset, moved", moved, "where none was found"),
      ("offset, past the end", far, "where none was found"),
      ("a missing entry", blocks.filter { $0.offset != blocks[3].offset }, "does not list the block"),
      ("the last entry missing", Array(blocks.dropLast()), "does not list the block"),
      ("a doubled entry", Array(blocks[..<4]) + Array(blocks[3...]), "more than once"),
      (
        "entries that changed places", Array(blocks[..<3]) + [blocks[4], blocks[3], blocks[5]],
        "after one that follows"
      ),
      ("reversed entries", blocks.reversed(), "after one that follows"),
    ]
  }

  @Test func aCorrectIndex() throws {
    let validation = try Validation(openTrace(indexed(blocks)), limit: 100)
    #expect(validation.fault == nil && validation.problems.isEmpty)
  }

  @Test func eachContradictionIsReported() throws {
    let honest = try openTrace(whole).allEvents()
    for lie in lies {
      let reader = try openTrace(indexed(lie.entries))
      let validation = try Validation(reader, limit: 100)
      #expect(validation.fault == .damaged, "\(lie.name)")
      #expect(
        validation.problems.contains { $0.what.contains(lie.words) }, "\(lie.name): \(validation.problems)")
      #expect(!reader.isClean && reader.indexContradictions.count > 0, "\(lie.name)")
      #expect(try reader.allEvents() == honest, "\(lie.name)")
    }
  }

  /// One problem for each wrong entry, with the place of its block.
  @Test func allOfThem() throws {
    var entries = blocks
    for number in 2...5 { entries[number] = entry(number) { $0.last += 1 } }
    let validation = try Validation(openTrace(indexed(entries)), limit: 3)
    #expect(validation.problems.map(\.block) == [2, 3, 4])
    #expect(validation.problems.map(\.offset) == blocks[2...4].map(\.offset))
    #expect(validation.omitted == 1)
  }
}
