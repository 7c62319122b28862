import CoreFoundation
import Foundation

enum ManyLoops {
  /// COUNT threads with a loop each. A timer's callout on thread STALLED takes 1.5 s.
  static func run(_ arguments: [String]) {
    let count = Int(arguments.first ?? "") ?? 300
    let stalled = arguments.count > 1 ? Int(arguments[1]) ?? -1 : -1
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        loop(isStalled: number == stalled)
        group.leave()
      }
      thread.stackSize = 1 << 18
      thread.start()
      usleep(500)
    }
    group.wait()
    print("end")
  }

  /// COUNT threads that run a loop for some milliseconds each, AT_ONCE at a time.
  static func short(_ arguments: [String]) {
    let count = Int(arguments.first ?? "") ?? 3000
    let room = DispatchSemaphore(value: arguments.count > 1 ? Int(arguments[1]) ?? 32 : 32)
    let group = DispatchGroup()
    for _ in 0..<count {
      room.wait()
      group.enter()
      let thread = Thread {
        let timer = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: true) { _ in }
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false)
        timer.invalidate()
        room.signal()
        group.leave()
      }
      thread.stackSize = 1 << 18
      thread.start()
    }
    group.wait()
    print("end")
  }

  private static func loop(isStalled: Bool) {
    let timer = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in }
    if isStalled {
      _ = Timer.scheduledTimer(withTimeInterval: 0.8, repeats: false) { _ in usleep(1_500_000) }
    }
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 3, false)
    timer.invalidate()
  }
}
