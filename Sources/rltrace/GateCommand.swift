import ArgumentParser
import TraceAnalysis
import TraceGate
import TraceReport

struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Holds a trace against rules, for scripts: 0 all hold, 1 one is broken, 2 could not decide.",
    discussion: """
      Examples:
        rltrace gate app.rltrace --rule 'max(gap) < 250ms' --rule 'findings(severity=error) == 0'
        rltrace gate app.rltrace --rule 'p99(lateness, timer=refresh) < 20ms'
        rltrace gate app.rltrace --baseline main.rltrace --rule 'p90(pass) <= 1.1 * baseline'
        rltrace gate app.rltrace --budget budget.yaml --junit gate.xml --sarif gate.sarif

      A rule is a measure, one of < <= > >= == !=, and a limit: a number with its unit, or [factor *] baseline \
      [+ number]. Measures:
        \(GateCommand.series)
        \(GateCommand.numbers)
      Selectors, in the brackets: mode, thread, timer, source, callout, kind, cause, rule, severity, at_least; \
      values with blanks or commas stand in double quotes. docs/commands/gate.md has all of it.

      A trace that lost events or is not whole, a name that is not in it, a number it did not record, a missing \
      baseline: the rule is undecided, and the gate does not pass.
      """)

  /// min|max|… (pass, …)
  private static var series: String {
    Aggregate.allCases.map(\.rawValue).joined(separator: "|") + " of "
      + Metric.allCases.filter(\.isSeries).map(\.rawValue).joined(separator: ", ") + ";"
  }

  private static var numbers: String {
    Metric.allCases.filter { !$0.isSeries }.map { "\($0.rawValue)()" }.joined(separator: ", ") + "."
  }

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(help: ArgumentHelp("A rule; may be given several times.", valueName: "rule"))
  var rule: [String] = []

  @Option(help: "A YAML file with rules.", completion: .file(extensions: ["yaml", "yml"]))
  var budget: String?

  @Option(
    help: "The trace that rules with 'baseline' compare with.", completion: .file(extensions: ["rltrace"]))
  var baseline: String?

  @Option(help: "text or json.")
  var format: Format = .text

  @OptionGroup var profile: ProfileArguments

  @Option(help: "Also write JUnit XML.", completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(help: "Also write SARIF 2.1.0.", completion: .file(extensions: ["sarif"]))
  var sarif: String?

  func validate() throws {
    guard !rule.isEmpty || budget != nil else {
      throw ValidationError("no rules; give --rule 'max(gap) < 250ms' or --budget FILE.yaml")
    }
  }

  func run() throws {
    try reportingFailures {
      for (path, option) in [(junit, "--junit"), (sarif, "--sarif")] {
        if let path { try WholeFile.keep([file, baseline].compactMap(\.self), from: path, option: option) }
      }
      let rules = try rule.map(GateCommand.parse) + (try budget.map(GateBudget.load) ?? [])
      let profile = try profile.load()
      let trace = try gated(file, rules, profile)
      let gate = Gate(rules, trace: trace, baseline: base(rules, profile))
      if let junit { try WholeFile.write(GateJUnit.xml(gate, file: file), to: junit, option: "--junit") }
      if let sarif {
        try WholeFile.write(
          try GateSARIF.encode(gate, file: file, version: toolVersion), to: sarif, option: "--sarif")
      }
      var out = OutputBuffer()
      switch format {
      case .text:
        let text = GateText(gate, style: TextStyle(isColoured: Terminal.wantsColour))
        for line in text.lines() { try out.line(line) }
      case .json: try out.line(try GateJSON.encode(gate, file: file, baseline: baseline))
      }
      // A reader that goes away does not open the gate.
      do { try out.flush() } catch is OutputClosed {}
      switch gate.outcome {
      case .pass: break
      case .broken: throw ExitCode(1)
      case .undecided: throw ExitCode(2)
      }
    }
  }

  private static func parse(_ text: String) throws(Failure) -> GateRule {
    do throws(RuleError) {
      return try RuleParser.parse(text)
    } catch {
      throw Failure(status: .usage, message: "--rule '\(harmless(text, limit: 100))': \(error)")
    }
  }

  /// Findings are those that `analyze` has; rules about gaps look closer.
  private func gated(_ file: String, _ rules: [GateRule], _ profile: Profile?) throws(Failure) -> GatedTrace {
    var options = AnalysisOptions()
    options.detectors = []
    options.profile = profile
    options.gapThresholdNs = profile?.listedFromNs ?? options.gapThresholdNs
    let closer = GatedTrace.options(for: rules, options)
    let reader = try openTrace(file)
    let numbers = try AnalysisRun(reader, closer, file: file)
    let isSame =
      closer.gapThresholdNs == options.gapThresholdNs || !rules.contains { $0.measure.metric == .findings }
    return GatedTrace(
      numbers: numbers.analysis,
      findings: isSame ? numbers.analysis : try AnalysisRun(reader, options, file: file).analysis,
      spansFromNs: closer.gapThresholdNs, problem: numbers.problem?.message)
  }

  private func base(_ rules: [GateRule], _ profile: Profile?) -> Gate.Baseline {
    let needing = rules.filter(\.needsBaseline)
    guard !needing.isEmpty else { return .missing("no rule needs it") }
    guard let baseline else { return .missing("no --baseline was given") }
    do throws(Failure) {
      return .trace(try gated(baseline, rules, profile))
    } catch {
      return .missing("baseline: \(error.message)")
    }
  }
}
