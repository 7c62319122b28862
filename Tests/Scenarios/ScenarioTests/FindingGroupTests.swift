import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis

/// Findings of one rule about several subjects.
@Suite struct FindingGroupTests {
  /// Returns an analysis with one timer per entry: its cause, the number of missed fires in 100, and the blocker or
  /// mode.
  private func analysis(_ timers: [(cause: Cause, missed: UInt64, who: String)]) throws -> Analysis {
    var analysis = try HandTrace(main: HandTrace.tick(due: 5000) + HandTrace.asleep).analysis()
    let model = try #require(analysis.timers.first { $0.ledger != nil })
    analysis.timers = timers.enumerated().map { number, timer in
      var result = model
      result.id = number
      result.names = ["timer \(number)"]
      result.intervalNs = 10_000_000
      result.longestIntervalNs = 10_000_000
      result.modes = [ModeName.default]
      result.fired = 100 - timer.missed
      result.ledger?.due = 100
      result.ledger?.skipped = timer.missed
      result.ledger?.skippedBy = [timer.cause: timer.missed]
      result.ledger?.longestMissedNs = timer.missed * 10_000_000
      result.ledger?.longestMissedByNs = [timer.cause: timer.missed * 10_000_000]
      if timer.cause == .wrongMode { result.ledger?.wrongModeBy = [(timer.who, timer.missed)] }
      return result
    }
    analysis.findings = FindingRules.findings(in: analysis)
    analysis.verdict = Verdict(analysis)
    return analysis
  }

  private let tracking = "UITrackingRunLoopMode"

  @Test func timersThatStarveForOneCauseAreOneFinding() throws {
    let analysis = try analysis([
      (.wrongMode, 50, tracking), (.wrongMode, 90, tracking), (.wrongMode, 20, tracking),
      (.wrongMode, 30, tracking), (.wrongMode, 10, tracking),
    ])
    let found = try #require(analysis.findings.first)
    #expect(analysis.findings.count == 1 && found.findings == 5 && found.members.count == 5)
    #expect(found.title == "5 timers starve in a mode that they are not in")
    #expect(
      found.text == """
        5 timers starve in a mode that they are not in (200 of 500 fires missed while the loop ran \
        "UITrackingRunLoopMode"): "timer 1", "timer 0", "timer 3" and 2 others.
        """)
    #expect(found.headline?.value == "200 of 500")
    #expect(found.members.map(\.subject) == ["timer 1", "timer 0", "timer 3", "timer 2", "timer 4"])
    #expect(analysis.verdict.also.isEmpty)
    let text = AnalysisText(analysis, gapThresholdNs: 0, style: TextStyle(isColoured: false)).lines(file: "x")
    #expect(text.contains { $0.hasSuffix("90 of 100  timer 1, every 10.0 ms") }, "\(text)")
  }

  @Test func anotherCauseSeverityOrRemedyIsAnotherFinding() throws {
    let analysis = try analysis([
      (.wrongMode, 50, tracking), (.wrongMode, 50, tracking), (.wrongMode, 1, tracking),
      (.wrongMode, 50, "another tracking mode, UITracking"), (.notRunning, 40, ""), (.notRunning, 30, ""),
    ])
    #expect(
      analysis.findings.map { "\($0.severity.name) \($0.rule.rawValue) \($0.findings)" } == [
        "error RL001 2", "error RL005 2", "error RL001 1", "warning RL001 1",
      ])
    #expect(
      analysis.verdict.also == """
        Also: 2 timers skip fires while their loops do not run, 70 of 200 fires missed; timer starves in a mode that \
        it is not in, 50 of 100 fires missed ("timer 3"); and 1 more finding.
        """, "\(analysis.verdict.also)")
  }

  /// The first finding of each rule comes before the second of any other rule, however severe that one is.
  @Test func eachRuleHasAPlaceBeforeAnyHasTwo() throws {
    let analysis = try analysis([
      (.wrongMode, 90, tracking), (.wrongMode, 80, "UITracking 2"), (.wrongMode, 70, "UITracking 3"),
      (.notRunning, 8, ""), (.ownCallout, 9, ""),
    ])
    let warnings = analysis.findings.filter { $0.severity == .warning }.map(\.rule)
    #expect(Set(warnings).count == warnings.count)
    #expect(analysis.findings.prefix(3).allSatisfy { $0.rule == .starvedByMode && $0.severity == .error })
    #expect(analysis.verdict.moreFaults == UInt64(analysis.findings.count { $0.severity < .info }) - 3)
  }

  @Test func theRestOfManyIsOneFinding() throws {
    let analysis = try analysis((0..<20).map { (.wrongMode, 90 - $0, "UITracking \($0)") })
    let found = analysis.findings.filter { $0.rule == .starvedByMode }
    #expect(found.count == FindingLimits.ofOneRule + 1)
    #expect(
      found.last?.text.hasPrefix(
        "14 more findings of this rule are like those above; they are about \"timer 6\"")
        == true,
      "\(found.last?.text ?? "")")
    #expect(found.reduce(0) { $0 + $1.findings } == 20)
  }
}
