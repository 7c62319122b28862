// Three faults with queues, and the same programs without them (with the second argument "fixed").
import Dispatch
import Foundation

/// A scanner waits on its own queue for an answer that comes on the main queue; the main thread asks that queue.
private final class Scanner: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.scanner")
  private let state = NSLock()
  private var name = "idle"

  @inline(never) func scanBlocking() {
    queue.async { [self] in
      let answered = DispatchSemaphore(value: 0)
      name = "scanning"
      askSystem { answered.signal() }
      answered.wait()  // fault: scanner
      name = "idle"
    }
  }

  func scan() {
    queue.async { [self] in
      name = "scanning"
      askSystem { [self] in queue.async { [self] in name = "idle" } }
    }
  }

  private func askSystem(_ completion: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
      DispatchQueue.main.async(execute: completion)
    }
  }

  @inline(never) func currentName() -> String { queue.sync { name } }
}

private func runScanner(_ isFixed: Bool) {
  let scanner = Scanner()
  let beat = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in }
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) { isFixed ? scanner.scan() : scanner.scanBlocking() }
  _ = Timer.scheduledTimer(withTimeInterval: 0.4, repeats: false) { _ in print(scanner.currentName()) }
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 1.5))
  beat.invalidate()
}

/// Many readers or one writer: a read inside a read, and a write that was queued between the two.
private final class Register: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.register", attributes: .concurrent)
  private var values = ["a": 1]

  func read<T>(_ body: ([String: Int]) -> T) -> T { queue.sync { body(values) } }
  func write(_ key: String, _ value: Int) { queue.async(flags: .barrier) { [self] in values[key] = value } }

  @inline(never) func summarizeTwice() -> Int {
    read { values in
      usleep(100_000)
      return values.count + read { $0.values.reduce(0, +) }  // fault: register
    }
  }

  @inline(never) func summarize() -> Int {
    read { values in
      usleep(100_000)
      return values.count + values.values.reduce(0, +)
    }
  }
}

private func runRegister(_ isFixed: Bool) {
  let register = Register()
  let beat = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in }
  DispatchQueue.global().asyncAfter(deadline: .now() + 0.35) { register.write("b", 2) }
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) {
    print(isFixed ? register.summarize() : register.summarizeTwice())
  }
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 1.5))
  beat.invalidate()
}

/// Without a run loop: the main queue asks a store's queue, which asks the main queue.
private final class Store: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.store")
  private var values = ["a": 1]

  @inline(never) func reloadBlocking() {
    queue.async { [self] in
      usleep(80_000)
      DispatchQueue.main.sync { values["b"] = 2 }  // fault: store
    }
  }

  func reload() {
    queue.async { [self] in
      usleep(80_000)
      values["b"] = 2
      DispatchQueue.main.async {}
    }
  }

  @inline(never) func count() -> Int { queue.sync { values.count } }
}

private func runStore(_ isFixed: Bool) -> Never {
  let store = Store()
  let beat = DispatchSource.makeTimerSource(queue: .main)
  beat.schedule(deadline: .now(), repeating: 0.1)
  beat.setEventHandler {}
  beat.resume()
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) {
    isFixed ? store.reload() : store.reloadBlocking()
    usleep(20_000)
    print(store.count())
  }
  if isFixed { DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) { exit(0) } }
  dispatchMain()
}

@main private struct QueueFaults {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let isFixed = arguments.last == "fixed"
    // The main thread of a program with a fault does not come back.
    Thread.detachNewThread {
      usleep(2_500_000)
      exit(0)
    }
    switch arguments.first {
    case "scanner": runScanner(isFixed)
    case "register": runRegister(isFixed)
    case "store": runStore(isFixed)
    default: noProgram("scanner register store")
    }
  }
}
