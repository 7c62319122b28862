import TraceFormat

/// Writes a predicted trace: the events of replays, and those events of other threads that stay as they are.
final class PredictedTrace {
  private let writer: TraceWriter
  private let recording: Recording
  private let plan: ChangePlan
  private var buffers: [UInt32: EventBuffer] = [:]
  private var failure: TraceFormatError?
  /// The thread that does what a change moves away from a loop.
  private let movedThread: UInt32
  private var lastTime: UInt64

  init(
    _ recording: Recording, _ plan: ChangePlan, facts: [InfoEntry], sink: any ByteSink, codec: any BlockCodec
  ) throws(TraceFormatError) {
    self.recording = recording
    self.plan = plan
    let reader = recording.reader
    lastTime = reader.lastTime
    movedThread = (reader.threads.keys.max() ?? 0) + 1
    let header = FileHeader(
      timeUnit: reader.header.timeUnit, codec: codec.id, captureLevel: reader.header.captureLevel,
      clock: .virtual, hasHighStamps: reader.header.hasHighStamps, minor: reader.header.minor)
    writer = try TraceWriter(sink: sink, header: header, codec: codec)
    try writer.writeAll(reader.info + facts)
    try writer.writeAll(
      (reader.modes.map { ModeDefinition(id: $0.key, name: $0.value) }
        + plan.newModes.map { ModeDefinition(id: $0.value, name: $0.key) }).ordered { $0.id < $1.id })
    try writer.writeAll(
      reader.strings.map { StringDefinition(id: $0.key, text: $0.value) }.ordered { $0.id < $1.id })
    try writer.writeAll(reader.threads.values.ordered { $0.index < $1.index })
  }

  func write(_ event: ReplayedEvent, thread: UInt32) {
    guard failure == nil else { return }
    let buffer = buffers[thread] ?? EventBuffer()
    buffers[thread] = buffer
    if buffer.isFull { flush(thread, buffer) }
    if event.arguments.isEmpty {
      buffer.append(time: event.time, kind: event.kind.rawValue, mode: event.mode, object: event.object)
    } else {
      buffer.append(
        time: event.time, kind: event.kind.rawValue, mode: event.mode, object: event.object,
        arguments: event.arguments)
    }
    lastTime = max(lastTime, event.time)
  }

  func writeMoved(_ event: ReplayedEvent) { write(event, thread: movedThread) }

  private func flush(_ thread: UInt32, _ buffer: EventBuffer) {
    do { try writer.write(buffer, thread: thread) } catch { failure = failure ?? error }
    buffer.removeAll()
  }

  /// Copies the events of a thread that was not replayed, except those that a change removes. `dropped`: the indices
  /// of events that no longer happen.
  func copy(_ place: Int, dropping dropped: Set<Int32>) {
    let thread = recording.threads[place]
    for (at, event) in thread.events.enumerated() {
      guard !dropped.contains(Int32(at)), plan[event.life]?.isRemoved != true,
        !ChangedEvents.isOutdated(event.kind, plan)
      else {
        continue
      }
      if event.kind == .sourceSignal, plan[event.life]?.periodNs != nil { continue }
      let lists = ChangedEvents.arguments(Array(thread.arguments(of: event)), event, plan, recording)
      for arguments in lists {
        write(
          ReplayedEvent(
            time: event.time, kind: event.kind, mode: event.mode, object: event.object, arguments: arguments,
            life: event.life, callout: -1),
          thread: thread.index)
      }
    }
  }

  /// Completes the trace. Returns the number of events.
  @discardableResult
  func close() throws(TraceFormatError) -> UInt64 {
    for (thread, buffer) in buffers.ordered(by: { $0.key < $1.key }) {
      if thread == movedThread, !buffer.isEmpty {
        try writer.write([
          ThreadDefinition(index: movedThread, osThread: 0, isMain: false, name: "off the loop")
        ])
      }
      flush(thread, buffer)
    }
    if let failure { throw failure }
    let points = recording.reader.syncPoints
    try writer.writeAll(points)
    if let last = points.last, last.time < lastTime {
      let ns = (lastTime - last.time) * recording.unitNs
      try writer.write([
        SyncPoint(
          time: lastTime, monotonicNs: last.monotonicNs &+ ns, boottimeNs: last.boottimeNs &+ ns,
          realtimeNs: last.realtimeNs &+ ns)
      ])
    }
    try writer.close()
    return writer.eventCount
  }
}
