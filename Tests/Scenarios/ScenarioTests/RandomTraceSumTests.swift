import Foundation
import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The sums of the analysis must be exact for anything that the model does.
@Suite struct RandomTraceSumTests {
  /// RLTRACE_MODEL_TRACES=10000 runs more scenarios.
  private static let scenarios =
    ProcessInfo.processInfo.environment["RLTRACE_MODEL_TRACES"].flatMap { Int($0) } ?? 500

  @Test(.optimizedBuild) func sumsClose() throws {
    var random = SeededGenerator(named: "model traces")
    for number in 0..<Self.scenarios {
      // Scenarios of the main loop have multiples of ten as seeds. In virtual time they need no separate process.
      let seed = random.next() % 1_000_000_007
      // With coarse units, many events happen at the same time.
      guard try sumsClose(seed: seed, number % 2 == 0 ? .ns10 : .us1, changesModes: false) else { return }
    }
  }

  /// Timers that join and leave modes, and one-shots with the same creation site.
  @Test(.optimizedBuild) func sumsOfTimersThatChangeModes() throws {
    var random = SeededGenerator(named: "model traces with changes of modes")
    for number in 0..<Self.scenarios {
      let seed = random.next() % 1_000_000_007
      guard try sumsClose(seed: seed, number % 2 == 0 ? .ns10 : .us1, ofOnePlace: number % 3 == 0) else {
        return
      }
    }
  }

  /// Seeds of past errors: a mode with the name of the common modes; a point that was dropped before one that was
  /// held back; points that the timer's own callout withdrew.
  @Test(arguments: [538_161_239, 395_605_317, 802_456_487]) func sumsThatOnceDidNotClose(seed: UInt64) throws
  {
    for unit in [TimeUnit.ns10, .us1] { _ = try sumsClose(seed: seed, unit, changesModes: false) }
  }

  /// Another thread adds a timer to its first mode at the moment of the fire.
  @Test(arguments: [841_554_388, 923_650_910]) func sumsOfAnAdditionAtTheMomentOfAFire(seed: UInt64) throws {
    for unit in [TimeUnit.ns10, .us1] { _ = try sumsClose(seed: seed, unit) }
  }

  /// Due points pass during the timer's own callout while another thread moves the timer. A term once wrapped.
  @Test func aTimerThatIsMovedInItsCallout() throws {
    let scenario = try ScenarioReader.read(
      """
      scenario: moved
      timers:
        - {name: t1, every: 1ms, modes: [default], do: [{cpu: 2780us}]}
      thread:
        - {run: {mode: default, for: 200ms}}
      others:
        - {at: 0ms, every: 46650us, until: 190ms, do: [{reschedule: {timer: t1, in: -15240us}}]}

      """)
    for unit in [TimeUnit.ns10, .us1] { _ = try sumsClose(scenario, unit, "moved") }
  }

  private func sumsClose(seed: UInt64, _ unit: TimeUnit, changesModes: Bool = true, ofOnePlace: Bool = false)
    throws -> Bool
  {
    try sumsClose(
      RandomScenario(seed: seed, changesModes: changesModes).scenario, unit,
      "scenario \(seed), \(TestSeed.note)", ofOnePlace: ofOnePlace)
  }

  /// `ofOnePlace`: all one-shots have the same creation site, so they are one class.
  private func sumsClose(
    _ scenario: Scenario, _ unit: TimeUnit, _ name: String, ofOnePlace: Bool = false
  ) throws -> Bool {
    let sink = MemorySink()
    _ = try VirtualRecording.record(
      scenario, sink: sink, unit: unit, codec: NoCodec(), stepLimit: 3000,
      siteOfTimer: { ofOnePlace && $0.intervalNs == 0 ? "one place" : $0.name })
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = 1_000_000
    options.replay.busyThresholdNs = 1_000_000
    let records = FactCollector()
    options.sink = records
    let analysis = try TraceAnalyzer(openTrace(sink.bytes), options: options).analyze()
    let note: Comment = "\(name)"
    guard analysis.timers.allSatisfy(closes) else {
      Issue.record(note)
      expectSumsToClose(analysis)
      return false
    }
    expectBlockersWithinBounds(analysis, note)
    let disagreements = disagreements(records, analysis, unit)
    #expect(disagreements == [], note)
    #expect(analysis.callouts.allSatisfy { $0.timeNs <= analysis.trace.durationNs * $0.count }, note)
    #expect(analysis.modes.allSatisfy { $0.busyNs + $0.waitingNs == $0.timeNs }, note)
    #expect(countedTwice(analysis) == [], note)
    return disagreements.isEmpty
  }

