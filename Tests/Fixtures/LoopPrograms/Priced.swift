import CoreFoundation
import Foundation

/// A program with two faults, and environment variables that fix them: a timer that starves while the loop runs another
/// mode (`FIX_MODES`), and a long callout (`FIX_LENGTH`). `tools/validate-what-if` predicts the fixes and measures them.
enum Priced {
  private static let tracking = "UITrackingRunLoopMode"

  /// Runs for 3 s: the default mode, the tracking mode, the default mode.
  static func run(_ arguments: [String]) {
    let refresh = Timer(timeInterval: 0.01, repeats: true) { _ in work(0.0001) }
    let environment = ProcessInfo.processInfo.environment
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

  private static func work(_ seconds: Double) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    while DispatchTime.now().uptimeNanoseconds < end {}
  }
}
