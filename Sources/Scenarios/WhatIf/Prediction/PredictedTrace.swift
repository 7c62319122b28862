import TraceFormat

/// Writes a predicted trace: the events of replays, and those events of other threads that stay as they are.
final class PredictedTrace {
  private let writer: TraceWriter
  private let recording: Recording
  private let plan: ChangePlan
  private var buffers: [UInt32: EventBuffer] = [:]
  /// The buffer that was used last, and its thread.
  private var current = EventBuffer()
  private var currentThread: UInt32?
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
      reader.modeDefinitions
        + plan.newModes.map { ModeDefinition(id: $0.value, name: $0.key) }.ordered { $0.id < $1.id })
    try writer.writeAll(reader.stringDefinitions)
    try writer.writeAll(reader.threads.values.ordered { $0.index < $1.index })
  }

  func write(_ event: ReplayedEvent, thread: UInt32) {
    guard failure == nil else { return }
    let buffer = thread == currentThread ? current : self.buffer(of: thread)
    if buffer.isFull { flush(thread, buffer) }
    let kind = event.kind.rawValue
    if let argument = event.argument {
      withUnsafePointer(to: argument) {
        buffer.append(
          time: event.time, kind: kind, mode: event.mode, object: event.object,
          arguments: UnsafeBufferPointer(start: $0, count: 1))
      }
    } else if event.arguments.isEmpty {
      buffer.append(time: event.time, kind: kind, mode: event.mode, object: event.object)
    } else {
      buffer.append(
        time: event.time, kind: kind, mode: event.mode, object: event.object, arguments: event.arguments)
    }
    if event.time > lastTime { lastTime = event.time }
  }

  private func buffer(of thread: UInt32) -> EventBuffer {
    let buffer = buffers[thread] ?? EventBuffer()
    buffers[thread] = buffer
    (currentThread, current) = (thread, buffer)
    return buffer
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
        !ChangedEvents.isOutdated(event.kind, plan),
        !WakeUps.isRemoved(at, in: thread, plan, unitNs: recording.unitNs)
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

  /// Completes the trace.
  func close() throws(TraceFormatError) {
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
      try writer.write([last.moved(to: lastTime, unit: recording.reader.header.timeUnit)])
    }
    try writer.close()
  }
}
