import TestSupport
import Testing

/// The model against the real CFRunLoop on the real kernel, in real time: the order of what happens.
@Suite struct RealKernelTests {
  /// A machine that stands still changes the order: the same scenarios may agree in any of these.
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
