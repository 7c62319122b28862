import CoreFoundation
import Foundation
import RunLoopBudgets
import Testing
import Work

@Suite struct BudgetTests {
  @Test(.runLoop("max(busy) < 100ms")) func hangInATimer() async { await onRunLoop { hangInTimer() } }

  @Test(.runLoop("max(busy) < 100ms")) func hangInANamedTimer() async {
    await onRunLoop { tracer in
      tracer?.timer(name: "refresh", interval: 0, firstFire: CFAbsoluteTimeGetCurrent()) { slowWork() }
        .add(mode: ModeName.default)
      runLoop(for: 0.05)
    }
  }

  @Test(.runLoop("max(busy) < 100ms")) func hangInABlock() async { await onRunLoop { hangInBlock() } }

  @Test(.runLoop("max(busy) < 100ms")) func hangInAnObserver() async {
    await onRunLoop {
      let observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(1 << 1), false, 0) { _, _ in
        slowWork()
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      runLoop(for: 0.05)
    }
  }

  @Test(.runLoop("skipped(timer=refresh) == 0")) func starvation() async {
    await onRunLoop { tracer in
      let timer = tracer?.timer(name: "refresh", interval: 0.02) {}
      timer?.add(mode: ModeName.default)
      runLoop(for: 0.05)
      tracer?.timer(name: "end", interval: 60) {}.add(mode: "Other")
      tracer?.run(mode: "Other", seconds: 0.3)
      runLoop(for: 0.05)
      timer?.invalidate()
    }
  }

  @Test(.runLoop("hitch_ratio(frames=display) < 5ms/s")) func lateFrames() async {
    await onRunLoop { tracer in
      guard let tracer else { return }
      let display = tracer.timer(name: "display", interval: 1.0 / 60) {}
      tracer.frames(display)
      display.add(mode: ModeName.default)
      tracer.timer(name: "decode", interval: 0, firstFire: CFAbsoluteTimeGetCurrent() + 0.1) { slowWork() }
        .add(mode: ModeName.default)
      runLoop(for: 0.6)
      display.invalidate()
    }
  }

  @Test(.runLoop("max(busy) < 100ms")) func nestedRun() async {
    await onRunLoop { tracer in
      tracer?.timer(name: "outer", interval: 0, firstFire: CFAbsoluteTimeGetCurrent()) {
        RunLoop.current.perform { slowWork() }
        runLoop(for: 0.05)
      }.add(mode: ModeName.default)
      runLoop(for: 0.05)
    }
  }

  @Test(.runLoop("count(pass) < 20")) func pollLoop() async {
    await onRunLoop { tracer in
      tracer?.mark("polls")
      poll(for: 0.4)
      runLoop(for: 0.05)
    }
  }

  /// Two cases run beside the tests that hang, and pass.
  @Test(.runLoop("count(busy, at_least=250ms) == 0"), arguments: [1, 2])
  func parallelNeighbour(number: Int) async {
    await onRunLoop { for _ in 0..<10 { runLoop(for: 0.05) } }
  }

  @Test(.runLoop("max(busy) < 100ms")) func expectedFailure() async {
    await withKnownIssue { await onRunLoop { hangInTimer() } }
  }

  @Test(.runLoop("count(busy, at_least=10s) == 0", "findings(severity=error) == 0")) func smooth() async {
    await onRunLoop { runLoop(for: 0.2) }
  }

  @Test(.runLoop()) func noLoop() async { await onRunLoop { Thread.sleep(forTimeInterval: 0.01) } }

  @Test(.runLoop("max(bussy) < 100ms")) func typingError() async { await onRunLoop { runLoop(for: 0.05) } }
}

/// The suite gives its rule to each of its tests.
@Suite(.runLoop("count(busy, at_least=300ms) == 0")) struct SuiteBudgetTests {
  @Test func hangInASuite() async { await onRunLoop { hangInTimer() } }

  @Test func smoothInASuite() async { await onRunLoop { runLoop(for: 0.1) } }

  /// Its own rule is added to the suite's.
  @Test(.runLoop("count(pass) < 20")) func pollInASuite() async { await onRunLoop { poll(for: 0.4) } }

  @Test func withoutALoopInASuite() {}
}

/// Swift Testing runs the main loop on Apple's systems only.
@Suite(.serialized, .runLoop("count(busy, at_least=300ms) == 0")) struct MainLoopTests {
  @Test func onTheMainLoop() async {
    await onRunLoop(.main) { hangInTimer() }
  }
}

@Suite struct ParallelMainLoopTests {
  @Test(.runLoop()) func onTheMainLoopInParallel() async { await onRunLoop(.main) { runLoop(for: 0.05) } }
}
