import ArgumentParser
import TraceAnalysis
import TraceFormat

/// Which span of a trace is analyzed, and what gaps are held against: the same for each command that analyzes.
struct AnalysisArguments: ParsableArguments {
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

  @Option(help: ArgumentHelp("Begin here: seconds into the trace, or wall-clock time.", valueName: "moment"))
  var from: MomentArgument?

  @Option(help: ArgumentHelp("End before here.", valueName: "moment"))
  var to: MomentArgument?

  struct Limits {
    var profile: Profile?
    var gapThresholdNs: UInt64
  }

  /// Reads the profile. Once for all traces.
  func limits() throws(Failure) -> Limits {
    var found: Profile?
    if let profile { found = try NamedProfile.load(profile) }
    return Limits(
      profile: found,
      gapThresholdNs: gapThreshold?.nanoseconds ?? found?.listedFromNs ?? AnalysisOptions().gapThresholdNs)
  }

  func options(_ limits: Limits, _ reader: TraceReader, _ file: String) throws -> AnalysisOptions {
    var options = AnalysisOptions()
    options.gapThresholdNs = limits.gapThresholdNs
    options.profile = limits.profile
    options.from = try from.map { try $0.units(in: reader, file: file) }
    options.to = try to.map { try $0.units(in: reader, file: file) }
    if let from = options.from, let to = options.to, from >= to {
      throw Failure(status: .usage, message: "--from must be before --to")
    }
    return options
  }
}

/// The analysis of one file, with progress on a terminal.
struct AnalysisRun {
  let analysis: Analysis
  /// Why the trace is not whole, nil when it is.
  let problem: Failure?

  init(_ reader: TraceReader, _ options: AnalysisOptions, file: String) throws(Failure) {
    let progress = AnalysisProgress(file: file, events: reader.eventCount)
    defer { progress.finish() }
    do throws(TraceFormatError) {
      analysis = try TraceAnalyzer(reader, options: options).analyze { progress.update($0) }
    } catch {
      throw Failure.reading(file, error)
    }
    problem = (reader.problem ?? analysis.damage).map { .reading(file, $0) }
  }
}
