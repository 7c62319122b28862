import TestSupport
import Testing
import TraceCompression

@testable import TraceFormat

/// Blocks whose columns are in the order of events.
@Suite struct FlatBlockTests {
  private let decoder = EventBlockDecoder(codec: NoCodec())
  private let encoder = EventBlockEncoder(codec: NoCodec())

  /// Decodes `payload`; nil when the decoder refuses it.
  private func decode(
    _ payload: [UInt8], _ events: [TestEvent], last: UInt64? = nil, with other: EventBlockDecoder? = nil
  ) -> [TestEvent]? {
    let padded = payload + [UInt8](repeating: 0xA5, count: EventBlockDecoder.slack)
    return padded.withUnsafeBytes { bytes in
      let out = DecodedEvents()
      do throws(PayloadError) {
        try (other ?? decoder).decode(
          UnsafeRawBufferPointer(rebasing: bytes[..<payload.count]), count: events.count,
          first: events[0].time, last: last ?? events.last!.time, into: out)
      } catch { return nil }
      return out.values
    }
  }

  private func flat(_ events: [TestEvent]) -> [UInt8] { encoder.encodeFlat(EventBuffer(events)) }

  @Test func randomEventsComeBack() {
    var random = SeededGenerator(named: "flat blocks")
    for round in 0..<TestRounds.value(2_000) {
      let events = RandomEvents(&random).make(random.pick([1, 2, 40, 300]), &random)
      let decoded = decode(flat(events), events)
      #expect(decoded == events, "round \(round), \(TestSeed.note)")
    }
  }

  /// A value takes four bytes only if two are not enough for all.
  @Test(arguments: [(65_535, 65_535, 4), (65_536, 65_535, 6), (65_535, 65_536, 6), (65_536, 65_536, 8)])
  func widths(delta: UInt64, object: UInt32, bytes: Int) {
    let events = [0, delta].map { TestEvent(time: $0, kind: .mark, object: object) }
    let payload = flat(events)
    #expect(decode(payload, events) == events)
    // Kinds, columns and their sizes; two kinds, and one mode run of two bytes.
    #expect(payload.count == 2 + 2 * EventBlockLayout.flatColumns + 2 + 2 + 2 * bytes)
  }

  @Test(arguments: [TraceLimits.deltaUnits - 1, TraceLimits.deltaUnits, 1 << 40])
  func longDeltas(delta: UInt64) {
    let events = [7, 7 + delta, 8 + 2 * delta].map { TestEvent(time: $0, kind: .mark) }
    #expect(decode(flat(events), events) == events)
  }

  /// Only some events of a kind have arguments, and other kinds have none.
  @Test func arguments() {
    let events = [
      TestEvent(time: 1, kind: .mark), TestEvent(time: 1, kind: .timerDue, object: 1, arguments: [.max]),
      TestEvent(time: 2, kind: .mark, arguments: [1, 2, 3]), TestEvent(time: 3, kind: .timerDue, object: 1),
      TestEvent(time: 4, kind: .timerEnd, object: 1), TestEvent(time: 4, kind: .mark, arguments: [4]),
    ]
    #expect(decode(flat(events), events) == events)
  }

  /// The room for a header is left in front.
  @Test func room() {
    let events = [TestEvent(time: 1, kind: .mark)]
    let payload = encoder.encodeFlat(EventBuffer(events), room: 3)
    #expect(payload == [0, 0, 0] + flat(events))
  }

  /// No writer compresses the columns of a flat block, but a reader accepts it.
  @Test func compressedColumn() throws {
    let codec = try #require(allCodecs(.zstd))
    let events = (0..<100).map { TestEvent(time: UInt64($0), kind: .mark) }
    var payload = flat(events)
    let kinds = [UInt8](repeating: EventKind.mark.rawValue, count: events.count)
    var packed = [UInt8](repeating: 0, count: codec.bound(kinds.count))
    let size = kinds.withUnsafeBytes { source in
      packed.withUnsafeMutableBytes { codec.compress(source, into: $0) }
    }
    let head = 2 + 2 * EventBlockLayout.flatColumns + 2
    #expect(payload[2] == 100 && payload[3] == 0 && Array(payload[head..<head + 100]) == kinds)
    payload.replaceSubrange(head..<head + 100, with: packed[..<size])
    payload[3] = UInt8(size)
    #expect(decode(payload, events, with: EventBlockDecoder(codec: codec)) == events)
    #expect(decode(payload, events) == nil)
  }

  @Test func everyCutPayload() {
    let events = (0..<50).map { TestEvent(time: UInt64($0), kind: .mark, object: 3, arguments: [9]) }
    let payload = flat(events)
    #expect(decode(payload, events) == events)
    for length in 0..<payload.count {
      #expect(decode(Array(payload[..<length]), events) == nil, "\(length)")
    }
  }

  /// A column of a size that the block's events do not need. The next column begins elsewhere then.
  @Test(arguments: 0..<EventBlockLayout.flatColumns, [-1, 1]) func wrongSizes(column: Int, by change: Int) {
    let events = (0..<50).map { TestEvent(time: UInt64($0), kind: .mark, object: 3, arguments: [9]) }
    var payload = flat(events)
    var sizes: [Int] = []
    var reader = 2
    for _ in 0..<EventBlockLayout.flatColumns {
      var size = 0, shift = 0
      while payload[reader] >= 0x80 {
        size |= Int(payload[reader] & 0x7F) << shift
        shift += 7
        reader += 1
      }
      sizes.append(size | Int(payload[reader]) << shift)
      reader += 2
    }
    sizes[column] += change
    guard sizes[column] >= 0 else { return }
    var head = ByteWriter()
    head.append(contentsOf: payload[..<2])
    for size in sizes {
      head.appendVarint(size)
      head.appendVarint(0)
    }
    payload.replaceSubrange(..<reader, with: head.bytes)
    payload.append(0)
    #expect(decode(payload, events) == nil)
  }

  @Test func wrongLastStamp() {
    let events = [0, 20].map { TestEvent(time: $0, kind: .mark) }
    #expect(decode(flat(events), events, last: 19) == nil)
    #expect(decode(flat(events), events, last: 21) == nil)
  }
}
