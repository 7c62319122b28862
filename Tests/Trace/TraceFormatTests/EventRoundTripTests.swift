import TestSupport
import Testing
@testable import TraceFormat

/// A trace returns the events that were written to it, whatever they are.
@Suite struct EventRoundTripTests {
  private func comeBack(
    _ events: [TestEvent], codec: CodecID, _ note: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bytes = try writeTrace(codec: codec) { try $0.write(EventBuffer(events), thread: 7) }
    let reader = try openTrace(bytes)
    #expect(reader.isClean && reader.problem == nil, sourceLocation: sourceLocation)
    #expect(reader.eventCount == UInt64(events.count), sourceLocation: sourceLocation)
    #expect(reader.blocks.map(\.thread) == [7], sourceLocation: sourceLocation)
    #expect(reader.blocks.map(\.first) == [events.first!.time], sourceLocation: sourceLocation)
    #expect(reader.blocks.map(\.last) == [events.last!.time], sourceLocation: sourceLocation)
    let read = try #require(try reader.allEvents().first, sourceLocation: sourceLocation)
    #expect(firstDifference(read, events) == nil, "\(note)", sourceLocation: sourceLocation)
  }

  @Test(arguments: CodecID.allCases) func randomEvents(codec: CodecID) throws {
    var random = SeededGenerator(named: "random events, \(codec.name)")
    for _ in 0..<200 {
      let habits = RandomEvents(&random)
      let count = random.pick([1, 2, 3, 10, 33, 100, 1_000, 3_000])
      try comeBack(habits.make(count, &random), codec: codec, TestSeed.note)
    }
  }

  /// Each piece of a block is a block itself, and the pieces together are the whole.
  @Test func pieces() throws {
    var random = SeededGenerator(named: "pieces")
    for _ in 0..<100 {
      let events = RandomEvents(&random).make(random.pick([1, 2, 33, 400]), &random)
      let reader = try openTrace(writeTrace(codec: .none) { try $0.write(EventBuffer(events), thread: 7) })
      let whole = DecodedEvents()
      try reader.events(of: 0, into: whole)
      let piece = DecodedEvents()
      var (start, read): (Int, [TestEvent]) = (0, [])
      while start < events.count {
        let end = min(events.count, start + 1 + Int(random.next() % 50))
        piece.copy(start..<end, of: whole)
        #expect(piece.thread == 7)
        read += piece.values
        start = end
      }
      #expect(firstDifference(read, events) == nil, "\(TestSeed.note)")
    }
  }

  @Test(arguments: CodecID.allCases) func aFullBlock(codec: CodecID) throws {
    var random = SeededGenerator(named: "full block, \(codec.name)")
    let events = (0..<EventBuffer.capacity).map { i in
      TestEvent(time: UInt64(i) * 1_000, kind: UInt8(random.next() & 255), mode: 1, object: UInt32(i & 63))
    }
    let buffer = EventBuffer(events)
    #expect(buffer.isFull)
    try comeBack(events, codec: codec, TestSeed.note)
  }

  /// A one-byte code has room for 254 objects, a two-byte code for 65,534.
  @Test(arguments: [253, 254, 255, 256, 65_533, 65_534, 65_535, 65_536])
  func manyObjects(count: Int) throws {
    // An odd factor makes all objects different.
    let events = (0..<count).map { i in
      TestEvent(time: UInt64(i), kind: .mark, object: UInt32(truncatingIfNeeded: (i + 1) &* 0x9E37_79B1))
    }
    for codec in CodecID.allCases { try comeBack(events, codec: codec) }
  }

  /// Objects that recur after many others, at the limits of the widths: the code of the first object is the largest.
  @Test(arguments: [254, 255, 256, 300, 65_533, 65_534, 65_535]) func recurringObjects(count: Int) throws {
    var random = SeededGenerator(named: "recurring objects, \(count)")
    let objects = (0..<count).map { UInt32(truncatingIfNeeded: ($0 + 1) &* 0x9E37_79B1) }
    var order = objects + [objects[0]]
    while order.count < min(EventBuffer.capacity, count + 500) { order.append(random.pick(objects)) }
    let events = order.enumerated().map { TestEvent(time: UInt64($0), kind: .mark, object: $1) }
    for codec in CodecID.allCases { try comeBack(events, codec: codec, TestSeed.note) }
  }

