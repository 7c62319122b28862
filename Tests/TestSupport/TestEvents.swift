import TraceCompression
import TraceFormat

/// An event as a value.
package struct TestEvent: Equatable, Sendable {
  package var time: UInt64
  package var kind: UInt8
  package var mode: UInt8
  package var object: UInt32
  package var arguments: [UInt64]

  package init(time: UInt64, kind: UInt8, mode: UInt8 = 0, object: UInt32 = 0, arguments: [UInt64] = []) {
    self.time = time
    self.kind = kind
    self.mode = mode
    self.object = object
    self.arguments = arguments
  }

  package init(time: UInt64, kind: EventKind, mode: UInt8 = 0, object: UInt32 = 0, arguments: [UInt64] = []) {
    self.init(time: time, kind: kind.rawValue, mode: mode, object: object, arguments: arguments)
  }
}

extension EventBuffer {
  package convenience init(_ events: some Sequence<TestEvent>) {
    self.init()
    for event in events {
      append(
        time: event.time, kind: event.kind, mode: event.mode, object: event.object, arguments: event.arguments
      )
    }
  }
}

extension DecodedEvents {
  /// All events as values.
  package var values: [TestEvent] {
    var ordinals = [Int](repeating: 0, count: 256)
    return (0..<count).map { i in
      let kind = kinds[i]
      defer { ordinals[Int(kind)] += 1 }
      return TestEvent(
        time: times[i], kind: kind, mode: modes[i], object: objects[i],
        arguments: arguments(kind: kind, ordinal: ordinals[Int(kind)]))
    }
  }
}

extension TraceReader {
  /// Returns the events of each event block.
  package func allEvents() throws -> [[TestEvent]] {
    let decoded = DecodedEvents()
    return try blocks.indices.filter { blocks[$0].type == .events }.map { number in
      try events(of: number, into: decoded)
      return decoded.values
    }
  }

  /// Returns the events of the recorder's own threads, in order.
  package func eventsOfTheRecorder() throws -> [TestEvent] {
    let decoded = DecodedEvents()
    return try blocks.indices.flatMap { number -> [TestEvent] in
      let block = blocks[number]
      guard block.type == .events, let thread = threads[block.thread], thread.osThread == 0, !thread.isMain
      else { return [] }
      try events(of: number, into: decoded)
      return decoded.values
    }
  }
}

/// The number of events of each kind in a trace. A trace may have millions of them, so no event is made a value.
package struct EventCounts {
  private var counts = [Int](repeating: 0, count: 256)
  /// The number of events that were lost.
  package private(set) var lost: UInt64 = 0

  package init(_ reader: TraceReader) throws {
    let block = DecodedEvents()
    for number in reader.blocks.indices where reader.blocks[number].type == .events {
      try reader.events(of: number, into: block)
      for i in 0..<block.count { counts[Int(block.kinds[i])] += 1 }
      lost += block.lostEvents
    }
  }

  package subscript(_ kind: EventKind) -> Int { counts[Int(kind.rawValue)] }
}

/// Returns the bytes of the trace that `body` writes. The function closes the writer.
package func writeTrace(
  codec: CodecID, timeUnit: TimeUnit = .ns10, hasHighStamps: Bool = true, _ body: (TraceWriter) throws -> Void
) throws -> [UInt8] {
  let sink = MemorySink()
  let header = FileHeader(
    timeUnit: timeUnit, codec: codec, captureLevel: .callouts, clock: .monotonic, hasHighStamps: hasHighStamps
  )
  let writer = try TraceWriter(sink: sink, header: header, codec: allCodecs(codec)!)
  try body(writer)
  try writer.close()
  return sink.bytes
}
