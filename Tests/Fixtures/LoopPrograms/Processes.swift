import CoreFoundation
import Foundation

// Programs that test how processes begin and end.
extension LoopPrograms {
  /// Runs a loop, then forks. The child also runs the loop, and ends without destructors. It must not wait:
  /// Foundation's timers do not work there.
  static func forkedAfter(_ arguments: [String]) {
    let parent = runTimer(3)
    let child = forkProcess()
    if child == 0 {
      nonisolated(unsafe) var blocks = 0
      for _ in 0..<4 {
        CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) { blocks += 1 }
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
      }
      _exit(Int32(blocks))
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    print("parent \(parent) child \(status >> 8 & 0xFF)")
  }

  /// Uses Foundation, runs no loop, and ends without destructors.
  static func exitNow(_ arguments: [String]) { _exit(0) }

  /// Uses Foundation, and sleeps for SECONDS.
  static func sleepOnly(_ arguments: [String]) { usleep(UInt32((Double(arguments.first ?? "") ?? 1) * 1e6)) }

  /// A loop that waits for SECONDS. Nothing is due before the end.
  static func idle(_ arguments: [String]) {
    let timer = Timer.scheduledTimer(withTimeInterval: 1e6, repeats: false) { _ in }
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, Double(arguments.first ?? "") ?? 1, false)
    timer.invalidate()
  }

  /// The third callout of a 10 ms timer creates FILE and sleeps for half a minute.
  static func stuck(_ arguments: [String]) {
    nonisolated(unsafe) var fires = 0
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in
      fires += 1
      guard fires == 3 else { return }
      close(open(arguments[0], O_WRONLY | O_CREAT, 0o600))
      usleep(30_000_000)
    }
    RunLoop.main.run()
  }

  static func runTimer(_ fires: Int) -> Int {
    nonisolated(unsafe) var count = 0
    let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
      count += 1
      if count == fires { timer.invalidate() }
    }
    while timer.isValid { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    return count
  }
}
