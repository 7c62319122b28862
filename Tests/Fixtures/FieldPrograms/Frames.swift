import Foundation

/// Programs that draw at 60 Hz.
enum Frames {
  nonisolated(unsafe) static var drawn = 0

  static func compute(for seconds: Double) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    var hash = 5381
    while DispatchTime.now().uptimeNanoseconds < end { hash = (hash &* 33) &+ drawn }
    drawn &+= hash & 0
  }

  @inline(never) static func decodeFeed() { compute(for: 0.15) }

  private static func draw() -> Timer {
    Timer.scheduledTimer(withTimeInterval: 1.0 / 60, repeats: true) { _ in drawn += 1 }
  }

  /// The feed is decoded on the main thread for 150 ms every two seconds.
  static func hitches(_ arguments: [String]) {
    _ = draw()
    _ = Timer.scheduledTimer(withTimeInterval: 2, repeats: true) { _ in decodeFeed() }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 6.5))
  }

  /// One callout of 40 ms in six seconds.
  static func oneLongFrame(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 1.0 / 60, repeats: true) { _ in
      drawn += 1
      if drawn == 100 { usleep(40_000) }
    }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 6))
  }

  @inline(never) static func parse() { compute(for: 1.4) }
  @inline(never) static func settle() {
    usleep(300_000)
    drawn &+= 1  // Without it, the function is not on the stack while it sleeps.
  }

  /// One block computes for 1.4 s, and then sleeps for 0.3 s in another function.
  static func parseThenSleep(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) {
      parse()
      settle()
      drawn &+= 1
    }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 2.6))
  }

  /// A modal loop runs for two seconds. The display timer is in both modes, the spinner in the default mode only.
  static func gallery(_ arguments: [String]) {
    let modal = RunLoop.Mode("NSModalPanelRunLoopMode")
    let display = Timer(timeInterval: 1.0 / 60, repeats: true) { _ in drawn += 1 }
    RunLoop.main.add(display, forMode: .default)
    RunLoop.main.add(display, forMode: modal)
    _ = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { _ in drawn &+= 0 }
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
      let end = Date(timeIntervalSinceNow: 2)
      while Date() < end { _ = RunLoop.main.run(mode: modal, before: end) }
    }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 4))
  }
}
