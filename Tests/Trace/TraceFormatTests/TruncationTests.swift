import TestSupport
import Testing
import TraceFormat

/// A truncated file is refused or reported as such, and returns all blocks before the cut.
@Suite struct TruncationTests {
  @Test(arguments: CodecID.allCases) func everyLength(codec: CodecID) throws {
    var random = SeededGenerator(named: "truncation, \(codec.name)")
    let whole = try smallTrace(codec: codec, &random)
    let reader = try openTrace(whole)
    let text = try dumpTrace(reader)
    let events = try reader.allEvents()
    let ends = reader.blocks.map { Int($0.offset) + 40 + $0.payloadBytes }
    for length in 0..<whole.count {
      let note = "cut at \(length) of \(whole.count), \(TestSeed.note)"
      do {
        let cut = try openTrace(Array(whole.prefix(length)))
        #expect(!cut.isClean, "\(note)")
        #expect(cut.problem == .truncated(offset: UInt64(length), block: cut.blocks.count), "\(note)")
        #expect(cut.damagedBlocks == 0, "\(note)")
        #expect(cut.blocks == Array(reader.blocks.prefix(ends.count { $0 <= length })), "\(note)")
        let read = try cut.allEvents()
        #expect(read == Array(events.prefix(read.count)), "\(note)")
        #expect(try dumpTrace(cut) != text, "\(note)")
      } catch let error as TraceFormatError {
        #expect(length < 32, "\(note): \(error)")
        #expect(
          error == (length == 0 ? .emptyFile : .truncated(offset: UInt64(length), block: nil)), "\(note)")
      }
    }
  }
}
