import TestSupport
import Testing
@testable import TraceFormat

/// A trace returns the strings, threads, modes, sync points and facts that were written to it.
@Suite struct DefinitionRoundTripTests {
  @Test(arguments: CodecID.allCases) func allBlocks(codec: CodecID) throws {
    let strings = HostileText.samples.enumerated().map {
      StringDefinition(id: UInt32($0.offset + 1), text: $0.element)
    }
    let threads = [
      ThreadDefinition(index: 0, osThread: 1, isMain: true, name: "main"),
      ThreadDefinition(index: 65_535, osThread: .max, isMain: false, name: ""),
    ]
    let modes = (0...255).map { ModeDefinition(id: UInt8($0), name: "mode \($0)") }
    let points = [
      SyncPoint(time: 0, monotonicNs: 1, boottimeNs: 2, realtimeNs: 3),
      SyncPoint(time: .max, monotonicNs: .max, boottimeNs: .max, realtimeNs: .max),
    ]
    let info = [InfoEntry(key: "program", value: "x"), InfoEntry(key: "program", value: "y")]
    let reader = try openTrace(
      try writeTrace(codec: codec) { writer in
        try writer.write(strings)
        try writer.write(threads)
        try writer.write(Array(modes.prefix(200)))
        try writer.write(Array(modes.dropFirst(200)))
        try writer.write(points)
        try writer.write(info)
        try writer.write([InfoEntry]())
      })
    #expect(reader.isClean && reader.blocks.count == 6)
    for string in strings {
      // Compares bytes: two strings that differ only in normalization are equal as strings.
      #expect(reader.strings[string.id].map { Array($0.utf8) } == Array(string.text.utf8))
    }
    #expect(reader.threads == Dictionary(uniqueKeysWithValues: threads.map { ($0.index, $0) }))
    #expect(reader.modes == Dictionary(uniqueKeysWithValues: modes.map { ($0.id, $0.name) }))
    #expect(reader.syncPoints == points)
    #expect(reader.info == info)
  }

  /// A name above the limit is cut at a character boundary.
  @Test func longNames() throws {
    let long = String(repeating: "x", count: TraceLimits.stringBytes - 1) + "é" + "y"
    let reader = try openTrace(
      try writeTrace(codec: .none) { try $0.write([StringDefinition(id: 1, text: long)]) })
    #expect(reader.strings[1] == String(repeating: "x", count: TraceLimits.stringBytes - 1))
    let longest = String(repeating: "x", count: TraceLimits.stringBytes)
    let other = try openTrace(
      try writeTrace(codec: .zstd) { try $0.write([StringDefinition(id: 1, text: longest)]) })
    #expect(other.strings[1] == longest)
  }

  /// The writer refuses what the reader refuses.
  @Test func writerKeepsTheLimits() throws {
    func write(_ body: (TraceWriter) throws -> Void) throws { _ = try writeTrace(codec: .none, body) }
    #expect(throws: TraceFormatError.self) {
      try write { try $0.write([StringDefinition(id: UInt32(TraceLimits.strings) + 1, text: "")]) }
    }
    #expect(throws: TraceFormatError.self) {
      try write { try $0.write([ThreadDefinition(index: 65_536, osThread: 0, isMain: false, name: "")]) }
    }
    #expect(throws: TraceFormatError.self) {
      try write { try $0.write((0...255).map { ModeDefinition(id: UInt8($0), name: "") }) }
    }
    #expect(throws: TraceFormatError.self) {
      try write { writer in
        let text = String(repeating: "x", count: TraceLimits.stringBytes)
        try writer.write((0..<1024).map { StringDefinition(id: $0, text: text) })
      }
    }
  }

  /// The reader refuses strings that decompress to more than it may hold.
  @Test func decompressionBomb() throws {
    let text = String(repeating: "x", count: TraceLimits.stringBytes)
    let bytes = try writeTrace(codec: .zstd) { writer in
      for _ in 0..<5 { try writer.write((0..<500).map { StringDefinition(id: $0, text: text) }) }
    }
    #expect(bytes.count < 1 << 20)
    #expect(throws: TraceFormatError.self) { try openTrace(bytes) }
  }

  /// The index may consist of several blocks.
  @Test(arguments: [1, 2, 3, 100]) func longIndex(entriesPerIndexBlock: Int) throws {
    for blocks in 0...7 {
      let sink = MemorySink()
      let header = FileHeader(codec: .none, captureLevel: .callouts, clock: .monotonic, hasHighStamps: true)
      let writer = try TraceWriter(
        sink: sink, header: header, codec: NoCodec(), entriesPerIndexBlock: entriesPerIndexBlock)
      for i in 0..<blocks {
        try writer.write(EventBuffer([TestEvent(time: UInt64(i), kind: .mark)]), thread: 0)
      }
      try writer.close()
      let reader = try openTrace(sink.bytes)
      #expect(reader.isClean && reader.blocks.count == blocks)
      #expect(try reader.allEvents().count == blocks)
      // Without the trailer, a walk finds the same blocks.
      let cut = try openTrace(Array(sink.bytes.dropLast(16)))
      #expect(!cut.isClean && cut.blocks == reader.blocks)
    }
  }
}
