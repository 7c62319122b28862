import Foundation
import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The books of the analysis close on whatever the model does.
@Suite struct RandomTraceSumTests {
  /// RLTRACE_MODEL_TRACES=10000 for a longer look.
  private static let scenarios =
    ProcessInfo.processInfo.environment["RLTRACE_MODEL_TRACES"].flatMap { Int($0) } ?? 1000

  @Test func sumsClose() throws {
    var random = SeededGenerator(named: "model traces")
    for number in 0..<Self.scenarios {
      // Those of the main loop are multiples of ten; in virtual time they need no process.
      let seed = random.next() % 1_000_000_007
      let sink = MemorySink()
      // With coarse units much comes at the same moment.
      let unit: TimeUnit = number % 2 == 0 ? .ns10 : .us1
      _ = try VirtualRecording.record(
        RandomScenario(seed: seed).scenario, sink: sink, unit: unit, codec: NoCodec(),
        stepLimit: 3000)
      var options = AnalysisOptions()
      let records = RecordCollector()
      options.observer = records
      let analysis = try TraceAnalyzer(openTrace(sink.bytes), options: options).analyze()
      let before = analysis.timers.contains { !closes($0) }
      #expect(!before, "scenario \(seed), \(TestSeed.note)")
      if before { return expectSumsToClose(analysis) }
      #expect(recordsAgree(records, analysis, unit), "scenario \(seed), \(TestSeed.note)")
      #expect(
        analysis.callouts.allSatisfy { $0.timeNs <= analysis.trace.durationNs * $0.count }, "scenario \(seed)"
      )
      #expect(analysis.modes.allSatisfy { $0.busyNs + $0.waitingNs == $0.timeNs }, "scenario \(seed)")
    }
  }

  /// What was told one by one adds up to the results.
  private func recordsAgree(_ records: RecordCollector, _ analysis: Analysis, _ unit: TimeUnit) -> Bool {
    let unitNs = unit.nanoseconds
    let points = Dictionary(grouping: records.points, by: \.timer)
    for timer in analysis.timers {
      guard let ledger = timer.ledger else { return false }
      let mine = points[timer.id] ?? []
      func count(_ outcome: PointRecord.Outcome) -> UInt64 {
        mine.filter { $0.outcome == outcome }.reduce(0) { $0 + $1.count }
      }
      guard count(.fired) == timer.fired, count(.skipped) == ledger.skipped,
        count(.withdrawn) == ledger.withdrawn, count(.pending) == ledger.pending
      else { return false }
      for cause in Cause.allCases {
        let late = mine.reduce(0) { $0 + $1.causes[cause.rawValue] }
        let skipped = mine.filter { $0.outcome == .skipped && $0.cause == cause }.reduce(0) { $0 + $1.count }
        guard late * unitNs == ledger.ledgerNs[cause], skipped == ledger.skippedBy[cause] else {
          return false
        }
      }
      // Every skipped point has a place of its own on the grid.
      guard mine.allSatisfy({ ($0.due ?? 0) <= ($0.lastDue ?? 0) }) else { return false }
    }
    return analysis.modes.reduce(0) { $0 + $1.passes } == records.passes.count
      && analysis.modes.reduce(0) { $0 + $1.timeNs }
        == records.phases.reduce(0) { $0 + $1.end - $1.start } * unitNs
      && analysis.callouts.reduce(0) { $0 + $1.count } == records.callouts.count
      && analysis.callouts.reduce(0) { $0 + $1.timeNs }
        == records.callouts.reduce(0) { $0 + $1.end - $1.start - $1.nested - $1.suspended } * unitNs
      && analysis.loops.reduce(0) { $0 + $1.runs } == records.runs.count
  }

  /// Without the macros, which take longer than the analysis.
  private func closes(_ timer: TimerResult) -> Bool {
    guard let ledger = timer.ledger else { return false }
    return ledger.due == timer.fired + ledger.skipped + ledger.withdrawn + ledger.pending
      && ledger.ledgerNs.values.reduce(0, +) == ledger.latenessNs.sum
      && ledger.overdueByModeNs.reduce(0) { $0 + $1.ns } == ledger.latenessNs.sum
      && ledger.skippedBy.values.reduce(0, +) == ledger.skipped
      && ledger.byMode.reduce(0) { $0 + $1.due } == ledger.due
  }
}
