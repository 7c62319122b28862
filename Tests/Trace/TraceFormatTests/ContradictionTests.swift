import TestSupport
import Testing
@testable import TraceFormat

/// Event payloads with one error each, which would make the decoder read outside its memory, or make time run
/// backwards.
@Suite struct ContradictionTests {
  private let decoder = EventBlockDecoder(codec: NoCodec())

  /// Decodes `events` after `change` modified the payload; nil when the decoder refuses it.
  private func decode(
    _ events: [TestEvent], first: UInt64? = nil, last: UInt64? = nil,
    _ change: (inout [UInt8]) -> Void = { _ in }
  ) -> [TestEvent]? {
    var payload = EventBlockEncoder(codec: NoCodec()).encode(EventBuffer(events))
    change(&payload)
    let padded = payload + [UInt8](repeating: 0xA5, count: EventBlockDecoder.slack)
    return padded.withUnsafeBytes { bytes in
      let out = DecodedEvents()
      do throws(PayloadError) {
        try decoder.decode(
          UnsafeRawBufferPointer(rebasing: bytes[..<payload.count]), count: events.count,
          first: first ?? events[0].time, last: last ?? events.last!.time, into: out)
      } catch { return nil }
      return out.values
    }
  }

  /// Replaces the only run of `count` bytes `old`, so that a test does not depend on the position of its column.
  private func replace(_ old: UInt8, _ count: Int, with new: UInt8, in payload: inout [UInt8]) {
    let run = [UInt8](repeating: old, count: count)
    let ranges = payload.ranges(of: run)
    if ranges.count != 1 { Issue.record("the test no longer finds its column") }
    for range in ranges { payload.replaceSubrange(range, with: [UInt8](repeating: new, count: count)) }
  }

  private func still(_ count: Int, object: UInt32 = 0, arguments: [UInt64] = []) -> [TestEvent] {
    (0..<count).map { _ in TestEvent(time: 5, kind: .mark, object: object, arguments: arguments) }
  }

  @Test func unchangedIsRead() {
    for events in [still(99), still(99, object: 7), still(99, arguments: [1 << 40])] {
      #expect(decode(events) == events)
    }
  }

  /// Delta codes that claim more low bits than their column has.
  @Test func missingDeltaBits() {
    #expect(decode(still(99)) { replace(1, 99, with: 0xF8, in: &$0) } == nil)
  }

  /// Argument codes that claim more low bits than their column has. 0 is the code of a difference of 0.
  @Test func missingArgumentBits() {
    #expect(decode(still(99, arguments: [0])) { replace(0, 99, with: 0xFF, in: &$0) } == nil)
  }

  /// Codes of objects outside the dictionary, just past its end and far beyond it.
  @Test(arguments: [101, 102, 255]) func foreignObjects(code: UInt8) {
    let events = (0..<200).map { i in TestEvent(time: 5, kind: .mark, object: UInt32(i % 100 + 1)) }
    #expect(decode(events) == events)
    let lastCode = decode(events) { $0[$0.count - 1] = 99 }?.last?.object
    #expect(lastCode == 99, "the last byte is the code of the last event's object")
    #expect(decode(events) { $0[$0.count - 1] = code } == nil)
  }

  /// The same for ends, whose objects are predicted from begins.
  @Test func foreignObjectsOfEnds() {
    let events = (0..<50).flatMap { i in
      [
        TestEvent(time: 5, kind: .timerBegin, object: 1),
        TestEvent(time: 5, kind: .timerEnd, object: UInt32(i + 9)),
      ]
    }
    #expect(decode(events) == events)
    #expect(decode(events) { $0[$0.count - 1] = 51 } == nil)
  }

  /// Deltas and jumps that overflow the time but result in the right last stamp.
  @Test func timeThatRunsBack() {
    let jump: UInt64 = 1 << 40
    let events = [0, 20, 20 + jump].map { TestEvent(time: $0, kind: .mark) }
    #expect(decode(events, first: 7, last: 27 + jump)?.map(\.time) == [7, 27, 27 + jump])
    // The delta overflows.
    #expect(decode(events, first: .max - 10, last: 9 + jump) == nil)
    // The jump overflows.
    #expect(decode(events, first: .max - jump, last: 19) == nil)
    #expect(decode([0, 20].map { TestEvent(time: $0, kind: .mark) }, first: .max - 10, last: 9) == nil)
    // A second jump goes all the way around.
    let around = [0, 20, 20 + jump, UInt64.max - 50].map { TestEvent(time: $0, kind: .mark) }
    #expect(decode(around, first: .max - 10, last: .max - 61) == nil)
  }

  @Test func wrongLastStamp() {
    #expect(decode(still(3), last: 6) == nil)
    #expect(decode(still(3), first: 6) == nil)
  }

  /// Shapes that describe fewer or more events than the block has.
  @Test func wrongNumberOfEvents() {
    let pass: [EventKind] = [.beforeTimersLow, .beforeSourcesLow, .timerBegin, .timerEnd]
    let events = (0..<80).map { TestEvent(time: 5, kind: pass[$0 % 4]) }
    #expect(decode(events) == events)
    // Shape 0 twenty times: with one repetition more or less, and with shape 1, which does not exist.
    #expect(decode(events) { replace(0, 20, with: 1, in: &$0) } == nil)
    #expect(decode(events) { replace(0, 20, with: 255, in: &$0) } == nil)
  }

  @Test func everyCutPayload() {
    var random = SeededGenerator(named: "cut payloads")
    for _ in 0..<20 {
      let events = RandomEvents(&random).make(30, &random)
      let size = EventBlockEncoder(codec: NoCodec()).encode(EventBuffer(events)).count
      for length in stride(from: 0, to: size, by: max(size / 100, 1)) {
        #expect(decode(events) { $0.removeLast($0.count - length) } == nil, "\(TestSeed.note)")
      }
    }
  }
}
