import TraceCompression
import TraceFormat

/// Returns a copy of a trace in which some events are left out, doubled, swapped, or changed in kind, object or mode.
package func disturbed(
  _ reader: TraceReader, oneIn rate: UInt64, _ random: inout SeededGenerator
) throws -> [UInt8] {
  try rewritten(reader) { _, events in
    var changed: [TestEvent] = []
    for event in events {
      guard rate > 0, random.oneIn(rate) else {
        changed.append(event)
        continue
      }
      var other = event
      switch random.next() % 7 {
      case 0: continue
      case 1: changed.append(event)
      case 2: other.object = random.oneIn(2) ? 0 : other.object &+ 1
      case 3: other.mode = UInt8(random.next() % 5)
      case 4: other.kind = random.oneIn(2) ? other.kind ^ 1 : UInt8(random.next() % 20)
      default:
        // Two events swap places; the times stay where they were.
        if let last = changed.popLast() {
          other.time = last.time
          changed.append(other)
          other = last
          other.time = event.time
        }
      }
      if other.kind != event.kind { other.arguments = [] }
      changed.append(other)
    }
    return changed
  }
}

/// Returns a copy of a trace with the same definitions but other events. The blocks keep their order.
package func rewritten(
  _ reader: TraceReader, _ change: (_ thread: UInt32, [TestEvent]) throws -> [TestEvent]
) throws -> [UInt8] {
  let sink = MemorySink()
  let writer = try TraceWriter(sink: sink, header: reader.header, codec: allCodecs(reader.header.codec)!)
  try writer.write(reader.strings.map { StringDefinition(id: $0.key, text: $0.value) })
  try writer.write(Array(reader.threads.values))
  try writer.write(reader.modes.map { ModeDefinition(id: $0.key, name: $0.value) })
  try writer.write(reader.syncPoints)
  try writer.write(reader.info)
  let decoded = DecodedEvents()
  for (number, entry) in reader.blocks.enumerated() where entry.type == .events {
    try reader.events(of: number, into: decoded)
    let events = try change(entry.thread, decoded.values)
    for start in stride(from: 0, to: events.count, by: TraceLimits.eventsPerBlock / 4) {
      try writer.write(
        EventBuffer(events.dropFirst(start).prefix(TraceLimits.eventsPerBlock / 4)), thread: entry.thread)
    }
  }
  try writer.close()
  return sink.bytes
}
