import TestSupport
import Testing
import TraceAnalysis

/// The limits of the built-in profiles, each just below it and at it.
@Suite struct ProfileLimitTests {
  private func findings(_ rule: RuleID, _ main: String, _ profile: Profile) throws -> [Finding] {
    var options = AnalysisOptions()
    options.profile = profile
    options.replay.gapThresholdNs = profile.listedFromNs
    let analysis = try HandTrace(main: main).analysis(options)
    #expect(findingFaults(analysis) == [])
    return analysis.findings.filter { $0.rule == rule }
  }

  /// A source0 that takes a time, in microseconds.
  @Test(
    arguments: [(2_900_000, nil), (3_000_000, .warning), (9_900_000, .warning), (10_000_000, .error)]
      as [(Int, Finding.Severity?)])
  func twoTiersOfStutter(length: Int, severity: Finding.Severity?) throws {
    let found = try findings(.overLimit, HandTrace.held(at: 0, for: length), .stutter)
    #expect(found.map(\.severity) == [severity].compactMap { $0 })
    if severity == .warning { #expect(found.first?.text.contains("a stutter (3.00 s or more)") == true) }
  }

  /// A background task that takes a time, in seconds.
  private func task(_ seconds: Int, _ profile: Profile, ends how: String = "end") throws -> [Finding] {
    try findings(
      .backgroundTotal,
      "0 lifeCycle phase=4\n0 backgroundTask.begin #60 name=4 budget_ns=0\n"
        + HandTrace.held(at: 10, for: 100)
        + "\(seconds)000000 backgroundTask.\(how) #60\n", profile)
  }

  @Test func aTaskHasThreeMinutes() throws {
    #expect(try task(89, .watchdog).isEmpty)
    #expect(try task(90, .watchdog).map(\.severity) == [.info])
    let over = try #require(try task(180, .watchdog).first)
    #expect(over.severity == .error && over.text.contains("100 % of the 180 s"))
    #expect(over.text.hasSuffix("that profile \"watchdog\" allows for each task."))
    // RL018 reports it.
    #expect(try task(180, .watchdog, ends: "expired").isEmpty)
  }

  @Test func beforeIOS7AllTasksHadTenMinutes() throws {
    #expect(try task(299, .watchdogIOS6).isEmpty)
    let half = try #require(try task(300, .watchdogIOS6).first)
    #expect(half.severity == .warning && half.text.contains("50.0 % of the 600 s"))
    #expect(try task(600, .watchdogIOS6).map(\.severity) == [.error])
  }
}
