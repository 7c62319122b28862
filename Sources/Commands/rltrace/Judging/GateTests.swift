import JudgementReport
import TraceAnalysis
import TraceFormat
import TraceGate

/// `gate --per-test`: rules for each test of a recorded test run.
extension GateCommand {
  func judgeTests(
    of file: String, _ rules: [GateRule], _ profile: Profile?, isBuiltInBudget: Bool
  ) throws {
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    let tests: [TestGate]
    do throws(TraceFormatError) {
      // Reading all events once shows whether the trace is damaged.
      try reader.verify()
      let problem = reader.problem.map { Failure.incomplete(file, $0, reader).reason }
      tests = try TestGate.all(in: reader, rules, Self.options(profile), problem: problem)
    } catch {
      throw Failure.reading(file, error)
    }
    try FileUse.check()
    if tests.contains(where: { $0.test == nil }) {
      Terminal.complain(
        "\(harmless(file, limit: 200)) holds no test with a budget: the whole trace is judged")
    }
    var out = OutputBuffer()
    switch format {
    case .json:
      try out.line(try TestGateJSON.document.encode([(tests, file, isBuiltInBudget)]))
    case .github: try out.write(AnnotationReport(tests, file: file, root: .current).github)
    case .gitlab: try out.write(AnnotationReport(tests, file: file, root: .current).gitlab)
    case .text, .markdown:
      let builtIn = isBuiltInBudget ? try GateBudget.text(rules) : nil
      for line in TestGateText(tests, style: color.style).lines(builtInBudget: builtIn) {
        try out.line(line)
      }
    }
    try Self.end(&out, tests.outcome)
  }
}
