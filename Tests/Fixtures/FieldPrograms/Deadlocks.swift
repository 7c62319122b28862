import Foundation

/// Programs whose main thread waits for work that is queued behind it.
enum Deadlocks {
  final class Host {
    func drainEvents() {
      nonisolated(unsafe) var done = false
      DispatchQueue.main.async { done = true }
      while !done { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
      print("drained")
    }
  }

  /// A block of the main queue runs a nested loop and waits there for another block of the main queue.
  static func drainInBlock(_ arguments: [String]) {
    let host = Host()
    _ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in }
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { host.drainEvents() }
    RunLoop.main.run()
  }

  final class Socket {
    func connect(_ then: @escaping () -> Void) {
      nonisolated(unsafe) let then = then
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { DispatchQueue.main.async { then() } }
    }
  }

  static func connectAndWait() {
    let answered = DispatchSemaphore(value: 0)
    Socket().connect { answered.signal() }
    answered.wait()
    print("connected")
  }

  /// The main thread waits on a semaphore for an answer that is queued on the main queue.
  static func answerBehindWait(_ arguments: [String]) {
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { connectAndWait() }
    RunLoop.main.run()
  }

  static func refresh() { DispatchQueue.main.sync { print("refreshed") } }

  /// Dispatch traps: a signal kills the process inside a timer's callout.
  static func syncOnMain(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in refresh() }
    RunLoop.main.run()
  }
}
