import ArgumentParser
import TraceCompression
import TraceFormat

/// Rows of a workload file into a trace, as an importer would write it.
struct Encode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the rows of a workload file as a trace.",
    discussion: """
      Prints events, bytes of the whole file, and encode_cpu_ns_per_event: filling, encoding, compressing and \
      writing blocks, without reading the rows and converting their times.

      Example: rltrace-bench encode paced.rows paced.rltrace --time-unit 10ns
      """)

  /// Event kinds by the kind of a row.
  private static let kinds: [EventKind] = [
    .beforeTimersLow, .beforeSourcesLow, .source0Begin, .source0End,
    .beforeWaitingLow, .afterWaitingLow, .timerBegin, .timerEnd,
  ]
  private static let thread: UInt32 = 0

  @Argument(help: "Rows of 16 bytes in order of time, see tools/benchmark/reference/workload.h.")
  var rows: String

  @Argument(help: "The trace to write.")
  var output: String

  @Option(help: "1ns, 10ns, 100ns or 1us.")
  var timeUnit = "10ns"

  func validate() throws {
    guard TimeUnit(name: timeUnit) != nil else {
      throw ValidationError("--time-unit must be 1ns, 10ns, 100ns or 1us")
    }
  }

  func run() throws {
    var file = try RowsFile(path: rows)
    do {
      try encode(&file)
    } catch let error as TraceFormatError {
      if case .system = error { throw failure(73, "\(error)") }
      throw failure(70, "\(output): \(error)")
    }
  }

  private func encode(_ file: inout RowsFile) throws {
    let unit = TimeUnit(name: timeUnit) ?? .ns10
    let codec = allCodecs(.zstd) ?? NoCodec()
    let writer = try TraceWriter(
      sink: FileSink(path: output),
      header: FileHeader(
        timeUnit: unit, codec: codec.id, captureLevel: .imported, clock: .imported, hasHighStamps: false),
      codec: codec)
    try writer.write([ThreadDefinition(index: Encode.thread, osThread: 0, isMain: true, name: "workload")])

    let chunk = UnsafeMutableBufferPointer<WorkloadRow>.allocate(capacity: RowsFile.rowsPerChunk)
    defer { chunk.deallocate() }
    let events = EventBuffer()
    var definedModes: Set<UInt8> = []
    var origin: UInt64?
    var cpuNs: UInt64 = 0
    while true {
      let count = try file.read(into: chunk)
      guard count > 0 else { break }
      let rows = UnsafeMutableBufferPointer(rebasing: chunk[..<count])
      // Quantised on the rows' own clock, so that equal distances stay as equal as the unit allows.
      let first = origin ?? rows[0].timeNs / unit.nanoseconds
      origin = first
      convert(rows, unit: unit, origin: first)
      try defineModes(of: rows, writer, &definedModes)
      cpuNs += try threadCPUNs { try append(rows, to: events, writer) }
    }
    cpuNs += try threadCPUNs {
      try writer.write(events, thread: Encode.thread)
      try writer.close()
    }
    printJSON([
      "events": Int(writer.eventCount), "bytes": Int(writer.byteCount),
      "encode_cpu_ns_per_event": Double(cpuNs) / Double(max(1, writer.eventCount)),
    ])
  }

  /// Replaces nanoseconds by units since the origin, kinds and modes by those of the trace.
  private func convert(_ rows: UnsafeMutableBufferPointer<WorkloadRow>, unit: TimeUnit, origin: UInt64) {
    for index in rows.indices {
      let time = rows[index].timeNs / unit.nanoseconds
      rows[index].timeNs = time < origin ? 0 : time - origin
      rows[index].kind = Encode.kinds[Int(rows[index].kind)].rawValue
      // Id 0 means "no mode".
      rows[index].mode = min(rows[index].mode, ModeDefinition.overflowID - 1) + 1
    }
  }

  private func defineModes(
    of rows: UnsafeMutableBufferPointer<WorkloadRow>, _ writer: TraceWriter, _ defined: inout Set<UInt8>
  ) throws {
    var new: [ModeDefinition] = []
    var last: UInt8 = 0
    for row in rows where row.mode != last {
      last = row.mode
      if defined.insert(last).inserted { new.append(ModeDefinition(id: last, name: "mode-\(last - 1)")) }
    }
    if !new.isEmpty { try writer.write(new) }
  }

  private func append(
    _ rows: UnsafeMutableBufferPointer<WorkloadRow>, to events: EventBuffer, _ writer: TraceWriter
  ) throws {
    for row in rows {
      if events.isFull {
        try writer.write(events, thread: Encode.thread)
        events.removeAll()
      }
      events.append(time: row.timeNs, kind: row.kind, mode: row.mode, object: row.object)
    }
  }
}
