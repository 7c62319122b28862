import CoreFoundation
import Foundation

/// Blocks the calling thread like a slow function of an app.
@inline(never)
public func slowWork() { Thread.sleep(forTimeInterval: 0.4) }

/// Runs the calling thread's loop for a time.
public func runLoop(for seconds: TimeInterval) {
  // A loop without timers or sources would return at once.
  let end = Timer(timeInterval: seconds, repeats: false) { _ in }
  RunLoop.current.add(end, forMode: .default)
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline { _ = RunLoop.current.run(mode: .default, before: deadline) }
}

/// Calls slowWork in a timer.
public func hangInTimer() {
  RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in slowWork() }, forMode: .default)
  runLoop(for: 0.05)
}

/// Calls slowWork in a block of the loop.
public func hangInBlock() {
  RunLoop.current.perform { slowWork() }
  runLoop(for: 0.05)
}

/// Runs the loop in a mode of its own until a timer of the default mode is late.
public func runAnotherMode(for seconds: TimeInterval) {
  let mode = RunLoop.Mode("Other")
  let end = Timer(timeInterval: seconds, repeats: false) { _ in }
  RunLoop.current.add(end, forMode: mode)
  _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: seconds))
}

/// Asks the loop again and again instead of waiting.
public func poll(for seconds: TimeInterval) {
  let far = Timer(timeInterval: 60, repeats: false) { _ in }
  RunLoop.current.add(far, forMode: .default)
  defer { far.invalidate() }
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false) }
}
