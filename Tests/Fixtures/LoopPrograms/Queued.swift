import CoreFoundation
import Foundation

/// Work of every kind for the main loop. Some of it runs, some is dropped, and some waits forever.
enum Queued {
  static func run(_ arguments: [String]) {
    _ = LoopPrograms.runTimer(1)
    runs()
    dropped()
    waits()
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.3))
    print("end")
  }

  private static func runs() {
    DispatchQueue.main.async { print("async") }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { print("after") }
    let twice = DispatchWorkItem { print("twice") }
    DispatchQueue.main.async(execute: twice)
    DispatchQueue.main.async(execute: twice)
    let group = DispatchGroup()
    group.enter()
    group.notify(queue: .main) { print("notify") }
    group.leave()
    OperationQueue.main.addOperation { print("operation") }
    RunLoop.main.perform { print("perform") }
    RunLoop.main.perform(inModes: [.default, RunLoop.Mode("x")]) { print("perform in two modes") }
    RunLoop.main.perform(inModes: [.common]) { print("perform in common modes") }
    Task { @MainActor in print("job") }
    Thread.detachNewThread { DispatchQueue.main.sync { print("sync") } }
    DispatchQueue(label: "behind", target: .main).async { print("behind") }
    DispatchQueue.main.async(flags: .barrier) { print("barrier") }
  }

  /// A cancelled item that the program keeps, one that was cancelled before it was queued, and a loop that ends with
  /// its thread.
  nonisolated(unsafe) private static var kept: [DispatchWorkItem] = []
  private static func dropped() {
    let cancelled = DispatchWorkItem { print("wrong") }
    DispatchQueue.main.async(execute: cancelled)
    cancelled.cancel()
    let early = DispatchWorkItem { print("wrong") }
    early.cancel()
    DispatchQueue.main.async(execute: early)
    kept = [cancelled, early]
    let thread = Thread {
      RunLoop.current.add(Timer(timeInterval: 100, repeats: true) { _ in }, forMode: .default)
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false)
      RunLoop.current.perform { print("wrong") }
    }
    thread.start()
  }

  /// Two pieces of work that wait forever. An operation with a dependency is not queued.
  private static func waits() {
    DispatchQueue.main.asyncAfter(deadline: .now() + 50) { print("wrong") }
    RunLoop.main.perform(inModes: [RunLoop.Mode("other")]) { print("wrong") }
    let never = BlockOperation {}, behind = BlockOperation { print("wrong") }
    behind.addDependency(never)
    OperationQueue.main.addOperation(behind)
  }

  /// The main thread waits 1.2 s for a task that only the main thread can run, and never runs its loop.
  static func unserved(_ arguments: [String]) {
    let answered = DispatchSemaphore(value: 0)
    Task { @MainActor in answered.signal() }
    print(answered.wait(timeout: .now() + 1.2) == .timedOut ? "no answer" : "wrong")
  }

  /// Uses a queue that is free: there is nothing to record.
  static func free(_ arguments: [String]) { DispatchQueue(label: "free").sync { print("ran") } }

  /// Traps in a timer's callout while another thread sleeps.
  static func trap(_ arguments: [String]) {
    Thread.detachNewThread { Thread.sleep(forTimeInterval: 60) }
    _ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: false) { _ in fatalError("trap") }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 5))
  }

  /// Threads, queues and a loop, for runs with limited address space.
  static func crowd(_ arguments: [String]) {
    let group = DispatchGroup()
    for _ in 0..<8 {
      DispatchQueue.global().async(group: group) { usleep(20_000) }
    }
    group.notify(queue: .main) { print("served") }
    print("fires \(LoopPrograms.runTimer(20))")
    print("groups \(group.wait(timeout: .now() + 5) == .success)")
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
  }
}
