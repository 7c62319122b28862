import Foundation
import TestSupport
import Testing

/// The model against the real CFRunLoop on a virtual kernel.
@Suite struct DifferentialTests {
  private static let program = Program("differential")

  @Test(.optimizedBuild) func randomScenariosAgree() throws {
    let count = TestRounds.value(500)
    let seed = TestSeed.value
    let result = try Self.program.run(["--count", "\(count)", "--seed", "\(seed)"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.hasSuffix("{\"run\": \(count), \"agreed\": \(count), \"seed\": \(seed)}\n"))
  }

  /// The nested tracking run from the page on semantics, on the real loop with the virtual kernel.
  @Test func nestedTracking() throws {
    let lines = try Self.program.run(["--play"], input: ScenarioText.nestedTracking).output.split(
      separator: "\n"
    )
    .map { $0.split(separator: " ", maxSplits: 1)[1] }
    let begin = try #require(lines.firstIndex(of: "run UITrackingRunLoopMode"))
    let end = try #require(lines.firstIndex(of: "end of timer scroll"))
    #expect(lines[begin..<end].count { $0 == "timer default" } == 0)
    #expect(lines[begin..<end].count { $0 == "timer common" } == 20)
    #expect(lines[end...].count { $0 == "timer default" } == 11)
    #expect(lines[end...].count { $0 == "timer common" } == 10)
  }

  /// Checks the comparison itself: it must detect each rule that is broken in the model.
  @Test(arguments: [
    "missed-points-made-up", "grid-of-callouts", "moved-date-forgotten", "no-blocks-after-sources",
    "waits-after-source", "signal-cleared-late", "wakes-while-awake", "runs-on-after-source",
    "stop-before-time-out", "stop-of-all-runs", "fires-while-firing", "blocks-join-the-batch",
    "drains-again-at-once", "empty-mode-waits", "common-removal-of-any", "removal-ends-common-item",
    "empty-timer-disarmed",
  ])
  func aBrokenRuleIsNoticed(fault: String) throws {
    let result = try Self.program.run([
      "--count", "1000", "--seed", "\(TestSeed.value)", "--json", "--mutate", fault,
    ])
    #expect(result.status == 0, "\(fault) was not noticed: \(result.output)\(result.errors)")
  }
}
