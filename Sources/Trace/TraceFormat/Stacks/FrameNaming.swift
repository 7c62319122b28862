/// Copies a trace and adds names for the code addresses of its stacks.
package enum FrameNaming {
  /// Writes the copy and gives the file its name. Copies the blocks as stored and adds the names after them, on
  /// one of the recorder's own threads. If the trace is incomplete, the copy holds what can be read and is incomplete
  /// too.
  package static func write(
    _ names: [(address: StackAddress, frames: [FrameName])], copying reader: TraceReader, sink: any ByteSink,
    codec: any BlockCodec
  ) throws(TraceFormatError) {
    let original = reader.header
    let header = FileHeader(
      timeUnit: original.timeUnit, codec: codec.id, captureLevel: original.captureLevel,
      clock: original.clock, hasHighStamps: original.hasHighStamps,
      minor: names.isEmpty ? original.minor : max(original.minor, FileHeader.minor))
    let writer = try TraceWriter(sink: sink, header: header, codec: codec)
    try writer.write(blocksOf: reader)
    if !names.isEmpty { try write(names, reader, to: writer) }
    if reader.isClean { try writer.close() } else { try writer.abandon() }
  }

  private static func write(
    _ names: [(address: StackAddress, frames: [FrameName])], _ reader: TraceReader, to writer: TraceWriter
  ) throws(TraceFormatError) {
    let used = Set(reader.threads.keys).union(reader.blocks.lazy.filter { $0.type == .events }.map(\.thread))
    let thread = (used.max() ?? 0) &+ 1
    guard thread < TraceLimits.threads else {
      throw .limit(offset: 0, block: nil, what: "no room for one more thread than \(TraceLimits.threads)")
    }
    try writer.write([
      ThreadDefinition(index: thread, osThread: 0, isMain: false, name: ThreadDefinition.recorderName)
    ])
    // If a trace states no recorder threads, readers infer them. Once one is stated, readers infer no others, so all
    // of them are stated.
    try writer.write(
      reader.recorderThreads.union([thread]).ordered().map { InfoEntry(recorderThread: $0) }
        .filter { !reader.info.contains($0) })

    var strings = Strings(first: (reader.strings.keys.max() ?? 0) &+ 1)
    let events = EventBuffer()
    // The names apply to the whole trace. Their events get the time of the last event, so they do not make the trace
    // longer.
    let time = reader.lastTime
    for (address, frames) in names {
      for (depth, frame) in frames.prefix(ReadingLimits.functionsPerAddress).enumerated() {
        if events.isFull {
          try writer.write(events, thread: thread)
          events.removeAll()
        }
        let function = try strings.id(frame.function), file = try strings.id(frame.file)
        events.append(
          time: time, kind: EventKind.frameName.rawValue, mode: 0, object: 0,
          arguments: [
            address.lookup, UInt64(depth), UInt64(function), UInt64(file), UInt64(frame.line),
            UInt64(frame.column),
          ])
      }
    }
    try writer.writeAll(strings.definitions)
    try writer.write(events, thread: thread)
  }

  /// Adds strings after those of the trace.
  private struct Strings {
    private(set) var definitions: [StringDefinition] = []
    private var ids: [String: UInt32] = [:]
    private var next: UInt32

    init(first: UInt32) { next = first }

    mutating func id(_ text: String) throws(TraceFormatError) -> UInt32 {
      if text.isEmpty { return 0 }
      if let id = ids[text] { return id }
      guard next <= TraceLimits.strings else {
        throw .limit(offset: 0, block: nil, what: "more than \(TraceLimits.strings) strings")
      }
      definitions.append(StringDefinition(id: next, text: text))
      ids[text] = next
      next += 1
      return next - 1
    }
  }
}
