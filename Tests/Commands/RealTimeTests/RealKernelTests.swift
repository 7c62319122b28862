import TestSupport
import Testing

/// The order of events in the model against the real CFRunLoop on the real kernel, in real time.
@Suite(.ownThread) struct RealKernelTests {
  /// A stalled machine changes the order, so the scenarios may agree in any of these runs.
  private static let runs = 5

  @Test func fiftyRandomScenariosAgree() throws {
    var output = ""
    for _ in 0..<RealKernelTests.runs {
      let result = try Program("differential").run([
        "--count", "50", "--seed", "\(TestSeed.value)", "--real-kernel",
      ])
      if result.status == 0 { return }
      output = result.output + result.errors
    }
    Issue.record("\(output)")
  }
}