  /// Kinds with wide object codes beside one with narrow codes. Many ends do not have the object of their begin.
  @Test(arguments: CodecID.allCases) func manyObjectsOfEnds(codec: CodecID) throws {
    var random = SeededGenerator(named: "many objects of ends, \(codec.name)")
    let kinds: [EventKind] = [.timerBegin, .timerEnd, .mark, .mark, .workBegin, .workEnd]
    for _ in 0..<50 {
      let objects: UInt64 = random.pick([300, 3_000, 1 << 32])
      let events = (0..<6_000).map { i in
        let kind = random.pick(kinds)
        let object = kind == .mark ? random.next() % 9 : random.next() % objects
        return TestEvent(time: UInt64(i), kind: kind, object: UInt32(object))
      }
      try comeBack(events, codec: codec, TestSeed.note)
    }
  }

  /// Deltas from 2^31 - 2 units up to the whole range of time are jumps.
  @Test func jumps() throws {
    var time: UInt64 = 0
    var events = [TestEvent(time: 0, kind: .mark)]
    for delta in [
      1, TraceLimits.deltaUnits - 1, TraceLimits.deltaUnits, TraceLimits.deltaUnits + 1, 1 << 31, 1 << 32,
      1 << 62,
    ] {
      time += delta
      events.append(TestEvent(time: time, kind: .mark))
      events.append(TestEvent(time: time, kind: .heartbeat))
    }
    events.append(TestEvent(time: .max, kind: .mark))
    for codec in CodecID.allCases { try comeBack(events, codec: codec) }
    try comeBack([TestEvent(time: 0, kind: .mark), TestEvent(time: .max, kind: .mark)], codec: .none)
    try comeBack([TestEvent(time: .max, kind: .mark)], codec: .none)
  }

  /// Ends without begins, begins without ends, and an end before the begin with the same ordinal.
  @Test func unmatchedCallouts() throws {
    func events(_ list: [(EventKind, UInt32)]) -> [TestEvent] {
      list.enumerated().map { TestEvent(time: UInt64($0.offset), kind: $0.element.0, object: $0.element.1) }
    }
    let begin = EventKind.timerBegin
    let end = EventKind.timerEnd
    let sequences: [[(EventKind, UInt32)]] = [
      [(end, 5), (end, 0), (begin, 6), (end, 6)],
      [(begin, 5), (begin, 6), (begin, 7), (end, 5)],
      [(begin, 5), (end, 5), (end, 0), (begin, 7), (end, 7)],
      [(begin, 5), (end, 5), (end, 9), (begin, 9), (end, 9), (end, 0), (end, 0), (begin, 1)],
      [(begin, 0), (end, 0), (end, 0), (begin, 0)],
      [(end, 1)], [(begin, 1)],
    ]
    for sequence in sequences {
      for codec in CodecID.allCases { try comeBack(events(sequence), codec: codec) }
    }
  }

  /// More shapes than the dictionary has room for.
  @Test func moreShapesThanTheDictionaryHolds() throws {
    var random = SeededGenerator(named: "shapes")
    let events = (0..<20_000).map { i in
      TestEvent(time: UInt64(i), kind: random.oneIn(5) ? 3 : UInt8(random.next() & 255))
    }
    for codec in CodecID.allCases { try comeBack(events, codec: codec, TestSeed.note) }
  }

  @Test func extremeArguments() throws {
    let values: [UInt64] = [
      0, 1, 2, 3, .max, .max - 1, 1 << 63, (1 << 63) - 1, UInt64(bitPattern: -5), 0, .max,
    ]
    var events: [TestEvent] = []
    for (i, value) in values.enumerated() {
      // A due point before the origin, and a column of them.
      events.append(TestEvent(time: UInt64(i), kind: .timerDue, object: 1, arguments: [value]))
      events.append(
        TestEvent(time: UInt64(i), kind: .sourceCreate, object: 2, arguments: [value, 0, value, ~value]))
      events.append(TestEvent(time: UInt64(i), kind: 200, arguments: Array(repeating: value, count: 255)))
      events.append(TestEvent(time: UInt64(i), kind: 201, arguments: Array(values.prefix(i))))
    }
    for codec in CodecID.allCases { try comeBack(events, codec: codec) }
  }

