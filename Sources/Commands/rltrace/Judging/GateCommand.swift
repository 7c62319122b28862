import ArgumentParser
import JudgementReport
import TraceAnalysis
import TraceFormat
import TraceReplay
import TraceGate

struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract:
      "Checks a trace against rules, for scripts: status 0 all hold, 1 a rule is broken, 2 undecided.",
    discussion: """
      Examples:
        rltrace gate app.rltrace
        rltrace gate app.rltrace --rule 'max(busy) < 250ms' --rule 'findings(severity=error) == 0'
        rltrace gate app.rltrace --rule 'p99(lateness, timer=refresh) < 20ms'
        rltrace gate server.rltrace --rule 'p99(wait, queue=com.example.db) < 20ms'
        rltrace gate app.rltrace --baseline main.rltrace --rule 'p90(pass) <= 1.1 * baseline'
        rltrace gate app.rltrace --budget budget.yaml --junit gate.xml --sarif gate.sarif --markdown gate.md
        rltrace gate suite.rltrace --per-test --rule 'max(busy) < 250ms'
        rltrace gate --print-budget > budget.yaml
        rltrace gate --suggest run1.rltrace run2.rltrace run3.rltrace > budget.yaml

      Without rules, gate checks the built-in budget and prints it:
      \(DefaultBudget.texts.map { "  \($0.rule)  (\($0.name))" }.joined(separator: "\n"))

      Other warnings do not break it. For a laxer gate, give the rules that matter, such as \
      --rule 'findings(severity=error) == 0'.

      A rule is undecided if the trace lost events or is incomplete, if the trace has no run loop, or if a name or \
      a number of the rule is not in the trace. The gate does not pass if a rule is undecided, or if gate cannot \
      use the --baseline trace.
      """)

  /// The measures with an aggregate, as "min|max|… of pass, …".
  private static var series: String {
    Aggregate.allCases.map(\.rawValue).joined(separator: "|") + " of "
      + Metric.allCases.filter(\.isSeries).map(\.name).joined(separator: ", ") + ";"
  }

  private static var numbers: String {
    Metric.allCases.filter { !$0.isSeries }.map { "\($0.name)()" }.joined(separator: ", ") + "."
  }

  private static var selectors: String { TraceGate.Selector.allCases.map(\.rawValue).joined(separator: ", ") }

  enum Format: String, OptionWord { case text, json, markdown, github, gitlab }

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String?

  // This text is not part of the configuration above, which is built for every command. Listing the metrics collects
  // the columns of all results, and only this command's help needs that list.
  @Option(
    help: ArgumentHelp(
      "A rule. May be repeated.",
      discussion: """
        A rule is a measure, one of < <= > >= == !=, and a limit. The limit is a number with its unit (only 0 \
        needs none), or [factor *] baseline [+ number]. Measures:
          \(GateCommand.series)
          \(GateCommand.numbers)
        Selectors go in the parentheses: \(GateCommand.selectors). \
        Put values with spaces or commas in double quotes. A number without parentheses, as in \
        skipped == 0, covers all timers.
        """, valueName: "rule"))
  var rule: [String] = []

  @Option(help: "A YAML file with rules.", completion: .file(extensions: ["yaml", "yml"]))
  var budget: String?

  @Option(
    help: "The trace that rules with 'baseline' compare with.", completion: .file(extensions: ["rltrace"]))
  var baseline: String?

  @Flag(help: "Print the given rules, or the built-in budget, as a YAML file, and do nothing else.")
  var printBudget = false

  @Option(
    parsing: .upToNextOption,
    help: "Print a budget that these good runs suggest, as a YAML file, and do nothing else.",
    completion: .file(extensions: ["rltrace"]))
  var suggest: [String] = []

  @Flag(help: "Judge each test of a recorded test run by itself: the intervals of tests with budgets.")
  var perTest = false

  @Option(
    help: "text, json, markdown (for a job summary), github (annotations), or gitlab (code quality report).")
  var format: Format = .text

  @OptionGroup var span: SpanArguments

  @Option(help: NamedProfile.help, completion: NamedProfile.completion) var profile: String?

  @Option(help: "Also write JUnit XML.", completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(help: "Also write SARIF 2.1.0.", completion: .file(extensions: ["sarif"]))
  var sarif: String?

  @Option(
    help: "Also write Markdown for a job summary: outcome, rules, findings.",
    completion: .file(extensions: ["md"]))
  var markdown: String?

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    if !suggest.isEmpty {
      try refuseAllBut(["--profile", "--from", "--to"], "--suggest only prints rules")
    } else if printBudget {
      try refuseAllBut(["--rule", "--budget", "--print-budget"], "--print-budget only prints rules")
    } else if file == nil {
      throw ValidationError("give a trace: rltrace gate FILE")
    } else if perTest {
      try refuseAllBut(
        ["a trace", "--rule", "--budget", "--profile", "--per-test", "--format"],
        "--per-test judges each test")
      guard format != .markdown else {
        throw ValidationError("--per-test prints text, json, github or gitlab")
      }
    }
  }

  /// Refuses the options that `mode` would ignore.
  private func refuseAllBut(_ allowed: Set<String>, _ mode: String) throws {
    let given: [(option: String, isGiven: Bool)] =
      [
        ("a trace", file != nil), ("--print-budget", printBudget), ("--per-test", perTest),
        ("--rule", !rule.isEmpty), ("--budget", budget != nil), ("--baseline", baseline != nil),
        ("--profile", profile != nil), ("--format", format != .text), ("--from", span.from != nil),
        ("--to", span.to != nil), ("--frames", !span.frames.isEmpty),
      ] + outputs.map { ($0.option, true) }
    if let other = given.first(where: { $0.isGiven && !allowed.contains($0.option) }) {
      throw ValidationError("\(mode); it cannot be combined with \(other.option)")
    }
  }

  /// The output files besides standard output.
  private var outputs: [(path: String, option: String)] {
    [(junit, "--junit"), (sarif, "--sarif"), (markdown, "--markdown")].compactMap { path, option in
      path.map { ($0, option) }
    }
  }

  func run() throws {
    for output in outputs {
      try WholeFile.refuseStandardOutput(
        output.path, option: output.option, instead: "--format selects what goes there")
    }
    FileUse.read([file, baseline].compactMap(\.self) + suggest)
    FileUse.read(budget, as: "budget")
    NamedProfile.enterFile(profile)
    try FileUse.write(outputs)
    if !suggest.isEmpty { return try printSuggestion() }
    let own =
      try rule.map(GateCommand.parse) + (try budget.map { try TextFile.load($0, GateBudget.read) } ?? [])
    let rules = own.isEmpty ? DefaultBudget.rules : own
    guard let file else { return try Terminal.print(GateBudget.text(rules)) }
    let profile = try NamedProfile.load(profile)
    if perTest { return try judgeTests(of: file, rules, profile, isBuiltInBudget: own.isEmpty) }
    let trace = try gated(file, rules, profile)
    let gate = Gate(rules, trace: trace, baseline: base(rules, profile))
    if let problem = gate.baselineProblem, let baseline {
      Terminal.complain("--baseline \(harmless(baseline, limit: 200)): \(problem)")
    }
    try writeFiles(gate, file)
    var out = OutputBuffer()
    switch format {
    case .text:
      let text = GateText(gate, style: color.style)
      let builtIn = own.isEmpty ? try GateBudget.text(rules) : nil
      for line in text.lines(builtInBudget: builtIn) { try out.line(line) }
    case .json:
      try out.line(
        try GateJSON.document.encode([(gate, file, baseline, own.isEmpty)]))
    case .markdown: try out.write(GateMarkdown.text(gate, file: file))
    case .github: try out.write(AnnotationReport(gate, file: file, root: .current).github)
    case .gitlab: try out.write(AnnotationReport(gate, file: file, root: .current).gitlab)
    }
    try GateCommand.end(&out, gate.outcome)
  }

  /// Writes the output and ends with the status of an outcome. A closed pipe must not let the gate pass.
  static func end(_ out: inout OutputBuffer, _ outcome: Gate.Outcome) throws {
    do { try out.flush() } catch is OutputClosed {}
    switch outcome {
    case .pass: break
    case .broken: throw ExitCode(1)
    case .undecided: throw ExitCode(2)
    }
  }

  private func writeFiles(_ gate: Gate, _ file: String) throws {
    for (path, option) in outputs {
      let text =
        switch option {
        case "--junit": try GateJUnit.xml(gate, file: file)
        case "--sarif": try GateSARIF.encode(gate, file: file, root: .current, version: Release.version)
        default: GateMarkdown.text(gate, file: file)
        }
      try WholeFile.write(text, to: path, option: option)
    }
  }

  private static func parse(_ text: String) throws(Failure) -> GateRule {
    do throws(RuleError) {
      return try RuleParser.parse(text)
    } catch {
      throw Failure(status: .usage, message: "--rule '\(harmless(text, limit: 100))': \(error)")
    }
  }

  static func options(_ profile: Profile?) -> AnalysisOptions {
    var options = AnalysisOptions()
    options.replay.detectors = []
    options.profile = profile
    options.replay.listGaps(fromNs: profile?.listedFromNs)
    return options
  }

  /// Analyzes a trace. Findings are the same as in `analyze`; rules about short gaps need a second, finer analysis.
  func gated(_ file: String, _ rules: [GateRule], _ profile: Profile?) throws -> GatedTrace {
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    var options = Self.options(profile)
    options = try span.applied(to: options, reader, file)
    let findings = try AnalysisRun(reader, options, file: file)
    let closer = GatedTrace.options(for: rules, options, of: reader)
    let numbers = try closer.map { try AnalysisRun(reader, $0, file: file) } ?? findings
    return GatedTrace(
      numbers: numbers.analysis, findings: findings.analysis,
      spansFromNs: GatedTrace.listedFromNs(closer ?? options, of: reader), problem: numbers.problem?.reason)
  }

  /// Analyzes the baseline even if no rule needs it, because a user who names one expects it to be readable.
  private func base(_ rules: [GateRule], _ profile: Profile?) -> Gate.Baseline {
    guard let baseline else { return .notGiven }
    do {
      return .trace(try gated(baseline, rules, profile))
    } catch let failure as Failure {
      return .unusable(failure.reason)
    } catch {
      return .unusable("\(error)")
    }
  }
}
