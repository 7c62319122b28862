import ArgumentParser
import CoreFoundation
import Foundation
import RunLoopProbe
import TraceCompression
import TraceFormat
import TraceRecorder

/// Measures the cost of observing a pass of the real run loop.
struct ProbePasses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Times poll passes of the real CFRunLoop: bare, with empty observers, with the probe.",
    discussion: """
      A pass is CFRunLoopRunInMode(default, 0, true) on a secondary thread with one source0 signalled. The empty \
      observers have the same number, activities and orders as the probe's. Prints bare_ns, \
      empty_observers_ns and probe_ns, medians over bursts that take turns, and the lost_events of the recording.

      Example: rltrace-bench probe --passes 100000
      """)

  /// Short, because the clock rate of a virtual machine drifts within tenths of a second.
  private static let passesPerBurst = 500

  @Option(help: "Passes of each kind.")
  var passes: Int

  func validate() throws {
    guard passes > 0 else { throw ValidationError("--passes must be above 0") }
  }

  func run() throws {
    // Two loops: one has the probe, the other is measured without it.
    let plain = PollLoop()
    let probed = PollLoop()
    let recording = Recording()
    try probed.perform { try recording.start(on: probed) }

    var bare: [Double] = []
    var empty: [Double] = []
    var probe: [Double] = []
    // The first turn only warms up.
    for turn in 0...max(1, passes / ProbePasses.passesPerBurst) {
      let count = min(passes, ProbePasses.passesPerBurst)
      let costs = (
        try plain.perform { plain.nsPerPass(passes: count) },
        try plain.perform { withEmptyObservers { plain.nsPerPass(passes: count) } },
        try probed.perform { probed.nsPerPass(passes: count) }
      )
      try probed.perform { try recording.waitUntilDrained() }
      guard turn > 0 else { continue }
      bare.append(costs.0)
      empty.append(costs.1)
      probe.append(costs.2)
    }
    printJSON([
      "bare_ns": median(bare), "empty_observers_ns": median(empty), "probe_ns": median(probe),
      "lost_events": try recording.stop(),
    ])
  }

  private func withEmptyObservers(_ measure: () -> Double) -> Double {
    let observers = PollLoop.addEmptyObservers()
    defer { for observer in observers { CFRunLoopObserverInvalidate(observer) } }
    return measure()
  }
}

/// A recording into memory, made with the probe. It records the thread that starts it.
private final class Recording: @unchecked Sendable {
  private var tracer: RunLoopTracer?
  private var ring: DrainedRing?

  func start(on loop: PollLoop) throws {
    do {
      tracer = try RunLoopTracer.start(
        sink: MemorySink(), options: RecordingOptions(makeCodec: { allCodecs(.zstd) ?? NoCodec() }))
    } catch {
      throw failure(70, "\(error)")
    }
    // The first pass of the loop claims the ring and lets the probe find all modes.
    loop.run(passes: 1)
    ring = try DrainedRing()
    Thread.sleep(forTimeInterval: DrainedRing.calibrationSeconds)
  }

  /// Must be called on the thread that started the recording.
  func waitUntilDrained() throws { try ring?.waitUntilDrained() }

  /// Stops the recording. Returns the number of lost events.
  func stop() throws -> Int {
    do {
      return Int(try tracer?.stop().lostEvents ?? 0)
    } catch {
      throw failure(70, "\(error)")
    }
  }
}
