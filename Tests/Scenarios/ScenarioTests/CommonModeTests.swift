import Foundation
import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// CoreFoundation's rules for the common modes, and how the analysis follows them (ModeMembership).
@Suite struct CommonModeTests {
  static func analysis(_ scenario: Scenario, unit: TimeUnit = .ns10) throws -> Analysis {
    let sink = MemorySink()
    // All timers whose names begin with "one of many" have the same creation site.
    _ = try VirtualRecording.record(
      scenario, sink: sink, unit: unit, codec: NoCodec(),
      siteOfTimer: { $0.name.hasPrefix("one of many") ? "one place" : $0.name })
    let analysis = try TraceAnalyzer(openTrace(sink.bytes)).analyze()
    expectSumsToClose(analysis)
    return analysis
  }

  private static func analysis(_ text: String) throws -> Analysis {
    try analysis(ScenarioReader.read(text))
  }

  private static func timer(_ name: String, _ analysis: Analysis) throws -> (TimerResult, TimerLedgerResult) {
    let row = try #require(analysis.timers.first { $0.name == name })
    return (row, try #require(row.ledger))
  }

  /// Returns the ledger of a timer of 10 ms that `changes` move between modes. The loop runs the default mode,
  /// the tracking mode and `third` for about 50 ms each.
  private func starved(modes: String, third: String = "default", changes: [String]) throws
    -> TimerLedgerResult
  {
    let steps = changes.map { "{\($0)}" }.joined(separator: ", ")
    let analysis = try Self.analysis(
      """
      scenario: membership
      common modes: [tracking]
      timers:
        - {name: t, every: 10ms, modes: \(modes), do: []}
        - {name: k, every: 9ms, modes: [default, tracking, third], do: []}
      thread:
        - {run: {mode: default, for: 55ms}}
        - {run: {mode: tracking, for: 50ms}}
        - {run: {mode: \(third), for: 50ms}}
      others:
        - {at: 15ms, do: [\(steps)]}

      """)
    return try Self.timer("t", analysis).1
  }

  @Test func anItemThatIsNotCommonStaysInItsMode() throws {
    let ledger = try starved(modes: "[default]", changes: ["remove: {item: t, modes: [common]}"])
    #expect(ledger.due == 15 && ledger.skippedBy[.wrongMode] == 4 && ledger.withdrawn == 0)
  }

  @Test func aCommonItemLeavesEveryCommonMode() throws {
    let ledger = try starved(modes: "[common, default]", changes: ["remove: {item: t, modes: [common]}"])
    #expect(ledger.due == 1)
  }

  @Test func aCommonItemThatLeavesOneModeIsInTheOthers() throws {
    let ledger = try starved(modes: "[common]", changes: ["remove: {item: t, modes: [tracking]}"])
    #expect(ledger.due == 15 && ledger.skippedBy[.wrongMode] == 4)
  }

  @Test func aModeThatBecomesCommonLaterGetsTheCommonItems() throws {
    let left = try starved(
      modes: "[common]", third: "third",
      changes: ["remove: {item: t, modes: [tracking]}", "common mode: third"])
    #expect(left.skippedBy[.wrongMode] == 4 && left.due == 15)
    // An item that never was a common item, and an item that no longer is one.
    let never = try starved(modes: "[default, tracking]", third: "third", changes: ["common mode: third"])
    #expect(never.skippedBy[.wrongMode] == 4 && never.pending + never.withdrawn == 1)
    let none = try starved(
      modes: "[common]", third: "third",
      changes: ["remove: {item: t, modes: [common]}", "common mode: third"])
    #expect(none.due == 1)
  }

  @Test func aCommonItemInNoModeIsNotDue() throws {
    let ledger = try starved(
      modes: "[common]", third: "third",
      changes: [
        "remove: {item: t, modes: [tracking]}", "remove: {item: t, modes: [default]}", "common mode: third",
      ])
    // From 15 ms on, the timer is in the third mode only.
    #expect(ledger.due == 15 && ledger.skippedBy[.wrongMode] == 8)
  }

  /// A timer class counts as common only if the timer is in all common modes.
  @Test func theModesOfAClass() throws {
    let analysis = try Self.analysis(
      """
      scenario: classes
      common modes: [tracking]
      timers:
        - {name: all, every: 10ms, modes: [common]}
      thread:
        - {remove: {item: all, modes: [tracking]}}
        - {run: {mode: default, for: 55ms}}

      """)
    let (row, _) = try Self.timer("all", analysis)
    #expect(row.objects == 1 && !row.isCommon && row.modes == [ModeName.default])
  }

  // MARK: Time that could count twice

  /// The time belongs to the observer of the nested run's Exit, not to the source around the run.
  @Test func observersOfANestedExitAreNotTheSourceAroundIt() throws {
    let analysis = try Self.analysis(
      """
      scenario: exit observer
      common modes: [tracking]
      sources:
        - {name: s, order: 0, modes: [default], do: [{cpu: 20ms}, {run: {mode: tracking, for: 20ms}}, {cpu: 30ms}]}
      timers:
        - {name: t, every: 10ms, modes: [tracking], do: [{cpu: 1ms}]}
      observers:
        - {name: o, at: [Exit], order: 0, modes: [tracking], do: [{cpu: 400ms}]}
      thread:
        - {run: {mode: default, for: 600ms}}
      others:
        - {at: 50ms, do: [{signal: s}, "wake up"]}

      """)
    let gap = try #require(analysis.gaps.first)
    #expect(gap.durationNs == 430_000_000 && gap.calloutNs == 430_000_000)
    #expect(gap.callouts.map(\.name) == ["o", "s"])
    #expect(gap.callouts.map(\.selfNs) == [400_000_000, 30_000_000])
    let busy = try #require(analysis.busy.first { $0.durationNs > 250_000_000 })
    #expect(busy.calloutNs <= busy.durationNs)
    #expect(busy.callouts.first?.name == "o" && busy.callouts.first?.selfNs == 400_000_000)
    #expect(analysis.findings.contains { $0.text.contains("observer \"o\" took 400 ms") })
  }

  // MARK: Due points that two threads decide

  /// Another thread moves a timer to the present, and it fires at that moment. The event of the fire comes first in
  /// the trace.
  @Test func aMoveAtTheMomentOfTheFire() throws {
    let analysis = try Self.analysis(
      """
      scenario: stale
      timers:
        - {name: t, every: 50ms, modes: [default], do: []}
        - {name: k, every: 10ms, modes: [modal], do: [{cpu: 100us}]}
      thread:
        - {run: {mode: modal, for: 120ms}}
        - {run: {mode: default, for: 400ms}}
      others:
        - {at: 230ms, do: [{reschedule: {timer: t, in: 0s}}]}

      """)
    let (row, ledger) = try Self.timer("t", analysis)
    // Fires at 120 (the point at 50; 100 is skipped), 150, 200, 230, 280, 330, 380, 430 and 480.
    #expect(row.fired == 9 && ledger.due == 10)
    #expect(ledger.skipped == 1 && ledger.skippedBy[.wrongMode] == 1 && ledger.withdrawn == 0)
    let byMode = ledger.byMode.map { "\($0.mode) \($0.fired) \($0.skipped)" }.sorted()
    #expect(byMode == ["kCFRunLoopDefaultMode 8 0", "modal 1 1"])
  }

  /// An overdue timer is moved to the present: its old point is withdrawn.
  @Test func anOverdueTimerThatIsMovedToNow() throws {
    let analysis = try Self.analysis(
      """
      scenario: moved to now
      timers:
        - {name: t, every: 50ms, modes: [default], do: []}
        - {name: k, every: 10ms, modes: [modal], do: [{cpu: 100us}]}
      thread:
        - {run: {mode: modal, for: 120ms}}
        - {run: {mode: default, for: 100ms}}
      others:
        - {at: 113ms, do: [{reschedule: {timer: t, in: 0s}}]}

      """)
    let (row, ledger) = try Self.timer("t", analysis)
    // Due at 50 and 100; then at 113, which fires at 120, at 163 and at 213.
    #expect(row.fired == 3 && ledger.withdrawn == 1 && ledger.skipped == 1 && ledger.due == 5)
    #expect(ledger.ledgerNs[.unknown] == 0)
  }

  /// Another thread adds a timer whose point has passed, and it fires at that moment.
  @Test func anAdditionAtTheMomentOfTheFire() throws {
    let analysis = try Self.analysis(
      """
      scenario: added
      timers:
        - {name: t, every: 50ms, modes: [default], do: []}
        - {name: k, every: 10ms, modes: [default], do: [{cpu: 100us}]}
      thread:
        - {remove: {item: t, modes: [default]}}
        - {run: {mode: default, for: 400ms}}
      others:
        - {at: 233ms, do: [{add: {item: t, modes: [default]}}]}

      """)
    let (row, ledger) = try Self.timer("t", analysis)
    // Fires at 233 (the point at 50, in no mode until then), 250, 300 and 350; 400 may be too late.
    #expect(row.fired >= 4 && ledger.latenessNs.max == 0 && ledger.skipped == 0)
  }

  /// The next point lies at the end of the callout, and the timer is moved at that moment. The point still counts as
  /// dropped.
  @Test func aDroppedPointCountsThoughTheTimerIsMoved() throws {
    let analysis = try Self.analysis(
      """
      scenario: dropped
      timers:
        - {name: t, every: 10ms, modes: [default], do: [{cpu: 10ms}]}
      sources:
        - {name: s, order: 0, modes: [default], do: [{reschedule: {timer: t, in: 5ms}}]}
      thread:
        - {run: {mode: default, for: 58ms}}
      others:
        - {at: 15ms, do: [{signal: s}]}

      """)
    let (row, ledger) = try Self.timer("t", analysis)
    // 10, 25 and 45 fire; 20, 35 and 55 are dropped.
    #expect(row.fired == 3 && ledger.skipped == 3 && ledger.due == 6)
    #expect(ledger.skippedBy[.ownCallout] == 3)
  }

  // MARK: Timers with one creation site

  @Test func overdueTimesOfOneClassAreNotAddedUp() throws {
    let many = (20..<30).map {
      "0 timer.create #\($0) name=2 interval_ns=0 tolerance_ns=0 due=100000 site=3\n"
        + "0 timer.add #\($0) mode=2 loop=1\n"
    }
    let analysis = try HandTrace(
      main: many.joined() + HandTrace.asleep, recorder: "2000000 mark name=9"
    ).analysis()
    let row = try #require(analysis.timers.first { $0.objects == 10 })
    let ledger = try #require(row.ledger)
    #expect(ledger.pending == 10 && ledger.due == 10)
    #expect(ledger.pendingOverdueNs >= 1_900_000_000 && ledger.pendingOverdueNs < 1_910_000_000)
    let finding = try #require(analysis.findings.first { $0.rule == .overdueAtEnd })
    #expect(
      finding.text.hasPrefix("10 timers ") && finding.text.contains("the longest for 1.90 s"),
      "\(finding.text)")
  }
}

