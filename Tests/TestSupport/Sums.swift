import Testing
import TraceAnalysis

/// Expects the sums that docs/reference/numbers.md promises to be exact.
package func expectSumsToClose(_ analysis: Analysis, sourceLocation: SourceLocation = #_sourceLocation) {
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
    // A sum may be right although a term wrapped.
    let terms = Array(ledger.ledgerNs.values) + ledger.overdueByModeNs.map(\.ns)
    let isBounded = terms.allSatisfy { $0 <= ledger.latenessNs.sum }
    #expect(isBounded, "timer \(timer.name)", sourceLocation: sourceLocation)
    guard isBounded else { return }
    #expect(ledger.skippedBy.values.allSatisfy { $0 <= ledger.skipped }, sourceLocation: sourceLocation)
    #expect(ledger.latenessNs.max <= analysis.trace.toNs, sourceLocation: sourceLocation)
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
  for gap in analysis.gaps {
    expectShares(
      gap.callouts, gap.calloutCount, gap.calloutNs, outside: 0, of: gap.durationNs, sourceLocation)
  }
  for interval in analysis.busy {
    expectShares(
      interval.callouts, interval.calloutCount, interval.calloutNs, outside: interval.outsideNs,
      of: interval.durationNs, sourceLocation)
  }
}

/// Expects that the callouts of a gap or busy interval are ranked, and that their times together do not exceed it.
private func expectShares(
  _ callouts: [SpanCalloutResult], _ count: UInt64, _ calloutNs: UInt64, outside: UInt64, of whole: UInt64,
  _ sourceLocation: SourceLocation
) {
  #expect(outside <= whole && calloutNs <= whole - outside, sourceLocation: sourceLocation)
  #expect(callouts.reduce(0) { $0 + $1.selfNs } <= calloutNs, sourceLocation: sourceLocation)
  let isEach = callouts.allSatisfy { $0.selfNs <= $0.durationNs && $0.durationNs <= whole }
  #expect(isEach, sourceLocation: sourceLocation)
  let isOrdered = zip(callouts, callouts.dropFirst()).allSatisfy { $0.selfNs >= $1.selfNs }
  #expect(isOrdered, sourceLocation: sourceLocation)
  let recorded = callouts.filter { $0.kind != "observers" }.reduce(0) { $0 + $1.count }
  #expect(recorded <= count, sourceLocation: sourceLocation)
}

/// Expects that the rows of the values that split an analysis add up to its other rows.
package func expectValuesToAddUp(
  _ analysis: Analysis, _ note: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard let split = analysis.split else {
    Issue.record("the analysis is not split", sourceLocation: sourceLocation)
    return
  }
  func expect(_ parts: [String: [UInt64]], _ whole: [String: [UInt64]]) {
    #expect(parts == whole, note, sourceLocation: sourceLocation)
  }
  func sums<Row>(
    _ rows: [Row], _ read: (Row) -> (key: String, numbers: [UInt64])
  ) -> [String: [UInt64]] {
    var sums: [String: [UInt64]] = [:]
    for row in rows {
      let (key, numbers) = read(row)
      guard numbers.contains(where: { $0 > 0 }) else { continue }
      let sum = sums[key] ?? numbers.map { _ in 0 }
      sums[key] = zip(sum, numbers).map { $0 + $1 }
    }
    return sums
  }
  expect(
    sums(split.modes) {
      ("\($0.mode) \($0.thread)", [$0.timeNs, $0.waitingNs, $0.passNs.count, $0.passNs.sum])
    },
    sums(analysis.modes) { ("\($0.mode) \($0.thread)", [$0.timeNs, $0.waitingNs, $0.passes, $0.passNs.sum]) })
  expect(
    sums(split.callouts) { ("\($0.kind) \($0.name) \($0.thread)", [$0.count, $0.timeNs]) },
    sums(analysis.callouts) { ("\($0.kind) \($0.name) \($0.thread)", [$0.count, $0.timeNs]) })
  expect(
    sums(split.timers) { row in
      let points = row.points ?? SplitResults.Points()
      return (
        "\(row.timer ?? -1)",
        [row.fired, points.due, points.skipped, points.withdrawn, points.pending, points.latenessNs.sum]
          + Cause.allCases.flatMap { [points.ledgerNs[$0] ?? 0, points.skippedBy[$0] ?? 0] }
      )
    },
    sums(analysis.timers) { timer in
      let ledger = timer.ledger ?? TimerLedgerResult()
      return (
        "\(timer.id)",
        [timer.fired, ledger.due, ledger.skipped, ledger.withdrawn, ledger.pending, ledger.latenessNs.sum]
          + Cause.allCases.flatMap { [ledger.ledgerNs[$0] ?? 0, ledger.skippedBy[$0] ?? 0] }
      )
    })
  expect(
    sums(split.frames) { row in
      let time = row.hitchTime
      return (
        "\(row.timer ?? -1)",
        [row.frames, row.onTime, row.late, time.hitches, time.hitchNs, time.activeNs]
      )
    },
    sums(analysis.frames.sources) {
      ("\($0.timer)", [$0.frames, $0.onTime, $0.late, $0.hitches, $0.hitchNs, $0.activeNs])
    })
  let gaps = split.modes.reduce(0) { $0 + $1.gaps }
  #expect(gaps == UInt64(analysis.gaps.count + analysis.gapsOmitted), note, sourceLocation: sourceLocation)
  let frames = split.values.reduce(HitchTime()) { $0.adding($1.frames) }
  let whole = analysis.frames.judged.hitchTime
  #expect(
    [frames.hitches, frames.hitchNs, frames.activeNs] == [whole.hitches, whole.hitchNs, whole.activeNs], note,
    sourceLocation: sourceLocation)
  let time = split.values.reduce(0) { $0 + $1.timeNs } + analysis.trace.suspendedNs
  #expect(time == analysis.trace.toNs - analysis.trace.fromNs, note, sourceLocation: sourceLocation)
}
