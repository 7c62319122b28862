import TestSupport
import Testing
import TraceCompression
@testable import TraceFormat

/// Contradictory payloads with a valid checksum: only the decoder's own checks can find the errors.
@Suite struct PayloadFuzzTests {
  /// RLTRACE_TEST_ROUNDS sets a smaller number for runs under a sanitizer.
  private static let rounds = TestRounds.value(24_000)

  /// Event payloads that decode must obey the invariants that readers rely on, and can be written again.
  @Test(.optimizedBuild) func eventPayloads() throws {
    var random = SeededGenerator(named: "event payload fuzz")
    let decoded = DecodedEvents()
    let decoders = CodecID.allCases.map { EventBlockDecoder(codec: allCodecs($0)!) }
    let encoders = CodecID.allCases.map { EventBlockEncoder(codec: allCodecs($0)!) }
    let plainEncoder = EventBlockEncoder(codec: NoCodec())
    var accepted = 0
    for round in 0..<PayloadFuzzTests.rounds {
      let codec = Int(random.next() % 4 == 0 ? 1 : 0)
      let count = random.pick([1, 3, 20, 60])
      let events =
        random.oneIn(8) ? manyObjects(&random) : RandomEvents(&random).make(count, &random)
      var payload =
        random.oneIn(4)
        ? encoders[codec].encodeFlat(EventBuffer(events)) : encoders[codec].encode(EventBuffer(events))
      let header = Mutation.header(events, &random)
      for _ in 0...(random.next() % 3) { Mutation.mutate(&payload, &random) }
      let note = "round \(round), \(TestSeed.note)"
      do throws(PayloadError) {
        try decode(payload, header, decoders[codec], decoded)
      } catch {
        continue
      }
      accepted += 1
      let values = decoded.values
      #expect(values.count == header.count, "\(note)")
      #expect(values.first?.time ?? 0 >= header.first && values.last?.time == header.last, "\(note)")
      #expect(zip(values, values.dropFirst()).allSatisfy { $0.time <= $1.time }, "\(note)")
      let again = plainEncoder.encode(EventBuffer(values))
      let canonical = (count: values.count, first: values[0].time, last: header.last)
      try decode(again, canonical, decoders[0], decoded)
      #expect(firstDifference(decoded.values, values) == nil, "\(note)")
    }
    #expect(accepted > PayloadFuzzTests.rounds / 100, "\(accepted) accepted, \(TestSeed.note)")
  }

  /// Returns events whose object codes take two bytes.
  private func manyObjects(_ random: inout SeededGenerator) -> [TestEvent] {
    let kinds: [EventKind] = [.timerBegin, .timerEnd, .mark]
    return (0..<900).map {
      TestEvent(time: UInt64($0), kind: random.pick(kinds), object: UInt32(random.next() % 5_000))
    }
  }

  private func decode(
    _ payload: [UInt8], _ header: (count: Int, first: UInt64, last: UInt64), _ decoder: EventBlockDecoder,
    _ into: DecodedEvents
  ) throws(PayloadError) {
    // Exactly the slack that a decoder may read, so that a sanitizer detects a read of one more byte.
    let size = payload.count
    let padded = UnsafeMutableRawBufferPointer.allocate(
      byteCount: size + EventBlockDecoder.slack, alignment: 16)
    defer { padded.deallocate() }
    padded.copyBytes(from: payload)
    for i in size..<padded.count { padded[i] = 0xA5 }
    let bytes = UnsafeRawBufferPointer(rebasing: padded[..<size])
    try decoder.decode(bytes, count: header.count, first: header.first, last: header.last, into: into)
  }

  /// Complete files with a modified payload and header of any block, and with a correct index and checksums.
  @Test func wholeFiles() throws {
    var random = SeededGenerator(named: "file fuzz")
    var opened = 0
    for round in 0..<(PayloadFuzzTests.rounds / 10) {
      let codec = random.pick(CodecID.allCases)
      var blocks = try Mutation.blocks(of: try smallTrace(codec: codec, &random))
      for _ in 0...(random.next() % 2) { Mutation.mutate(&blocks, &random) }
      let bytes = try Mutation.file(blocks, codec: codec)
      do throws(TraceFormatError) {
        try readAll(bytes)
        opened += 1
      } catch {
        #expect(!"\(error)".isEmpty, "round \(round), \(TestSeed.note)")
      }
    }
    #expect(opened > 0, "\(TestSeed.note)")
  }

  private func readAll(_ bytes: [UInt8]) throws(TraceFormatError) {
    let reader = try TraceReader(source: MemorySource(bytes), codecs: allCodecs)
    var text: [String] = []
    do {
      var dumper = TextDumper(reader)
      try dumper.dump { text.append($0) }
    } catch let error as TraceFormatError {
      throw error
    } catch {
      Issue.record("\(error)")
    }
  }
}
