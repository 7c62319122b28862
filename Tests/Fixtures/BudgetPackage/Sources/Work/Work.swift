import CoreFoundation
import Foundation

/// The duration of slow work, in seconds. A loop that is to end the test run stays blocked until then.
private let slowSeconds = ProcessInfo.processInfo.environment["RLTRACE_BUDGET_ABORT"] == "1" ? 60 : 0.4

/// Blocks the calling thread like a slow function of an app.
@inline(never)
public func slowWork() { Thread.sleep(forTimeInterval: slowSeconds) }

/// Returns a timer that fires once. `Timer(timeInterval:)` of Linux would fire at once.
private func oneShot(after seconds: TimeInterval, _ body: @escaping @Sendable () -> Void) -> Timer {
  Timer(fire: Date(timeIntervalSinceNow: seconds), interval: 0, repeats: false) { _ in body() }
}

/// Runs the calling thread's loop for a time.
public func runLoop(for seconds: TimeInterval) {
  // A loop without timers or sources would return at once.
  let end = oneShot(after: seconds) {}
  RunLoop.current.add(end, forMode: .default)
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline { _ = RunLoop.current.run(mode: .default, before: deadline) }
}

/// Calls slowWork in a timer.
public func hangInTimer() {
  RunLoop.current.add(oneShot(after: 0.01) { slowWork() }, forMode: .default)
  runLoop(for: 0.05)
}

/// Calls slowWork in a block of the loop.
public func hangInBlock() {
  RunLoop.current.perform { slowWork() }
  runLoop(for: 0.05)
}

/// Polls the loop repeatedly instead of waiting.
public func poll(for seconds: TimeInterval) {
  let far = oneShot(after: 60) {}
  RunLoop.current.add(far, forMode: .default)
  defer { far.invalidate() }
  // Each run takes some time: a debug build of the recorder would lose events of a loop that runs as often as it can.
  let work = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(1 << 1), true, 0) { _, _ in
    let end = CFAbsoluteTimeGetCurrent() + 0.0001
    while CFAbsoluteTimeGetCurrent() < end {}
  }
  CFRunLoopAddObserver(CFRunLoopGetCurrent(), work, kCFRunLoopDefaultMode)
  defer { CFRunLoopObserverInvalidate(work) }
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false) }
}
