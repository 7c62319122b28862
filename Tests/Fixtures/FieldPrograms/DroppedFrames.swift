import CoreFoundation
import Foundation

/// Draws at 60 Hz, with three planted faults, each once a second. A decode takes 50 ms, another thread holds a lock
/// for 60 ms, and a modal run of 80 ms uses another mode.
enum DroppedFrames {
  static func run(_ arguments: [String]) {
    let interval = 1.0 / 60
    let display = CFRunLoopTimerCreateWithHandler(
      nil, CFAbsoluteTimeGetCurrent() + interval, interval, 0, 0
    ) { _ in Frames.drawn &+= 1 }!
    declareFrames(of: display)
    CFRunLoopAddTimer(CFRunLoopGetMain(), display, kCFRunLoopDefaultMode)
    plantDecode(after: 0.3)
    plantLock(after: 0.6)
    plantModal(after: 0.9)
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 3.2))
  }

  private static func declareFrames(of timer: CFRunLoopTimer) {
    typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void
    guard let address = dlsym(nil, "rltrace_frames") else { return }
    unsafeBitCast(address, to: Function.self)(Unmanaged.passUnretained(timer).toOpaque())
  }

  @inline(never) static func decodeImage() { Frames.compute(for: 0.05) }

  private static func plantDecode(after delay: Double) {
    let timer = Timer(fire: Date(timeIntervalSinceNow: delay), interval: 1, repeats: true) { _ in
      decodeImage()
    }
    RunLoop.main.add(timer, forMode: .default)
  }

  @inline(never) static func waitFor(_ lock: NSLock) {
    lock.lock()
    lock.unlock()
    Frames.drawn &+= 1  // Without it, the function is not on the stack while it waits.
  }

  private static func plantLock(after delay: Double) {
    let lock = NSLock()
    let isWanted = DispatchSemaphore(value: 0), isTaken = DispatchSemaphore(value: 0)
    Thread {
      while true {
        isWanted.wait()
        lock.lock()
        isTaken.signal()
        usleep(60_000)
        lock.unlock()
      }
    }.start()
    let timer = Timer(fire: Date(timeIntervalSinceNow: delay), interval: 1, repeats: true) { _ in
      isWanted.signal()
      isTaken.wait()
      waitFor(lock)
    }
    RunLoop.main.add(timer, forMode: .default)
  }

  private static func plantModal(after delay: Double) {
    let panel = RunLoop.Mode("NSModalPanelRunLoopMode")
    let timer = Timer(fire: Date(timeIntervalSinceNow: delay), interval: 1, repeats: true) { _ in
      let end = Date(timeIntervalSinceNow: 0.08)
      let blink = Timer(timeInterval: 0.05, repeats: true) { _ in }
      RunLoop.main.add(blink, forMode: panel)
      while Date() < end { _ = RunLoop.main.run(mode: panel, before: end) }
      blink.invalidate()
    }
    RunLoop.main.add(timer, forMode: .default)
  }
}
