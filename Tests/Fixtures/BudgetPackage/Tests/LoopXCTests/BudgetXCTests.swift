import CoreFoundation
import Foundation
import RunLoopBudgets
import Work
import XCTest

final class BudgetXCTests: XCTestCase {
  func testHangInATimer() throws { try assertRunLoop("max(busy) < 100ms") { hangInTimer() } }

  func testHangInANamedTimer() throws {
    try assertRunLoop("max(busy) < 100ms") { tracer in
      tracer.timer(name: "refresh", interval: 0, firstFire: CFAbsoluteTimeGetCurrent()) { slowWork() }
        .add(mode: ModeName.default)
      runLoop(for: 0.05)
    }
  }

  func testHangInABlock() throws { try assertRunLoop("max(busy) < 100ms") { hangInBlock() } }

  func testHangOnTheMainQueue() throws {
    try assertRunLoop("max(busy) < 100ms") {
      DispatchQueue.main.async { slowWork() }
      runLoop(for: 0.05)
    }
  }

  func testHangInAnObserver() throws {
    try assertRunLoop("max(busy) < 100ms") {
      let observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(1 << 1), false, 0) { _, _ in
        slowWork()
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      runLoop(for: 0.05)
    }
  }

  func testStarvation() throws {
    try assertRunLoop("skipped(timer=refresh) == 0") { tracer in
      let timer = tracer.timer(name: "refresh", interval: 0.02) {}
      timer.add(mode: ModeName.default)
      runLoop(for: 0.05)
      tracer.timer(name: "end", interval: 60) {}.add(mode: "Other")
      tracer.run(mode: "Other", seconds: 0.3)
      runLoop(for: 0.05)
      timer.invalidate()
    }
  }

  func testNestedRun() throws {
    try assertRunLoop("max(busy) < 100ms") { tracer in
      tracer.timer(name: "outer", interval: 0, firstFire: CFAbsoluteTimeGetCurrent()) {
        RunLoop.current.perform { slowWork() }
        runLoop(for: 0.05)
      }.add(mode: ModeName.default)
      runLoop(for: 0.05)
    }
  }

  func testPollLoop() throws {
    try assertRunLoop("count(pass) < 20") { tracer in
      tracer.mark("polls")
      poll(for: 0.4)
      runLoop(for: 0.05)
    }
  }

  /// A hang before and after the body does not count.
  func testHangOutsideTheBody() throws {
    hangInTimer()
    try assertRunLoop("count(busy, at_least=250ms) == 0") { runLoop(for: 0.05) }
    hangInTimer()
  }

  /// The recording of the tests ends when the program starts its own, and the next test records again.
  func testOwnRecordingAfterwards() throws {
    try assertRunLoop("count(busy, at_least=10s) == 0") { runLoop(for: 0.05) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let own = try RunLoopTracer.start(output: folder.appendingPathComponent("own.rltrace").path)
    runLoop(for: 0.05)
    XCTAssertGreaterThan(try own.stop().events, 0)
    try assertRunLoop("count(busy, at_least=10s) == 0") { runLoop(for: 0.05) }
  }

  func testSmooth() throws {
    try assertRunLoop("count(busy, at_least=10s) == 0", "findings(severity=error) == 0") { runLoop(for: 0.2) }
  }

  func testNoLoop() throws { try assertRunLoop { Thread.sleep(forTimeInterval: 0.01) } }

  func testTypingError() throws { try assertRunLoop("max(bussy) < 100ms") { runLoop(for: 0.05) } }
}

/// A loop whose limit ends the test run only if the limit is scaled.
final class BlockedLoopXCTests: XCTestCase {
  func testBlockedLoop() throws { try assertRunLoop("max(busy) < 10s") { hangInTimer() } }
}
