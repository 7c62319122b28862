import CoreFoundation
import Foundation

/// A program with two faults, and environment variables that fix them: a timer that starves while the loop runs another
/// mode (`FIX_MODES`), and a long callout (`FIX_LENGTH`). With `UNTIL`, blocks arrive in bursts while the loop runs until
/// a date; each drain ends one of its runs. `tools/validate-what-if` predicts the fixes and measures them.
enum Priced {
  private static let tracking = "UITrackingRunLoopMode"

  /// Runs for 3 s: the default mode, the tracking mode, the default mode.
  static func run(_ arguments: [String]) {
    let refresh = Timer(timeInterval: 0.01, repeats: true) { _ in work(0.0001) }
    let environment = ProcessInfo.processInfo.environment
    if environment["UNTIL"] != nil { return until(environment["FIX_LENGTH"] == nil ? 0.012 : 0.001) }
    let length = environment["FIX_LENGTH"] == nil ? 0.01 : 0.002
    let layout = Timer(timeInterval: 0.05, repeats: true) { _ in work(length) }
    CFRunLoopAddCommonMode(CFRunLoopGetMain(), LoopPrograms.mode(tracking))
    RunLoop.main.add(refresh, forMode: environment["FIX_MODES"] == nil ? .default : .common)
    RunLoop.main.add(layout, forMode: .common)
    for mode in [RunLoop.Mode.default.rawValue, tracking, RunLoop.Mode.default.rawValue] {
      CFRunLoopRunInMode(LoopPrograms.mode(mode), 1, false)
    }
    print("done")
  }

  /// Runs for 3 s. Another queue posts twelve blocks each quarter of a second.
  private static func until(_ length: Double) {
    let meter = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in work(0.0001) }
    let queue = DispatchQueue(label: "bursts")
    for burst in 1...10 {
      queue.asyncAfter(deadline: .now() + 0.25 * Double(burst)) {
        for _ in 0..<12 { post(length) }
      }
    }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 3))
    meter.invalidate()
    print("done")
  }

  private static func post(_ length: Double) { DispatchQueue.main.async { work(length) } }

  private static func work(_ seconds: Double) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    while DispatchTime.now().uptimeNanoseconds < end {}
  }
}
