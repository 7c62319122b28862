import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Results by the values of a state must add up to the results of the whole, for anything that the model does.
@Suite struct StateSumTests {
  @Test(.optimizedBuild) func theValuesAddUp() throws {
    var random = SeededGenerator(named: "states of scenarios")
    for _ in 0..<TestRounds.value(300) {
      let seed = random.next() % 1_000_000_007
      var scenario = RandomScenario(seed: seed).scenario
      var at: UInt64 = 0
      for _ in 0..<(1 + random.next() % 12) {
        at += random.next() % 30_000_000
        let value = random.pick(["Feed", "Settings", ""])
        scenario.others.append(Scenario.Moment(atNs: at, body: [.state("screen", value: value)]))
      }
      scenario.others.sort { $0.atNs < $1.atNs }
      try expectToAddUp(scenario, "scenario \(seed), \(TestSeed.note)")
    }
  }

  /// The host of the model records each step; a step without a value ends the state.
  @Test func statesOfAScenario() throws {
    let scenario = try ScenarioReader.read(
      """
      scenario: screens
      loop: thread
      timers:
        - {name: tick, every: 10ms, do: [cpu: 25ms]}
      thread:
        - state: {name: screen, value: Feed}
        - run: {for: 100ms}
        - state: {name: screen, value: Settings}
        - run: {for: 100ms}
        - state: {name: screen}
        - run: {for: 100ms}
      """)
    let analysis = try expectToAddUp(scenario, "screens")
    #expect(analysis.states.map { $0.value ?? "-" }.sorted() == ["Feed", "Settings"])
    #expect(analysis.states.allSatisfy { $0.state == "screen" && $0.count == 1 && $0.timeNs >= 100_000_000 })
    #expect(Set(analysis.split?.values.map { $0.value ?? "-" } ?? []) == ["Feed", "Settings", "-"])
  }

  @discardableResult
  private func expectToAddUp(_ scenario: Scenario, _ note: Comment) throws -> Analysis {
    let sink = MemorySink()
    _ = try VirtualRecording.record(
      scenario, sink: sink, unit: .us1, codec: NoCodec(), stepLimit: 3000)
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = 1_000_000
    options.replay.busyThresholdNs = 1_000_000
    options.splitState = "screen"
    let analysis = try TraceAnalyzer(openTrace(sink.bytes), options: options).analyze()
    expectValuesToAddUp(analysis, note)
    return analysis
  }
}
