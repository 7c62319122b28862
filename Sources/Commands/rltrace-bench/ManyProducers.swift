import ArgumentParser
import CRLTraceShims
import Foundation
import SystemSupport
import TraceCompression
import TraceFormat
import TraceRecorder

/// Records as fast as possible on many threads, with one drain.
struct ManyProducers: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "producers",
    abstract: "Records the tight workload on many threads at once.",
    discussion: """
      The threads do not wait for the drain, so events that do not fit into a ring are lost. Prints threads, \
      emitted_events, lost_events (as the recording counts them), flat_blocks (stored so because compressing \
      takes too long), traced_cpu_ns_per_event of all threads together, and drain_cpu_ns_per_event. Fails if the \
      stored and the lost events do not add up to all events.

      Example: rltrace-bench producers --threads 64 --events 8000000
      """)

  /// Lets all threads emit their first event before any of them continues.
  private final class Round: @unchecked Sendable {
    let workload = TightWorkload()
    let ready = DispatchSemaphore(value: 0)
    let go = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let cpuNs = Locked<UInt64>(0)
  }

  @Option(help: "How many threads.")
  var threads: Int

  @Option(help: "The total number of events, rounded up to whole passes of 8 on each thread.")
  var events: Int

  func validate() throws {
    guard (1...10_000).contains(threads) else { throw ValidationError("--threads must be from 1 to 10000") }
    guard events > 0 else { throw ValidationError("--events must be above 0") }
  }

  func run() throws { try withTemporaryTrace(record) }

  private func record(into path: String) throws {
    let perPass = TightWorkload.eventsPerPass
    let passes = (events + threads * perPass - 1) / (threads * perPass)
    let recorder = try TraceRecorder.start(
      sink: FileSink(path: path),
      options: RecordingOptions(hasHighStamps: false, makeCodec: { allCodecs(.zstd) ?? NoCodec() }))
    Thread.sleep(forTimeInterval: DrainedRing.calibrationSeconds)
    let round = Round()
    for _ in 0..<threads {
      Thread.detachNewThread {
        round.workload.emit(passes: 0..<1)
        round.ready.signal()
        round.go.wait()
        let cpuNs = threadCPUNs { round.workload.emit(passes: 1..<(passes + 1)) }
        round.cpuNs.withLock { $0 += cpuNs }
        round.done.signal()
      }
    }
    for _ in 0..<threads { round.ready.wait() }
    for _ in 0..<threads { round.go.signal() }
    for _ in 0..<threads { round.done.wait() }

    let summary = try recorder.stop()
    let emitted = threads * (passes + 1) * perPass
    let trace = try TraceReader(source: FileSource(path: path), codecs: allCodecs)
    let stored = try storedEvents(of: trace)
    guard stored + Int(summary.lostEvents) == emitted else {
      throw failure(70, "\(emitted) events emitted, \(stored) stored, \(summary.lostEvents) lost")
    }
    printJSON([
      "threads": threads, "emitted_events": emitted, "lost_events": Int(summary.lostEvents),
      "flat_blocks": Int(clamping: trace.flatBlocks),
      "traced_cpu_ns_per_event": Double(round.cpuNs.withLock { $0 }) / Double(emitted - threads * perPass),
      "drain_cpu_ns_per_event": Double(summary.drainCPUNs) / Double(max(1, summary.events)),
    ])
  }

  /// Returns the number of stored workload events. The recorder also stores events about itself.
  private func storedEvents(of reader: TraceReader) throws -> Int {
    let events = DecodedEvents()
    var count = 0
    for (number, block) in reader.blocks.enumerated() where block.type == .events {
      try reader.events(of: number, into: events)
      for event in 0..<events.count where TightWorkload.kinds.contains(EventKind(events.kinds[event])) {
        count += 1
      }
    }
    return count
  }
}
