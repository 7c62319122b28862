import TestSupport
import Testing
import TraceFormat

/// Flipping any bit of a file must be detected.
@Suite struct BitFlipTests {
  @Test(.optimizedBuild, arguments: CodecID.allCases) func everyBit(codec: CodecID) throws {
    var random = SeededGenerator(named: "bit flips, \(codec.name)")
    let whole = try smallTrace(codec: codec, &random)
    var bytes = whole
    for bit in 0..<(whole.count * 8) {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      defer { bytes[bit / 8] = whole[bit / 8] }
      do {
        let reader = try openTrace(bytes)
        // Reads every block, including those of unknown type.
        let text = try dumpTrace(reader)
        #expect(reader.problem != nil && !reader.isClean, "byte \(bit / 8), bit \(bit % 8), \(TestSeed.note)")
        #expect(text.hasSuffix("unclean\n"))
      } catch is TraceFormatError {
        // The reader refuses the file when it is opened, or at the block that contains the bit.
      }
    }
  }

  /// The reader must not return names or events from a damaged block.
  @Test(arguments: CodecID.allCases) func readDataIsCorrect(codec: CodecID) throws {
    var random = SeededGenerator(named: "bit flips, content, \(codec.name)")
    let whole = try smallTrace(codec: codec, &random)
    let reference = try openTrace(whole)
    let events = try reference.allEvents()
    for _ in 0..<1_000 {
      var bytes = whole
      let at = Int(random.next() % UInt64(whole.count))
      bytes[at] ^= UInt8(random.next() % 255) + 1
      guard let reader = try? openTrace(bytes) else { continue }
      for (id, text) in reader.strings { #expect(reference.strings[id] == text, "\(TestSeed.note)") }
      for (id, name) in reader.modes { #expect(reference.modes[id] == name, "\(TestSeed.note)") }
      let decoded = DecodedEvents()
      for number in reader.blocks.indices where reader.blocks[number].type == .events {
        if (try? reader.events(of: number, into: decoded)) == nil { continue }
        #expect(events.contains(decoded.values), "\(TestSeed.note)")
      }
    }
  }
}
