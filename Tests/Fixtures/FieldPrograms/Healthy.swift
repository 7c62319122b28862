import Foundation

/// `healthy WHAT`: programs without a fault, each of a kind in which other programs have one. They run for two seconds.
enum Healthy {
  static let programs: [String: () -> Void] = [
    "store": store, "semaphore": semaphore, "modal": modal, "gallery": gallery,
    "notifications": notifications,
    "rows": rows,
  ]

  static func run(_ arguments: [String]) {
    guard let program = arguments.first.flatMap({ programs[$0] }) else { exit(64) }
    program()
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 2))
  }

  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var made: [Timer] = []

  private static func every(_ seconds: Double, _ fire: @escaping () -> Void) {
    RunLoop.main.add(Timer(timeInterval: seconds, repeats: true) { _ in fire() }, forMode: .common)
  }

  /// The main thread reads from a queue with `sync`, and the queue reports to the main queue with `async`.
  private static func store() {
    let queue = DispatchQueue(label: "store")
    every(0.02) {
      queue.async { DispatchQueue.main.async { count += 1 } }
    }
    every(0.05) { count += queue.sync { 1 } }
  }

  /// The main thread waits 2 ms for a queue, and another thread waits for the main queue.
  private static func semaphore() {
    let library = DispatchQueue(label: "library")
    every(0.2) {
      let done = DispatchSemaphore(value: 0)
      library.async {
        usleep(2000)
        done.signal()
      }
      done.wait()
    }
    DispatchQueue.global().async {
      for _ in 0..<50 {
        DispatchQueue.main.sync { count += 1 }
        usleep(30_000)
      }
    }
  }

  /// A modal loop runs for half a second. The frame timer is also in its mode.
  private static func modal() {
    let mode = RunLoop.Mode("NSModalPanelRunLoopMode")
    let frame = Timer(timeInterval: 1.0 / 60, repeats: true) { _ in count += 1 }
    RunLoop.main.add(frame, forMode: .default)
    RunLoop.main.add(frame, forMode: mode)
    _ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: false) { _ in
      let end = Date(timeIntervalSinceNow: 0.5)
      while Date() < end { _ = RunLoop.main.run(mode: mode, before: end) }
    }
  }

  /// Images are decoded on other threads.
  private static func gallery() {
    let decoding = DispatchQueue(label: "decode", attributes: .concurrent)
    every(1.0 / 60) { count += 1 }
    every(0.25) {
      decoding.async {
        Frames.compute(for: 0.02)
        DispatchQueue.main.async { count += 1 }
      }
    }
  }

  /// Notifications of the main thread, which runs its loop, and a thread whose loop has a timer.
  private static func notifications() {
    every(0.1) {
      for style in [NotificationQueue.PostingStyle.whenIdle, .asap] {
        NotificationQueue.default.enqueue(
          Notification(name: Notification.Name("changed")), postingStyle: style)
      }
    }
    Thread {
      RunLoop.current.add(Timer(timeInterval: 0.5, repeats: true) { _ in }, forMode: .default)
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 4))
    }.start()
  }

  /// A timer per row that is invalidated with its row, and a one-shot timer that is replaced before it is due.
  private static func rows() {
    var typing: Timer?
    every(0.02) {
      made.append(Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in count += 1 })
      if made.count > 20 { made.removeFirst().invalidate() }
    }
    every(0.1) {
      typing?.invalidate()
      typing = Timer.scheduledTimer(withTimeInterval: 0.3, repeats: false) { _ in count += 1 }
    }
  }
}
