// All ways to queue work, each on a queue of its own. Prints how often work ran there:
//
//     ran COUNT QUEUE
import Dispatch
import Foundation

/// Counts on the queue that runs the work, and fails if another one does.
private final class Counter: @unchecked Sendable {
  private static let key = DispatchSpecificKey<String>()
  let queue: DispatchQueue
  private let label: String
  private let lock = NSLock()
  private var count = 0

  init(_ name: String, _ attributes: DispatchQueue.Attributes = [], target: DispatchQueue? = nil) {
    label = "org.example.\(name)"
    queue = DispatchQueue(label: label, attributes: attributes, target: target)
    queue.setSpecific(key: Counter.key, value: label)
  }

  func note() {
    guard DispatchQueue.getSpecific(key: Counter.key) == label else { fatalError("another queue") }
    lock.withLock { count += 1 }
  }

  func write() { print("ran \(lock.withLock { count }) \(label)") }
}

@main private struct QueueCalls {
  static func main() {
    let counters = [
      asynchronous(), inGroup(), barriers(), later(), items(), cancelled(), notified(), inactive(),
      targeted(),
      timers(), userData(), priorities(), suspended(),
    ]
    // The wrapper of the last work stores its end after the work.
    usleep(20_000)
    for counter in counters { counter.write() }
  }

  private static func asynchronous() -> Counter {
    let counter = Counter("asynchronous")
    for _ in 0..<5000 { counter.queue.async { counter.note() } }
    counter.queue.sync {}
    return counter
  }

  private static func inGroup() -> Counter {
    let counter = Counter("group", .concurrent)
    let group = DispatchGroup()
    for _ in 0..<1000 { counter.queue.async(group: group) { counter.note() } }
    group.wait()
    return counter
  }

  private static func barriers() -> Counter {
    let counter = Counter("barriers", .concurrent)
    for number in 0..<1000 { counter.queue.async(flags: number % 10 == 0 ? .barrier : []) { counter.note() } }
    counter.queue.sync(flags: .barrier) {}
    return counter
  }

  private static func later() -> Counter {
    let counter = Counter("later")
    let group = DispatchGroup()
    for number in 0..<50 {
      group.enter()
      counter.queue.asyncAfter(deadline: .now() + .milliseconds(number % 7)) {
        counter.note()
        group.leave()
      }
      group.enter()
      counter.queue.asyncAfter(wallDeadline: .now() + .milliseconds(number % 5)) {
        counter.note()
        group.leave()
      }
    }
    group.wait()
    return counter
  }

  private static func items() -> Counter {
    let counter = Counter("items")
    for _ in 0..<200 {
      let item = DispatchWorkItem { counter.note() }
      counter.queue.async(execute: item)
      item.wait()
    }
    return counter
  }

  /// A cancelled item does not run. Dispatch takes it from the queue all the same.
  private static func cancelled() -> Counter {
    let counter = Counter("cancelled")
    for _ in 0..<50 {
      let item = DispatchWorkItem { counter.note() }
      item.cancel()
      counter.queue.async(execute: item)
    }
    counter.queue.async { counter.note() }
    counter.queue.sync {}
    return counter
  }

  private static func notified() -> Counter {
    let counter = Counter("notified")
    let all = DispatchGroup()
    for _ in 0..<100 {
      let group = DispatchGroup()
      all.enter()
      DispatchQueue.global().async(group: group) {}
      group.notify(queue: counter.queue) {
        counter.note()
        all.leave()
      }
    }
    all.wait()
    return counter
  }

  private static func inactive() -> Counter {
    let counter = Counter("inactive", .initiallyInactive)
    for _ in 0..<100 { counter.queue.async { counter.note() } }
    counter.queue.activate()
    counter.queue.sync {}
    return counter
  }

  private static func targeted() -> Counter {
    let counter = Counter("targeted", target: DispatchQueue(label: "org.example.target"))
    for _ in 0..<1000 { counter.queue.async { counter.note() } }
    counter.queue.sync {}
    return counter
  }

  private static func timers() -> Counter {
    let counter = Counter("timers")
    let timer = DispatchSource.makeTimerSource(queue: counter.queue)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var fires = 0
    timer.schedule(deadline: .now(), repeating: .milliseconds(2))
    timer.setEventHandler {
      counter.note()
      fires += 1
      if fires == 20 {
        timer.cancel()
        done.signal()
      }
    }
    timer.resume()
    done.wait()
    return counter
  }

  private static func userData() -> Counter {
    let counter = Counter("user-data")
    let source = DispatchSource.makeUserDataAddSource(queue: counter.queue)
    let handled = DispatchSemaphore(value: 0)
    source.setEventHandler {
      counter.note()
      handled.signal()
    }
    source.activate()
    for _ in 0..<100 {
      source.add(data: 1)
      handled.wait()
    }
    source.cancel()
    return counter
  }

  private static func priorities() -> Counter {
    let counter = Counter("priorities", .concurrent)
    let group = DispatchGroup()
    for qos in [DispatchQoS.background, .utility, .default, .userInitiated, .userInteractive] {
      for _ in 0..<100 { counter.queue.async(group: group, qos: qos, flags: .enforceQoS) { counter.note() } }
    }
    group.wait()
    return counter
  }

  private static func suspended() -> Counter {
    let counter = Counter("suspended")
    for _ in 0..<20 {
      counter.queue.suspend()
      for _ in 0..<10 { counter.queue.async { counter.note() } }
      counter.queue.resume()
    }
    counter.queue.sync {}
    return counter
  }
}