  /// Reads one fixed argument without building the whole row.
  @Test func argumentByPosition() throws {
    let events = [
      TestEvent(time: 5, kind: .timerAdd, object: 1, arguments: [3, 4]),
      TestEvent(time: 6, kind: .stack, object: 1, arguments: [1, 0x1000]),
      TestEvent(time: 7, kind: .stack, object: 1, arguments: [2]),
      TestEvent(time: 8, kind: .timerAdd, object: 1, arguments: [5, 6]),
    ]
    let reader = try openTrace(try writeTrace(codec: .none) { try $0.write(EventBuffer(events), thread: 0) })
    let decoded = DecodedEvents()
    try reader.events(of: 0, into: decoded)
    let add = EventKind.timerAdd.rawValue
    #expect(decoded.argument(0, kind: add, ordinal: 1) == 5)
    #expect(decoded.argument(1, kind: add, ordinal: 1) == 6)
    #expect(decoded.argument(2, kind: add, ordinal: 1) == nil)
    #expect(decoded.argument(0, kind: EventKind.stack.rawValue, ordinal: 1) == 2)
    #expect(decoded.argument(0, kind: EventKind.mark.rawValue, ordinal: 0) == nil)
  }

  /// A block with the maximum number of arguments stays within the reader's limits.
  @Test func mostArguments() throws {
    let row = (0..<255).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
    let buffer = EventBuffer()
    while !buffer.isFull {
      buffer.append(
        time: UInt64(buffer.count), kind: EventKind.stack.rawValue, mode: 0, object: 0, arguments: row)
    }
    #expect(buffer.arguments.count <= TraceLimits.argumentsPerBlock)
    #expect(buffer.arguments.count > TraceLimits.argumentsPerBlock - 2 * TraceLimits.argumentsPerEvent)
    let reader = try openTrace(try writeTrace(codec: .none) { try $0.write(buffer, thread: 0) })
    let decoded = DecodedEvents()
    try reader.events(of: 0, into: decoded)
    #expect(decoded.count == buffer.count)
    #expect(decoded.arguments(kind: EventKind.stack.rawValue, ordinal: decoded.count - 1) == row)
    buffer.removeAll()
    #expect(!buffer.isFull)
  }

  @Test func stampsNeverGoBack() throws {
    let buffer = EventBuffer([TestEvent(time: 100, kind: .mark), TestEvent(time: 90, kind: .mark)])
    let reader = try openTrace(try writeTrace(codec: .none) { try $0.write(buffer, thread: 0) })
    #expect(try reader.allEvents()[0].map(\.time) == [100, 100])
  }

  /// One decoder reads blocks of different sizes and kinds one after another, in any order.
  @Test func blocksInAnyOrder() throws {
    var random = SeededGenerator(named: "blocks in any order")
    let blocks = (0..<12).map { _ in RandomEvents(&random).make(Int(random.next() % 2_000) + 1, &random) }
    let bytes = try writeTrace(codec: .zstd) { writer in
      for block in blocks { try writer.write(EventBuffer(block), thread: 0) }
    }
    let reader = try openTrace(bytes)
    let decoded = DecodedEvents()
    for _ in 0..<40 {
      let number = Int(random.next() % 12)
      try reader.events(of: number, into: decoded)
      #expect(firstDifference(decoded.values, blocks[number]) == nil, "\(TestSeed.note)")
    }
  }

  /// The same events give the same bytes, even from an encoder that was used before.
  @Test func encodingIsDeterministic() throws {
    var random = SeededGenerator(named: "deterministic")
    let first = RandomEvents(&random).make(500, &random)
    let other = RandomEvents(&random).make(500, &random)
    let once = try writeTrace(codec: .zstd) { try $0.write(EventBuffer(first), thread: 0) }
    let again = try writeTrace(codec: .zstd) { writer in
      try writer.write(EventBuffer(first), thread: 0)
      try writer.write(EventBuffer(other), thread: 0)
      try writer.write(EventBuffer(first), thread: 0)
    }
    let blocks = try openTrace(again).blocks
    func payload(_ number: Int) -> ArraySlice<UInt8> {
      let start = Int(blocks[number].offset) + 40
      return again[start..<(start + blocks[number].payloadBytes)]
    }
    #expect(payload(0).elementsEqual(payload(2)), "\(TestSeed.note)")
    #expect(
      once[32..<(32 + 40 + blocks[0].payloadBytes)].suffix(blocks[0].payloadBytes).elementsEqual(payload(0)))
  }
}
