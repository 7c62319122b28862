import CoreFoundation
import Foundation

/// Loops that poll. Each serves what is ready within milliseconds.
enum Polls {
  private static func finishSoon(_ finish: @escaping () -> Void) {
    nonisolated(unsafe) let finish = finish
    DispatchQueue.global().asyncAfter(deadline: .now() + 3) { DispatchQueue.main.async { finish() } }
  }

  static func untilNow(_ arguments: [String]) {
    nonisolated(unsafe) var done = false
    finishSoon { done = true }
    waitFor { done }
    print("done")
  }

  static func waitFor(_ condition: () -> Bool) {
    while !condition() { RunLoop.current.run(until: Date()) }
  }

  static func distantPast(_ arguments: [String]) {
    nonisolated(unsafe) var done = false
    finishSoon { done = true }
    _ = Timer.scheduledTimer(withTimeInterval: 0.2, repeats: true) { _ in }
    while !done { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
    print("done")
  }

  /// Polls of a mode without items, as fast as possible, and then of the default mode, about 300 a second. Those have a
  /// time limit.
  static func slowly(_ arguments: [String]) {
    spin()
    poll()
    print("done")
  }

  @inline(never) private static func spin() {
    let own = Timers.mode("own")
    for _ in 0..<2_100 { CFRunLoopRunInMode(own, 0, false) }
  }

  @inline(never) private static func poll() {
    let timer = Timer.scheduledTimer(withTimeInterval: 3600, repeats: true) { _ in }
    let end = Date(timeIntervalSinceNow: 3)
    while Date() < end {
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.0005, false)
      usleep(2_500)
    }
    timer.invalidate()
  }

  /// A healthy 60 Hz frame loop: it serves the run loop without waiting, draws, and sleeps until the next frame.
  static func frameLoop(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in print("second") }
    let end = Date(timeIntervalSinceNow: 5)
    var frames = 0
    while Date() < end {
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
      render()
      usleep(12_000)
      frames += 1
    }
    print(frames, "frames")
  }

  static func render() { usleep(4_000) }
}
