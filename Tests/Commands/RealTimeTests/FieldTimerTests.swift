import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Timers of programs that once got wrong results, on the real loop.
@Suite(.ownThread) struct FieldTimerTests {
  private func analysis(_ program: String) throws -> Analysis {
    let run = try RecordedProgram(Program("field-programs"), [program])
    #expect(run.recorded.status == 0)
    return try TraceAnalyzer(openTrace(path: run.trace)).analyze()
  }

  /// Removing a timer of the default mode from the common modes has no effect. The timer starves during two seconds
  /// of another mode.
  @Test func removeFromCommon() throws {
    let analysis = try analysis("remove-from-common")
    expectSumsToClose(analysis)
    let timer = try #require(analysis.timers.first { $0.intervalNs == 10_000_000 })
    let ledger = try #require(timer.ledger)
    #expect(ledger.due > 200 && ledger.skippedBy[.wrongMode, default: 0] > 150)
    #expect(timer.modes == [ModeName.default])
    #expect(analysis.findings.contains { $0.rule == .starvedByMode && $0.timer == timer.id })
    #expect(analysis.verdict.rule == .starvedByMode)
  }

  /// Ten one-shots with the same creation site: their overdue times are not added up.
  @Test func overdueOneShots() throws {
    let analysis = try analysis("overdue-one-shots")
    expectSumsToClose(analysis)
    let timer = try #require(analysis.timers.first { $0.intervalNs == 0 })
    let ledger = try #require(timer.ledger)
    #expect(timer.objects == 10 && ledger.pending == 10)
    #expect(ledger.pendingOverdueNs < analysis.trace.durationNs)
    let finding = try #require(analysis.findings.first { $0.rule == .overdueAtEnd })
    #expect(finding.text.hasPrefix("10 timers "), "\(finding.text)")
  }
}
