import TraceFormat

/// The recorder's own thread in a trace, whose events are the notes. It is defined when there is something to write.
struct RecorderThread {
  private var definition: ThreadDefinition?
  private var events: EventBuffer?
  private var lastTime: UInt64 = 0

  /// Whether events of an earlier attempt are still unwritten.
  var hasUnwritten: Bool { events?.isEmpty == false }

  /// Writes the events of `notes`, with times not before `floor`.
  mutating func write(
    _ notes: [RecorderNote], _ spool: Spool, _ clock: TickClock, floor: UInt64, to output: any SpoolOutput
  ) throws(TraceFormatError) {
    let events = events ?? EventBuffer()
    self.events = events
    for note in notes {
      guard let event = note.event else { continue }
      if events.isFull { try flush(events, spool, output) }
      lastTime = max(clock.units(ticks: note.moment.ticks), lastTime, floor)
      events.append(
        time: lastTime, kind: event.kind.rawValue, mode: 0, object: 0, arguments: event.arguments)
    }
    if !events.isEmpty { try flush(events, spool, output) }
  }

  private mutating func flush(
    _ events: EventBuffer, _ spool: Spool, _ output: any SpoolOutput
  ) throws(TraceFormatError) {
    let definition = definition ?? RecorderThread.claim(spool)
    self.definition = definition
    _ = try spool.countWritten(events.count) { () throws(TraceFormatError) in
      try output.write(notes: events, thread: definition)
      return true
    }
    events.removeAll()
  }

  private static func claim(_ spool: Spool) -> ThreadDefinition {
    ThreadDefinition(
      index: spool.claimThread(), osThread: 0, isMain: false, name: ThreadDefinition.recorderName)
  }
}
