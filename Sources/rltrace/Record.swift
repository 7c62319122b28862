import ArgumentParser
import Foundation
import RunLoopProbe
import ScenarioRunners
import TraceCompression
import TraceFormat
import TraceRecorder

struct Record: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Records a run of a real run loop into a trace.",
    discussion: """
      Scenarios run on this process's own, real CFRunLoop.

        timer-starvation   the same 10 ms timer in the default mode only, in default and tracking, and in the \
      common modes, while a second thread scrolls

      Examples:
        rltrace record --scenario timer-starvation
        rltrace record --scenario timer-starvation -o /tmp/s.rltrace --time-unit 1ns
      """)

  @Option(help: "What to run: timer-starvation.")
  var scenario: String

  @Option(
    name: .shortAndLong, help: "The trace to write (default: SCENARIO.rltrace).",
    completion: .file(extensions: ["rltrace"]))
  var output: String?

  @Option(help: "The trace's time unit: 1ns, 10ns, 100ns or 1us.")
  var timeUnit: TimeUnit = .ns10

  @Option(help: "none or zstd.")
  var codec: CodecID = .zstd

  @Option(help: "Makes all parts of the scenario this many times as long, 0.01 to 1000.")
  var timeScale: Double = 1

  @Option(help: "Stamps from cycle-counter (where invariant) or monotonic.")
  var clock: ClockSource = .cycleCounter

  func validate() throws {
    guard timeScale >= 0.01, timeScale <= 1000 else {
      throw ValidationError("--time-scale must be from 0.01 to 1000")
    }
    guard clock == .cycleCounter || clock == .monotonic else {
      throw ValidationError("--clock must be cycle-counter or monotonic")
    }
  }

  private static func failure(_ error: RecordingError, _ output: String) -> Failure {
    if case .trace(let error) = error { return .writing(output, error) }
    return Failure(status: .software, message: "\(error)")
  }

  func run() throws {
    try reportingFailures {
      guard scenario == "timer-starvation" else {
        throw Failure(
          status: .usage, message: "unknown scenario '\(scenario)'; there is: timer-starvation")
      }
      let output = output ?? "\(scenario).rltrace"
      let codec = codec
      let options = RecordingOptions(
        timeUnit: timeUnit, makeCodec: { allCodecs(codec) ?? NoCodec() },
        info: RecordingFacts.entries(scenario: scenario), clock: clock)
      let experiment = TimerStarvation(scale: timeScale)
      do throws(RecordingError) {
        let tracer = try RunLoopTracer.start(output: output, options: options)
        let interruption = Interruption { () throws(Failure) in
          do throws(RecordingError) { try tracer.stop() } catch { throw Record.failure(error, output) }
        }
        let progress = ProgressLine(total: experiment.duration)
        experiment.run(tracer) { progress.phase($0.rawValue) }
        progress.finish()
        interruption.disarm()
        let summary = try tracer.stop()
        Terminal.writeError(
          "recorded \(summary.events) events, \(summary.bytes) bytes, \(summary.lostEvents) lost: \(output)\n"
        )
      } catch {
        throw Record.failure(error, output)
      }
    }
  }
}

extension TimeUnit: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }
  public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension ClockSource: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }
  public static var allValueStrings: [String] { [ClockSource.cycleCounter.name, ClockSource.monotonic.name] }
}
