import TestSupport
import Testing
import TraceCompression

@testable import TraceFormat

/// Each limit of a file applies whether the file is opened by its index or by a walk over its blocks.
@Suite struct LimitsBothWaysTests {
  /// Blocks of a file in which one item exceeds a limit.
  private struct Case {
    var limit: String
    var blocks: [(header: BlockHeader, payload: [UInt8])]
  }

  private static func block(
    _ type: BlockType, _ payload: [UInt8], count: Int, first: UInt64 = 0, last: UInt64 = 0
  ) -> (header: BlockHeader, payload: [UInt8]) {
    let header = BlockHeader(
      type: type, payloadBytes: payload.count, plainBytes: payload.count, count: count, first: first,
      last: last)
    return (header, payload)
  }

  private static func block<Entry: DefinitionPayload>(
    _ entries: [Entry]
  ) -> (header: BlockHeader, payload: [UInt8]) {
    block(Entry.type, Entry.encode(entries), count: entries.count)
  }

  private static func syncPoints(_ count: Int) -> [SyncPoint] {
    [SyncPoint](repeating: SyncPoint(time: 0, monotonicNs: 1, boottimeNs: 1, realtimeNs: 1), count: count)
  }

  private static var cases: [Case] {
    let sync = syncPoints(1 << 16)
    let strings = (0..<(1 << 16)).map { StringDefinition(id: UInt32($0 + 1), text: "") }
    let few = syncPoints(1)
    return [
      Case(limit: "blocks", blocks: Array(repeating: block(few), count: TraceLimits.blocks + 1)),
      Case(
        limit: "eventsPerByte",
        blocks: Array(repeating: block(.events, [0], count: 0xFF_FFFF), count: 3)),
      Case(limit: "definitionBytes", blocks: Array(repeating: block(strings), count: 9)),
      Case(
        limit: "strings", blocks: [block([StringDefinition(id: UInt32(TraceLimits.strings + 1), text: "")])]),
      Case(
        limit: "stringBytes",
        // The ID, the length of 65537 and the bytes of a string that a writer would cut.
        blocks: [
          block(
            .strings, [1, 0x81, 0x80, 4] + [UInt8](repeating: 0x78, count: TraceLimits.stringBytes + 1),
            count: 1)
        ]),
      Case(
        limit: "threads",
        blocks: [
          block([ThreadDefinition(index: UInt32(TraceLimits.threads), osThread: 1, isMain: false, name: "")])
        ]),
      Case(
        limit: "infoEntries",
        blocks: (0..<2).map { _ in
          block((0...TraceLimits.infoEntries / 2).map { InfoEntry(key: "\($0)", value: "") })
        }),
      Case(limit: "syncPoints", blocks: Array(repeating: block(sync), count: 16) + [block(few)]),
      Case(
        limit: "eventBytesPerBlock",
        blocks: [block(.events, [UInt8](repeating: 0, count: TraceLimits.eventBytesPerBlock + 1), count: 1)]),
      Case(
        limit: "modes",
        blocks: [block([ModeDefinition](repeating: ModeDefinition(id: 1, name: ""), count: 256))]),
    ]
  }

  private func file(_ blocks: [(header: BlockHeader, payload: [UInt8])], hasIndex: Bool) -> [UInt8] {
    let header = FileHeader(
      timeUnit: .ns10, codec: .none, captureLevel: .callouts, clock: .monotonic, hasHighStamps: false)
    var bytes = header.encoded()
    var entries: [BlockEntry] = []
    for (header, payload) in blocks {
      entries.append(BlockEntry(offset: UInt64(bytes.count), header: header))
      bytes += payload.withUnsafeBytes { header.encoded(payload: $0) }
      bytes += payload
    }
    guard hasIndex else { return bytes }
    let end = bytes.count
    for start in stride(from: 0, to: entries.count, by: TraceLimits.entriesPerIndexBlock) {
      let part = LimitsBothWaysTests.block(
        Array(entries[start..<min(start + TraceLimits.entriesPerIndexBlock, entries.count)]))
      bytes += part.payload.withUnsafeBytes { part.header.encoded(payload: $0) } + part.payload
    }
    return bytes + Trailer.encoded(indexOffset: UInt64(end))
  }

  /// Returns the limit for which a file is refused; nil = none.
  private func refusal(_ bytes: [UInt8]) -> String? {
    do throws(TraceFormatError) {
      let reader = try TraceReader(source: MemorySource(bytes), codecs: allCodecs)
      let events = DecodedEvents()
      for number in reader.blocks.indices where reader.blocks[number].type == .events {
        try reader.events(of: number, into: events)
      }
      return nil
    } catch {
      guard case .limit(_, _, let what) = error else { return "not a limit: \(error)" }
      return what
    }
  }

  @Test(.optimizedBuild) func eachLimit() {
    for one in LimitsBothWaysTests.cases {
      for hasIndex in [true, false] {
        let refusal = refusal(file(one.blocks, hasIndex: hasIndex))
        let how = hasIndex ? "by the index" : "by a walk"
        if ["modes", "strings", "threads", "stringBytes"].contains(one.limit) {
          #expect(refusal?.contains("limit") == true, "\(one.limit) \(how): \(refusal ?? "")")
        } else {
          #expect(refusal?.contains("(\(one.limit))") == true, "\(one.limit) \(how): \(refusal ?? "")")
        }
      }
    }
  }

  /// A file with one block too many is refused before its definitions are read. One block fewer is accepted.
  @Test(.optimizedBuild) func atTheLimit() {
    let block = LimitsBothWaysTests.block(LimitsBothWaysTests.syncPoints(1))
    let few = Array(repeating: block, count: TraceLimits.blocks)
    for hasIndex in [true, false] { #expect(refusal(file(few, hasIndex: hasIndex)) == nil) }
  }

  @Test func entriesOfAnIndexBlock() {
    let block = LimitsBothWaysTests.block(LimitsBothWaysTests.syncPoints(1))
    var bytes = file([block], hasIndex: false)
    let end = bytes.count
    let entry = BlockEntry(offset: UInt64(FileHeader.byteCount), header: block.header)
    let index = LimitsBothWaysTests.block(
      [BlockEntry](repeating: entry, count: TraceLimits.entriesPerIndexBlock + 1))
    bytes += index.payload.withUnsafeBytes { index.header.encoded(payload: $0) } + index.payload
    #expect(refusal(bytes)?.contains("limit") == true, "by a walk")
    #expect(
      refusal(bytes + Trailer.encoded(indexOffset: UInt64(end)))?.contains("limit") == true, "by the trailer")
  }
}
