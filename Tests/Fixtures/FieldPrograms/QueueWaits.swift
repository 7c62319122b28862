import Foundation

/// Programs in which the main thread and other queues wait for each other.
enum QueueWaits {
  static let beat = 0.1

  final class Matcher {
    private let queue = DispatchQueue(label: "org.example.matcher")
    private var state = "idle"

    func detect() {
      queue.async { [self] in
        let answered = DispatchSemaphore(value: 0)
        state = "detecting"
        askSystem { answered.signal() }
        answered.wait()
        state = "idle"
      }
    }

    /// The answer comes on the main queue.
    private func askSystem(_ completion: @escaping () -> Void) {
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) {
        DispatchQueue.main.async { completion() }
      }
    }

    func currentState() -> String { queue.sync { state } }
  }

  /// The main thread waits for a queue whose block waits for an answer that is queued on the main queue.
  static func answerBehindQueue(_ arguments: [String]) {
    let matcher = Matcher()
    _ = Timer.scheduledTimer(withTimeInterval: beat, repeats: true) { _ in }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { matcher.detect() }
    _ = Timer.scheduledTimer(withTimeInterval: 0.65, repeats: false) { _ in print(matcher.currentState()) }
    RunLoop.main.run()
  }

  final class Library: @unchecked Sendable {
    private let queue = DispatchQueue(label: "org.example.library")
    private var values = ["a": 1]
    func reload() {
      queue.async { [self] in
        usleep(100_000)
        DispatchQueue.main.sync { values["b"] = 2 }
      }
    }
    func count() -> Int { queue.sync { values.count } }
  }

  /// The main queue and another queue wait for each other; the main thread runs a loop, or `dispatchMain` if the
  /// argument is `no-loop`.
  static func eachOther(_ arguments: [String]) {
    let library = Library()
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.schedule(deadline: .now(), repeating: beat)
    source.setEventHandler {}
    source.resume()
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) {
      library.reload()
      usleep(20_000)
      print(library.count())
    }
    if arguments.first == "no-loop" { dispatchMain() }
    RunLoop.main.run()
  }

  final class Box: @unchecked Sendable {
    private let queue = DispatchQueue(label: "org.example.box", attributes: .concurrent)
    private var people = ["a": 1]
    func read<T>(_ body: ([String: Int]) -> T) -> T { queue.sync { body(people) } }
    func write(_ key: String, _ value: Int) {
      queue.async(flags: .barrier) { [self] in people[key] = value }
    }
    func summary() -> Int {
      read { people in
        usleep(150_000)
        return people.count + read { $0.values.reduce(0, +) }
      }
    }
  }

  /// A read inside a read of one queue, with a barrier queued between the two.
  static func readInRead(_ arguments: [String]) {
    let box = Box()
    _ = Timer.scheduledTimer(withTimeInterval: beat, repeats: true) { _ in }
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.55) { box.write("b", 2) }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { print(box.summary()) }
    RunLoop.main.run()
  }

  /// An observer of a loop that never runs: the notification is queued on a thread of a dispatch queue.
  static func idleNotification(_ arguments: [String]) {
    let changed = Notification.Name("changed")
    let worker = DispatchQueue(label: "org.example.editor")
    for turn in 1...5 {
      worker.asyncAfter(deadline: .now() + beat * Double(turn)) {
        NotificationQueue.default.enqueue(
          Notification(name: changed), postingStyle: .whenIdle, coalesceMask: .onName, forModes: nil)
      }
    }
    _ = Timer.scheduledTimer(withTimeInterval: beat, repeats: true) { _ in }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 1.5))
  }
}
