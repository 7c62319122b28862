import ArgumentParser
import Foundation
import TraceAnalysis
import TraceFormat
import TraceReport

struct Analyze: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a trace shows: latencies by mode, gaps, late and missing timer fires.",
    discussion: """
      Examples:
        rltrace analyze app.rltrace
        rltrace analyze app.rltrace --format json | jq '.timers[] | {name, due, fired, skipped}'
        rltrace analyze app.rltrace --from 1.5 --to 3 --mode UITrackingRunLoopMode
        rltrace analyze monday.rltrace tuesday.rltrace --gap-threshold 100ms
        rltrace analyze app.rltrace --profile watchdog
        rltrace analyze app.rltrace --detector apple,semaphore-1s,kscrash

      Moments are seconds into the trace, or wall-clock time (2026-11-20T14:03:05.25Z). docs/analysis.md defines \
      every number.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The traces.", completion: .file(extensions: ["rltrace"]))
  var files: [String]

  @Option(help: "text or json.")
  var format: Format = .text

  @Option(
    help: ArgumentHelp(
      "List gaps of this length and above: 250ms, 2s, 800us (default: the profile's, else 250ms).",
      valueName: "duration"))
  var gapThreshold: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Hold gaps against limits: interactive, watchdog, monitor-1s, monitor-3s, or a YAML file.",
      valueName: "profile"),
    completion: .list(Profile.named.map(\.name)))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "Stall monitors to try, comma-separated: apple, semaphore-1s, semaphore-3s, semaphore-5x50ms, matrix, kscrash, sentry-v2, datadog, or all.",
      valueName: "names"),
    completion: .list(DetectorRule.allCases.map(\.rawValue) + ["all"]))
  var detector: DetectorsArgument = DetectorsArgument(rules: DetectorRule.standard)

  @Option(help: ArgumentHelp("Begin here: seconds into the trace, or wall-clock time.", valueName: "moment"))
  var from: MomentArgument?

  @Option(help: ArgumentHelp("End before here.", valueName: "moment"))
  var to: MomentArgument?

  @Option(help: "Only rows of this mode (gaps, modes, busy intervals; timers that are in it).")
  var mode: String?

  @Option(help: "Only rows of this thread: its index, name or system id; main = the main thread.")
  var thread: String?

  func run() throws {
    try reportingFailures {
      let profile = try profile.map { try NamedProfile.load($0) }
      let threshold = gapThreshold?.nanoseconds ?? profile?.listedFromNs ?? 250_000_000
      var results: [(file: String, analysis: Analysis)] = []
      var problems: [Failure] = []
      var out = OutputBuffer()
      for (number, file) in files.enumerated() {
        let result: Result
        do {
          result = try analyze(file, threshold, profile)
        } catch let failure as Failure where failure.status != .usage {
          // The other files are worth their reports.
          problems.append(failure)
          continue
        }
        if let problem = result.problem { problems.append(problem) }
        if format == .json {
          results.append((file, result.analysis))
        } else {
          if number > 0 { try out.line("") }
          let text = AnalysisText(
            result.analysis, verdict: result.verdict, style: TextStyle(isColoured: Terminal.wantsColour))
          for line in text.lines(file: file, gapThresholdNs: threshold) { try out.line(line) }
        }
      }
      if format == .json, !results.isEmpty { try out.line(try AnalysisJSON.encode(results)) }
      try out.flush()
      for problem in problems.dropLast() { Terminal.complain(problem.message) }
      if let problem = problems.last { throw problem }
    }
  }

  private struct Result {
    var analysis: Analysis
    /// Of all rows, whatever is shown of them.
    var verdict: Verdict
    /// Why the trace is not whole, nil when it is.
    var problem: Failure?
  }

  private func analyze(_ file: String, _ threshold: UInt64, _ profile: Profile?) throws -> Result {
    let reader = try openTrace(file)
    var options = AnalysisOptions()
    options.gapThresholdNs = threshold
    options.profile = profile
    options.detectors = detector.rules
    options.from = try from.map { try $0.units(in: reader, file: file) }
    options.to = try to.map { try $0.units(in: reader, file: file) }
    if let from = options.from, let to = options.to, from >= to {
      throw Failure(status: .usage, message: "--from must be before --to")
    }
    let filter = AnalysisFilter(
      mode: try known(mode: mode, in: reader), thread: try index(ofThread: thread, in: reader))
    let progress = AnalysisProgress(file: file, events: reader.eventCount)
    defer { progress.finish() }
    do throws(TraceFormatError) {
      let analysis = try TraceAnalyzer(reader, options: options).analyze { progress.update($0) }
      return Result(
        analysis: filter.apply(to: analysis), verdict: Verdict(analysis),
        problem: (reader.problem ?? analysis.damage).map { .reading(file, $0) })
    } catch {
      throw Failure.reading(file, error)
    }
  }

  private func known(mode: String?, in reader: TraceReader) throws(Failure) -> String? {
    guard let mode, !reader.modes.values.contains(mode) else { return mode }
    throw Failure(status: .usage, message: "no mode '\(mode)' in the trace; `rltrace info` lists them")
  }

  private func index(ofThread thread: String?, in reader: TraceReader) throws(Failure) -> UInt32? {
    guard let thread else { return nil }
    let threads = reader.threads.values.sorted { $0.index < $1.index }
    let match =
      threads.first { thread == "main" && $0.isMain } ?? threads.first { $0.name == thread }
      ?? threads.first { "\($0.index)" == thread }
      ?? threads.first { $0.osThread != 0 && "\($0.osThread)" == thread }
    guard let match else {
      throw Failure(status: .usage, message: "no thread '\(thread)' in the trace; `rltrace info` lists them")
    }
    return match.index
  }
}
