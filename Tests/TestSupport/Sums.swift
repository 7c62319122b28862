import Testing
import TraceAnalysis

/// The sums that docs/analysis.md promises to be exact.
public func expectSumsToClose(_ analysis: Analysis, sourceLocation: SourceLocation = #_sourceLocation) {
  for mode in analysis.modes {
    #expect(mode.busyNs + mode.waitingNs == mode.timeNs, sourceLocation: sourceLocation)
    #expect(mode.phasesNs.values.reduce(0, +) == mode.timeNs, sourceLocation: sourceLocation)
    #expect(mode.passNs.count == mode.passes, sourceLocation: sourceLocation)
  }
  for loop in analysis.loops {
    let modes = analysis.modes.filter { $0.loop == loop.loop && $0.thread == loop.thread.index }
    #expect(modes.reduce(0) { $0 + $1.timeNs } == loop.timeNs, sourceLocation: sourceLocation)
  }
  for timer in analysis.timers {
    guard let ledger = timer.ledger else { continue }
    #expect(
      ledger.due == timer.fired + ledger.skipped + ledger.withdrawn + ledger.pending, "timer \(timer.name)",
      sourceLocation: sourceLocation)
    #expect(ledger.skippedBy.values.reduce(0, +) == ledger.skipped, sourceLocation: sourceLocation)
    #expect(
      ledger.wrongModeBy.reduce(0) { $0 + $1.count } == ledger.skippedBy[.wrongMode],
      sourceLocation: sourceLocation)
    #expect(ledger.latenessNs.count == timer.fired, sourceLocation: sourceLocation)
    #expect(ledger.ledgerNs.values.reduce(0, +) == ledger.latenessNs.sum, sourceLocation: sourceLocation)
    #expect(ledger.byMode.reduce(0) { $0 + $1.due } == ledger.due, sourceLocation: sourceLocation)
    #expect(ledger.byMode.reduce(0) { $0 + $1.skipped } == ledger.skipped, sourceLocation: sourceLocation)
    #expect(
      ledger.byMode.map(\.worstLatenessNs).max() ?? 0 == ledger.latenessNs.max, sourceLocation: sourceLocation
    )
    let blamed = ledger.blockers.reduce(0) { $0 + $1.latenessNs }
    #expect(
      blamed <= ledger.ledgerNs[.busy, default: 0], "timer \(timer.name)", sourceLocation: sourceLocation)
    #expect(
      ledger.overdueByModeNs.reduce(0) { $0 + $1.ns } == ledger.latenessNs.sum, "timer \(timer.name)",
      sourceLocation: sourceLocation)
  }
}