private enum FieldScenarios {
  static let folder = ProjectFiles.root.deletingLastPathComponent()
    .appendingPathComponent("shared/fixtures/field/scenarios").path
}

/// Scenarios that once gave wrong results. The tests run when their files are available.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: FieldScenarios.folder), "needs ../shared/fixtures/field"))
struct FieldScenarioTests {
  private func analysis(_ name: String) throws -> Analysis {
    let text = try String(contentsOfFile: "\(FieldScenarios.folder)/\(name).yaml", encoding: .utf8)
    return try CommonModeTests.analysis(ScenarioReader.read(text))
  }

  @Test func removeCommonStarve() throws {
    let analysis = try analysis("remove-common-starve")
    #expect(analysis.skipped(of: "t") == [.wrongMode: 299])
    #expect(analysis.verdict.rule == .starvedByMode && analysis.verdict.outcome != .clear)
  }

  @Test(arguments: ["exit-observer", "random-6704590"])
  func observersAtANestedExit(name: String) throws {
    let analysis = try analysis(name)
    #expect(analysis.gaps.allSatisfy { $0.calloutNs <= $0.durationNs })
    #expect(analysis.busy.allSatisfy { $0.calloutNs <= $0.durationNs })
    let exits = analysis.gaps.filter { $0.after == .exit && !$0.isOutside }
    #expect(!exits.isEmpty)
    #expect(
      exits.allSatisfy { $0.callouts.first?.kind == "observer" && $0.callouts.first?.selfNs == $0.durationNs }
    )
  }

  /// The due, fired and skipped points of each timer. The lateness has no unknown part.
  @Test(arguments: [
    ("random-6704489", "t2", [18, 18, 0]), ("random-6704545", "t0", [46, 18, 28]),
    ("random-6704586", "t2", [1, 1, 0]), ("random-6704576", "t1", [1261, 372, 888]),
    ("stale-mode", "t", [10, 9, 1]),
  ])
  func ledgers(name: String, timer: String, counts: [UInt64]) throws {
    let row = try #require(try analysis(name).timers.first { $0.name == timer })
    let ledger = try #require(row.ledger)
    #expect([ledger.due, row.fired, ledger.skipped] == counts)
    #expect(ledger.ledgerNs[.unknown] == 0)
  }
}