  /// Returns the differences between the individual records and the results.
  private func disagreements(_ records: FactCollector, _ analysis: Analysis, _ unit: TimeUnit) -> [String] {
    let unitNs = unit.nanoseconds
    let points = Dictionary(grouping: records.points, by: \.timer)
    var wrong: [String] = []
    func compare(_ what: @autoclosure () -> String, _ reported: UInt64?, _ result: UInt64?) {
      if reported != result {
        wrong.append("\(what()): reported \(reported as Any), result \(result as Any)")
      }
    }
    for timer in analysis.timers {
      guard let ledger = timer.ledger else { return ["timer \(timer.id) has no ledger"] }
      let mine = points[timer.id] ?? []
      func count(_ outcome: DueOutcome) -> UInt64 {
        mine.filter { $0.outcome == outcome }.reduce(0) { $0 + $1.count }
      }
      compare("fired of timer \(timer.id)", count(.fired), timer.fired)
      compare("skipped of timer \(timer.id)", count(.skipped), ledger.skipped)
      compare("withdrawn of timer \(timer.id)", count(.withdrawn), ledger.withdrawn)
      compare("pending of timer \(timer.id)", count(.pending), ledger.pending)
      for cause in Cause.allCases {
        let skipped = mine.filter { $0.outcome == .skipped && $0.cause == cause }
        compare(
          "\(cause) of timer \(timer.id)", mine.reduce(0) { $0 + $1.causes[cause.rawValue] } * unitNs,
          ledger.ledgerNs[cause])
        compare(
          "skipped by \(cause) of timer \(timer.id)", skipped.reduce(0) { $0 + $1.count },
          ledger.skippedBy[cause])
      }
      // Each skipped point has its own place on the grid.
      if mine.contains(where: { ($0.due ?? 0) > ($0.lastDue ?? 0) }) { wrong.append("grid of \(timer.id)") }
    }
    compare("passes", UInt64(records.passes.count), analysis.modes.reduce(0) { $0 + $1.passes })
    compare(
      "time of phases", records.phases.reduce(0) { $0 + $1.end - $1.start } * unitNs,
      analysis.modes.reduce(0) { $0 + $1.timeNs })
    compare("callouts", UInt64(records.callouts.count), analysis.callouts.reduce(0) { $0 + $1.count })
    for callout in records.callouts where callout.nested + callout.suspended > callout.end - callout.start {
      wrong.append("held longer than it was open: \(callout)")
    }
    compare(
      "time of callouts",
      records.callouts.reduce(0) { $0 &+ ($1.end &- $1.start &- $1.nested &- $1.suspended) } &* unitNs,
      analysis.callouts.reduce(0) { $0 &+ $1.timeNs })
    compare("runs", UInt64(records.runs.count), analysis.loops.reduce(0) { $0 + $1.runs })
    return wrong
  }

  /// Returns the results in which some time of a thread counts twice.
  private func countedTwice(_ analysis: Analysis) -> [String] {
    var wrong: [String] = []
    for (thread, rows) in Dictionary(grouping: analysis.callouts, by: \.thread)
    where rows.reduce(0, { $0 + $1.selfNs }) > analysis.trace.durationNs {
      wrong.append("callouts of thread \(thread)")
    }
    for gap in analysis.gaps {
      let parts = gap.callouts.reduce(0) { $0 + $1.selfNs }
      if gap.calloutNs > gap.durationNs || parts > gap.calloutNs { wrong.append("gap at \(gap.startNs)") }
    }
    for busy in analysis.busy {
      let parts = busy.callouts.reduce(0) { $0 + $1.selfNs }
      if busy.calloutNs + busy.outsideNs > busy.durationNs || parts > busy.calloutNs {
        wrong.append("busy at \(busy.startNs)")
      }
    }
    return wrong
  }

  /// Returns whether the sums are exact. Does not use the test macros, which take longer than the analysis.
  private func closes(_ timer: TimerResult) -> Bool {
    guard let ledger = timer.ledger else { return false }
    let sum = ledger.latenessNs.sum
    guard ledger.ledgerNs.values.allSatisfy({ $0 <= sum }),
      ledger.overdueByModeNs.allSatisfy({ $0.ns <= sum }),
      ledger.latenessNs.max <= 1 << 56
    else { return false }
    return ledger.due == timer.fired + ledger.skipped + ledger.withdrawn + ledger.pending
      && ledger.ledgerNs.values.reduce(0, +) == ledger.latenessNs.sum
      && ledger.overdueByModeNs.reduce(0) { $0 + $1.ns } == ledger.latenessNs.sum
      && ledger.skippedBy.values.reduce(0, +) == ledger.skipped
      && ledger.byMode.reduce(0) { $0 + $1.due } == ledger.due
  }

  private func expectBlockersWithinBounds(_ analysis: Analysis, _ note: Comment) {
    for timer in analysis.timers {
      guard let ledger = timer.ledger else { continue }
      #expect(ledger.byMode.reduce(0) { $0 + $1.fired } == timer.fired, note)
      #expect(ledger.byMode.reduce(0) { $0 + $1.skipped } == ledger.skipped, note)
      #expect(ledger.byMode.reduce(0) { $0 + $1.withdrawn } == ledger.withdrawn, note)
      #expect(ledger.byMode.reduce(0) { $0 + $1.pending } == ledger.pending, note)
      #expect(
        ledger.blockers.reduce(0) { $0 + $1.latenessNs } <= ledger.ledgerNs[.busy, default: 0], note)
      #expect(
        ledger.blockers.reduce(0) { $0 + $1.points } <= ledger.skippedBy[.busy, default: 0], note)
      #expect(
        timer.objects > 1 || !ledger.blockers.contains { $0.kind == "timer" && $0.name == timer.name }, note
      )
    }
  }
}
