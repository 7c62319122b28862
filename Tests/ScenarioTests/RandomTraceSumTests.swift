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
      let analysis = try TraceAnalyzer(openTrace(sink.bytes)).analyze()
      let before = analysis.timers.contains { !closes($0) }
      #expect(!before, "scenario \(seed), \(TestSeed.note)")
      if before { return expectSumsToClose(analysis) }
      #expect(
        analysis.callouts.allSatisfy { $0.timeNs <= analysis.trace.durationNs * $0.count }, "scenario \(seed)"
      )
      #expect(analysis.modes.allSatisfy { $0.busyNs + $0.waitingNs == $0.timeNs }, "scenario \(seed)")
    }
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
