import TestSupport
import Testing
import TraceFormat

/// The encoder must give the same bytes as its first version, whatever fast paths it takes. The digests come from
/// that version, which encoded each event separately. For the block with wide object codes, another program then
/// rearranged the bytes into planes.
@Suite struct EncoderBytesTests {
  /// Pseudorandom numbers that are the same on every machine.
  private struct Numbers {
    private var state: UInt64 = 17

    mutating func next(below limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
  }

  private static let pass: [EventKind] = [
    .beforeTimersLow, .beforeSourcesLow, .source0Begin, .source0End, .beforeWaitingLow, .afterWaitingLow,
    .timerBegin, .timerEnd,
  ]

  /// Returns `count` events of a loop's passes. One pass in `rate` lacks some of its events; 0 = none.
  private func passes(_ count: Int, leavesOutOneIn rate: UInt64, objects: UInt64) -> [TestEvent] {
    var numbers = Numbers()
    var time: UInt64 = 1_000
    var events: [TestEvent] = []
    while events.count < count {
      let leavesOut = rate > 0 && numbers.next(below: rate) == 0
      let object = UInt32(numbers.next(below: objects))
      let mode: UInt8 = numbers.next(below: 500) == 0 ? 2 : 1
      for kind in Self.pass where !leavesOut || numbers.next(below: 3) > 0 {
        time += numbers.next(below: 1 << numbers.next(below: 12))
        if numbers.next(below: 5_000) == 0 { time += 1 << 33 }
        let isActivity = kind.rawValue < EventKind.source0Begin.rawValue
        events.append(TestEvent(time: time, kind: kind, mode: mode, object: isActivity ? 1 : object))
      }
    }
    return Array(events.prefix(count))
  }

  /// Returns events of any kind: more shapes than a block has, ends before their begins, arguments.
  private func disorder(_ count: Int) -> [TestEvent] {
    var numbers = Numbers()
    var time: UInt64 = 0
    return (0..<count).map { _ in
      time += numbers.next(below: 40)
      let kind = numbers.next(below: 4) == 0 ? 3 : UInt8(numbers.next(below: 40))
      return TestEvent(
        time: time, kind: kind, mode: UInt8(numbers.next(below: 3)),
        object: UInt32(numbers.next(below: 9)),
        arguments: (0..<numbers.next(below: 3)).map { _ in numbers.next(below: 1_000) })
    }
  }

  private func digest(_ events: [TestEvent]) throws -> UInt64 {
    let bytes = try writeTrace(codec: .none) { try $0.write(EventBuffer(events), thread: 1) }
    #expect(firstDifference(try #require(try openTrace(bytes).allEvents().first), events) == nil)
    // FNV-1a.
    return bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  @Test func passesOfOneShape() throws {
    #expect(try digest(passes(65_536, leavesOutOneIn: 0, objects: 300)) == 0x5AFF_0CF3_A662_5CAC)
  }

  @Test func passesOfManyShapes() throws {
    #expect(try digest(passes(20_000, leavesOutOneIn: 3, objects: 20)) == 0xCEAC_2A30_741F_EA3D)
  }

  @Test func fewEvents() throws {
    let all = passes(100, leavesOutOneIn: 4, objects: 3)
    let digests = try [1, 2, 7, 8, 9, 31, 33].map { try digest(Array(all.prefix($0))) }
    let expected: [UInt64] = [
      0x50D3_9B94_2122_576F, 0x9A18_CC80_4C72_C8B3, 0xCB6C_42B3_4CE5_F6F6, 0x3E37_32B8_C88A_DC29,
      0xB67C_D64B_37FC_0338, 0xE9E8_84D5_55CD_B7E6, 0xC628_24A7_2A2D_86E0,
    ]
    #expect(digests == expected)
  }

  /// Returns the same kinds repeatedly. Every thousandth event is another kind, and the time jumps now and then.
  private func repeated(_ kinds: [EventKind], _ count: Int) -> [TestEvent] {
    var numbers = Numbers()
    var time: UInt64 = 0
    return (0..<count).map { i in
      time += numbers.next(below: 900)
      if numbers.next(below: 700) == 0 { time += TraceLimits.deltaUnits - 2 + numbers.next(below: 4) }
      let kind = i % 1_000 == 999 ? .timerBegin : kinds[i % kinds.count]
      return TestEvent(time: time, kind: kind, mode: 1, object: UInt32(numbers.next(below: 9) / 8))
    }
  }

  @Test func passesWithKindsMoreThanOnce() throws {
    let kinds: [EventKind] = [.beforeTimersLow, .source0Begin, .source0End, .source0Begin, .source0End]
    let found = try digest(repeated(kinds, 20_000))
    #expect(found == 0xB4D7_1F75_3049_5B99)
  }

  /// A shape ends when it is full, both where passes begin in the same way and where they do not.
  @Test func eventsWithoutPasses() throws {
    let kinds: [[EventKind]] = [
      [.source0Begin, .source0End], [.source0Begin, .source0End, .blockBegin], [.beforeTimersLow],
    ]
    let digests = try kinds.map { try digest(repeated($0, 20_000)) }
    let expected: [UInt64] = [
      0xCA9B_5994_0722_A9A5, 0xF4B_6D9D_0C29_9716, 0xE38B_79CC_4F65_E27F,
    ]
    #expect(digests == expected)
  }

  @Test func passesOfAllLengths() throws {
    let kinds = (0..<40).map { $0 == 0 ? EventKind.beforeTimersLow : EventKind(UInt8(60 + $0)) }
    let digests = try (2...40).map { try digest(repeated(Array(kinds.prefix($0)), 4_000)) }
    #expect(digests.reduce(0) { $0 &* 31 &+ $1 } == 0x6699_2E64_6CCE_DD5F)
  }

  @Test func disorder() throws { #expect(try digest(disorder(8_000)) == 0x8956_0E1F_5618_83E7) }
}
