import ArgumentParser
import CRLTraceShims
import Foundation
import TraceCompression
import TraceFormat
import TraceRecorder

/// Measures the cost of recording an event, on the traced thread and in the drain.
struct RecordEvents: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records the tight workload with the real recorder.",
    discussion: """
      Prints events, lost_events, traced_cpu_ns_per_event (the thread that emits, its loop included) and \
      drain_cpu_ns_per_event (encoding, zstd, writing). The thread emits in bursts and waits in between for the \
      drain. The waits do not count: the result is the cost of an event, not that of an overflowing ring.

      Example: rltrace-bench record --events 8000000
      """)

  @Option(help: "How many events, rounded up to whole passes of 8.")
  var events: Int

  @Option(help: "Slots of the ring, a power of two.")
  var slotsPerRing = RecordingOptions().slotsPerRing

  func validate() throws {
    guard events > 0 else { throw ValidationError("--events must be above 0") }
    guard slotsPerRing >= 1024, slotsPerRing <= 1 << 24, slotsPerRing.nonzeroBitCount == 1 else {
      throw ValidationError("--slots-per-ring must be a power of two from 1024 to 16777216")
    }
  }

  func run() throws { try withTemporaryTrace(record) }

  private func record(into path: String) throws {
    let workload = TightWorkload()
    var options = RecordingOptions(
      hasHighStamps: false, makeCodec: { allCodecs(.zstd) ?? NoCodec() }, slotsPerRing: slotsPerRing)
    // The drain's cost includes the compression of each block.
    options.compressesAlways = true
    let recorder = try TraceRecorder.start(sink: FileSink(path: path), options: options)
    workload.emit(passes: 0..<1)
    let ring = try DrainedRing()
    Thread.sleep(forTimeInterval: DrainedRing.calibrationSeconds)
    // Warms up the whole ring, because the first access to memory is not part of an event's cost.
    let warmUp = slotsPerRing / TightWorkload.eventsPerPass
    _ = try emit(workload, passes: 0..<warmUp, in: ring)
    let passes = (events + TightWorkload.eventsPerPass - 1) / TightWorkload.eventsPerPass
    let tracedNs = try emit(workload, passes: 0..<passes, in: ring)

    let summary = try recorder.stop()
    // Excludes the events that the recorder stores about itself.
    let stored = try TraceReader(source: FileSource(path: path), codecs: allCodecs).blocks
      .filter { $0.type == .events && $0.thread == ring.thread }.reduce(0) { $0 + Int($1.count) }
    let measured = stored - (1 + warmUp) * TightWorkload.eventsPerPass
    printJSON([
      "events": measured, "lost_events": Int(summary.lostEvents),
      "traced_cpu_ns_per_event": Double(tracedNs) / Double(max(1, measured)),
      "drain_cpu_ns_per_event": Double(summary.drainCPUNs) / Double(max(1, summary.events)),
    ])
  }

  /// Emits passes in bursts. Returns their CPU time in nanoseconds, without the waits between bursts.
  private func emit(
    _ workload: borrowing TightWorkload, passes: Range<Int>, in ring: DrainedRing
  ) throws -> UInt64 {
    let passesPerBurst = ring.burstSlots / TightWorkload.eventsPerPass
    var cpuNs: UInt64 = 0
    for start in stride(from: passes.lowerBound, to: passes.upperBound, by: passesPerBurst) {
      let begin = rlt_thread_cpu_ns()
      workload.emit(passes: start..<min(passes.upperBound, start + passesPerBurst))
      cpuNs += rlt_thread_cpu_ns() - begin
      try ring.waitUntilDrained()
    }
    return cpuNs
  }
}
