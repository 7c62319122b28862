import TestSupport
import Testing
import TraceAnalysis

/// The processor time of the thread of a sampled gap, in traces written by hand.
@Suite struct AccountTests {
  private func analysis(_ recorder: String, _ options: AnalysisOptions = AnalysisOptions()) throws
    -> Analysis
  {
    try TraceAnalyzer(openTrace(AccountTrace.bytes(recorder)), options: options).analyze()
  }

  @Test func readingsOutsideTheGapAreABound() throws {
    let evidence = try #require(try analysis(AccountTrace.recorded()).stalls.first).evidence
    #expect(evidence.spanNs == 350_000_000)
    #expect(evidence.cpuNs == 85_000_000 && evidence.waitedNs == 265_000_000 && evidence.blockedNs == 0)
    #expect(evidence.cpuAtMostNs == 97_000_000 && evidence.waitedAtMostNs == 303_000_000)
    // Only the sample has the other data.
    #expect(evidence.state == "R" && evidence.minorFaults == 0 && evidence.systemCall == nil)
  }

  /// Without them, the uncovered parts of the gap are the bound: 9.98 ms before the first reading, 40.04 ms after the
  /// last.
  @Test func withoutThemTheLengthIsTheBound() throws {
    let evidence = try #require(try analysis(AccountTrace.recorded(hasOuter: false)).stalls.first).evidence
    #expect(evidence.waitedNs == 265_000_000)
    #expect(evidence.cpuAtMostNs == 135_020_000 && evidence.waitedAtMostNs == 315_020_000)
  }

  /// An account that shrinks is one of another thread, or damaged.
  @Test func anAccountThatShrinksIsNotUsed() throws {
    let shrinking = AccountTrace.recorded().replacing("cpu_ns=1097000000", with: "cpu_ns=5")
    let evidence = try #require(try analysis(shrinking).stalls.first).evidence
    #expect(evidence.cpuNs == 85_000_000 && evidence.cpuAtMostNs == 127_040_000)
  }

  /// Also those without a name.
  @Test func calloutsHaveTheSum() throws {
    let callouts = try analysis(AccountTrace.recorded()).callouts
    let row = try #require(callouts.first { $0.name == "source0 without a name" })
    let account = try #require(row.account)
    #expect(account.gaps == 1 && account.gapsNs == AccountTrace.gapNs && account.coveredNs == 350_000_000)
    #expect(account.cpuNs == 85_000_000 && account.waitedNs == 265_000_000 && account.blockedNs == 0)
    #expect(account.cpuAtMostNs == 97_000_000 && account.waitedAtMostNs == 303_000_000)
    #expect(account.waitsNs.isEmpty)
  }

  @Test(arguments: ["", "560000 thread.stack thread=1 reason=1 frame=0x1010\n"])
  func withoutReadingsNothingIsKnown(recorder: String) throws {
    let analysis = try analysis(recorder)
    #expect(analysis.callouts.allSatisfy { $0.account == nil })
    #expect(analysis.stalls.allSatisfy { $0.evidence.cpuNs == nil && $0.evidence.cpuAtMostNs == nil })
  }

  /// A state that is older than the recording counts from the recording's begin.
  @Test func anAbsurdAgeIsHarmless() throws {
    let absurd = AccountTrace.recorded().replacing("age_ns=160000000", with: "age_ns=\(UInt64.max - 1)")
    let evidence = try #require(try analysis(absurd).stalls.first).evidence
    #expect(evidence.cpuAtMostNs == 97_000_000)
  }

  /// The thread had a processor for a quarter of the time: that is not the program's fault.
  @Test func aGapOverTheLimitNamesTheMachine() throws {
    var options = AnalysisOptions()
    options.profile = .interactive
    let analysis = try analysis(AccountTrace.recorded(), options)
    #expect(findingFaults(analysis) == [])
    for rule in [RuleID.hang, .overLimit] {
      let finding = try #require(analysis.findings.first { $0.rule == rule }, "\(rule)")
      #expect(finding.remedy.hasPrefix("Other threads or programs used the processor."), "\(finding.remedy)")
    }
    let gap = try #require(analysis.findings.first { $0.rule == .overLimit })
    #expect(
      gap.text.contains("had a processor for 24.3 % of the time and waited for one for 75.7 %"), "\(gap.text)"
    )
  }

  /// A thread that was blocked for most of the time did not lack a processor.
  @Test func aBlockedThreadDoesNotNameTheMachine() throws {
    let blocked = AccountTrace.recorded().replacing("waited_ns=273000000", with: "waited_ns=98000000")
    let analysis = try analysis(blocked)
    #expect(analysis.stalls.first?.evidence.blockedNs == 175_000_000)
    #expect(analysis.findings.allSatisfy { !$0.text.contains("the machine was busy") })
  }
}
