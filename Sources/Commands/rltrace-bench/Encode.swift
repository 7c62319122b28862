import ArgumentParser
import TraceCompression
import TraceFormat

/// Converts the rows of a workload file to a trace, as an importer would.
struct Encode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the rows of a workload file as a trace.",
    discussion: """
      Prints events, bytes of the whole file, and encode_cpu_ns_per_event: encoding, compressing and writing blocks, \
      without reading the rows and converting them.

      Example: rltrace-bench encode paced.rows paced.rltrace --time-unit 10ns
      """)

  private static let thread: UInt32 = 0

  @Argument(help: "Rows of 16 bytes in time order, see tools/benchmark/reference/workload.h.")
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
    let unit = TimeUnit(name: timeUnit) ?? .ns10
    var file = try RowsFile(path: rows, unit: unit)
    do {
      try encode(&file, unit)
    } catch let error as TraceFormatError {
      if case .system = error { throw failure(73, "\(error)") }
      throw failure(70, "\(output): \(error)")
    }
  }

  private func encode(_ file: inout RowsFile, _ unit: TimeUnit) throws {
    let codec = allCodecs(.zstd) ?? NoCodec()
    let writer = try TraceWriter(
      sink: FileSink(path: output),
      header: FileHeader(
        timeUnit: unit, codec: codec.id, captureLevel: .imported, clock: .imported, hasHighStamps: false),
      codec: codec)
    try writer.write([ThreadDefinition(index: Encode.thread, osThread: 0, isMain: true, name: "workload")])

    // Modes are defined one block ahead.
    var events = EventBuffer(), next = EventBuffer()
    var cpuNs: UInt64 = 0
    repeat {
      let modes = try file.read(into: next)
      if !modes.isEmpty { try writer.write(modes) }
      cpuNs += try threadCPUNs { try writer.write(events, thread: Encode.thread) }
      events.removeAll()
      swap(&events, &next)
    } while !events.isEmpty
    cpuNs += try threadCPUNs { try writer.close() }
    printJSON([
      "events": Int(writer.eventCount), "bytes": Int(writer.byteCount),
      "encode_cpu_ns_per_event": Double(cpuNs) / Double(max(1, writer.eventCount)),
    ])
  }
}
