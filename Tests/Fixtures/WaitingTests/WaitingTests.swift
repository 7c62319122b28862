import XCTest

/// XCTest runs the run loop while it waits; RecordProgramTests records this bundle.
final class WaitingTests: XCTestCase {
  func testWaitsForATimer() {
    let fired = expectation(description: "the timer fires")
    _ = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: false) { _ in fired.fulfill() }
    wait(for: [fired], timeout: 5)
  }

  func testWaitsForTheMainQueue() {
    let ran = expectation(description: "the block runs")
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { ran.fulfill() }
    wait(for: [ran], timeout: 5)
  }
}
