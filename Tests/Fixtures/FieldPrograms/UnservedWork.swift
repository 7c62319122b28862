import CoreFoundation
import Foundation

/// Work that is queued and never runs.
enum UnservedWork {
  /// A source is signalled, but the loop is never woken.
  static func signalWithoutWake(_ arguments: [String]) {
    var context = CFRunLoopSourceContext()
    context.perform = { _ in print("perform") }
    nonisolated(unsafe) let inbox = CFRunLoopSourceCreate(nil, 0, &context)!
    CFRunLoopAddSource(CFRunLoopGetMain(), inbox, kCFRunLoopCommonModes)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 1)
      CFRunLoopSourceSignal(inbox)
    }
    _ = Timer.scheduledTimer(withTimeInterval: 100, repeats: false) { _ in }
    RunLoop.main.run()
  }

  nonisolated(unsafe) static var loop: RunLoop?

  /// Queues a block for a loop whose run has returned, on a thread that has ended. With the argument `released`, the
  /// program releases the loop before it ends.
  static func performAfterReturn(_ arguments: [String]) {
    let ready = DispatchSemaphore(value: 0)
    let thread = Thread {
      loop = RunLoop.current
      ready.signal()
      RunLoop.current.run()
      print("thread ends")
    }
    thread.name = "callbacks"
    thread.start()
    ready.wait()
    Thread.sleep(forTimeInterval: 0.5)
    loop?.perform { print("callback") }
    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 3))
    if arguments.first == "released" { loop = nil }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 1))
  }

  /// A block waits in the default mode while its own program runs another mode and waits for the block.
  static func performInOtherMode(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in wizard() }
    RunLoop.main.run()
  }

  static func wizard() {
    nonisolated(unsafe) var finished = false
    RunLoop.main.perform(inModes: [.default]) { finished = true }
    let mode = RunLoop.Mode("wizard")
    RunLoop.main.add(Timer(timeInterval: 0.5, repeats: true) { _ in }, forMode: mode)
    while !finished { _ = RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 1)) }
  }
}
