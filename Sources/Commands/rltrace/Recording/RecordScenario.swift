import ArgumentParser
import Foundation
import ProgramRecorder
import RunLoopProbe
import Scenario
import ScenarioRunners
import TraceCompression
import TraceFormat
import TraceRecorder
import TraceResults

/// Implements `rltrace record --scenario`.
struct RecordScenario {
  let scenario: Scenario
  let isVirtual: Bool
  let seed: UInt64
  let output: String?
  let options: RecordingOptions
  let isQuiet: Bool

  func run() throws {
    guard isVirtual || !scenario.setsClock else {
      throw Failure(
        status: .usage,
        message:
          "scenario '\(scenario.name)' sets the clock, which belongs to the whole system; record it with --virtual"
      )
    }
    let output = output ?? "\(NamedScenario.fileName(of: scenario)).rltrace"
    try FileUse.write([(output, "-o")])
    // Called before any thread starts, because threads inherit the mask.
    let signals = isVirtual ? nil : Interruption.hold()
    let taken = try Terminal.isStandardOutput(output) ? nil : takeName(output)
    let file = taken?.sink
    var loss: Failure?
    do throws(RecordingError) {
      if let file, let signals {
        loss = Record.loss(try recordReal(output, file, signals, taken?.earlier), output)
      } else {
        UnfinishedFiles.arm()
        try recordVirtual(output, file ?? StandardOutput())
        if let file { UnfinishedFiles.forget(file) }
      }
    } catch {
      // The reader of the pipe closed it, which is not an error of the command.
      if Terminal.isStandardOutput(output), case .trace(.system(_, EPIPE)) = error { throw OutputClosed() }
      throw Record.failure(error, output)
    }
    if let loss { throw loss }
    guard let taken, !isQuiet else { return }
    sayKept(taken.earlier)
    EarlierNotes.next(output, kept: taken.earlier.kept)
  }

  private func sayKept(_ earlier: EarlierTraces?) {
    if let kept = EarlierNotes.kept(earlier?.kept ?? []) { report(kept) }
  }

  private func recordReal(
    _ output: String, _ sink: FileSink, _ signals: Interruption.Signals, _ earlier: EarlierTraces?
  ) throws(RecordingError) -> RecordingSummary {
    var options = options
    options.info = RecordingFacts.entriesHere + VirtualRecording.facts(scenario, seed: seed)
    // The tool has no SIGBUS handler of its own that must take precedence.
    options.handlesBusErrors = true
    let tracer: RunLoopTracer
    do throws(RecordingError) {
      tracer = try RunLoopTracer.start(output: output, sink: sink, options: options)
    } catch {
      sink.discard()
      throw error
    }
    Interruption.end(on: signals) { () throws(Failure) in
      do throws(RecordingError) { try tracer.stop() } catch { throw Record.failure(error, output) }
      sayKept(earlier)
    }
    let progress = ProgressLine(total: max(Double(scenario.expectedNs) / 1e9, 0.001))
    progress.phase(scenario.name)
    RealRecording.play(scenario, seed: seed, tracer, peerCommand: [RecordScenario.thisProgram, "peer"])
    progress.finish()
    let summary = try tracer.stop()
    report("recorded \(summary.events) events, \(summary.bytes) bytes, \(summary.lostEvents) lost: \(output)")
    return summary
  }

  private func recordVirtual(_ output: String, _ sink: any ByteSink) throws(RecordingError) {
    do throws(TraceFormatError) {
      do throws(TraceFormatError) {
        let summary = try VirtualRecording.record(
          scenario, seed: seed, sink: sink, unit: options.timeUnit, codec: options.makeCodec())
        report(
          "recorded \(summary.events) events of \(summary.virtualNs / 1_000_000) virtual ms, \(summary.bytes) bytes: "
            + Output.name(output)
        )
        if summary.waitedForever {
          report(
            "the scenario ended because its loop waited for something that never came; limit the run with 'for:'"
          )
        }
      } catch {
        sink.discard()
        throw error
      }
    } catch {
      throw .trace(error)
    }
  }

  private func takeName(_ output: String) throws(Failure) -> (sink: FileSink, earlier: EarlierTraces) {
    do throws(TraceFormatError) {
      let taken: (sink: FileSink, earlier: EarlierTraces)
      // In virtual time, an incomplete trace is not kept.
      if isVirtual {
        taken = try UnfinishedFiles.made(\.sink) { () throws(TraceFormatError) in
          try EarlierRecording.takeName(output, codecs: allCodecs)
        }
      } else {
        taken = try EarlierRecording.takeName(output, codecs: allCodecs)
      }
      try EarlierRecording.removeUnfinished(of: output)
      return taken
    } catch {
      throw Record.failure(toBegin: .trace(error), output)
    }
  }

  private func report(_ message: String) {
    if !isQuiet { Terminal.writeError(harmless(message, limit: .max) + "\n") }
  }

  /// This executable, which is also the other process in `ipc` steps.
  private static var thisProgram: String {
    #if os(Linux)
    "/proc/self/exe"
    #else
    CommandLine.arguments[0]
    #endif
  }
}

/// The other process of `ipc` steps.
struct Peer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Answers requests of a scenario on its standard streams.", shouldDisplay: false)

  func run() { PeerProcess.serve() }
}
