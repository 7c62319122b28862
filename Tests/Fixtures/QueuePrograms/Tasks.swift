import Dispatch
import Foundation

/// Tasks, actors and blocks with known numbers of slices.
enum Tasks {
  /// Four named tasks that compute, and three that use one actor.
  static func graph() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 { group.addTask(name: "compute \(number)") { spin(milliseconds: 20) } }
    }
    let bank = Bank()
    await withTaskGroup(of: Void.self) { group in
      for number in 1...3 { group.addTask(name: "deposit \(number)") { await bank.deposit(number) } }
    }
    let balance = await bank.balance
    waitForOtherThreads()
    print("balance \(balance)")
  }

  private actor Bank {
    private(set) var balance = 0
    /// Continues on the actor.
    func deposit(_ amount: Int) async {
      try? await Task.sleep(nanoseconds: 5_000_000)
      Tasks.spin(milliseconds: 20)
      balance += amount
    }
  }

  private static func spin(milliseconds: UInt64) {
    let end = DispatchTime.now().uptimeNanoseconds + milliseconds * 1_000_000
    while DispatchTime.now().uptimeNanoseconds < end {}
  }

  /// Each thread of the pool waits for 200 ms, while eight tasks cannot begin.
  static func blockedPool() async {
    let semaphore = DispatchSemaphore(value: 0)
    let threads = ProcessInfo.processInfo.activeProcessorCount
    DispatchQueue(label: "releaser").asyncAfter(deadline: .now() + 0.2) {
      for _ in 0..<threads { semaphore.signal() }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<threads { group.addTask(name: "blocker \(number)") { waitFor(semaphore) } }
      for number in 0..<8 { group.addTask(name: "quick \(number)") {} }
    }
    waitForOtherThreads()
    print("released")
  }

  /// Waits until all other threads sleep: the end of work is recorded after the work itself.
  private static func waitForOtherThreads() {
    var running = 2
    while running > 1 {
      usleep(1000)
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      running = threads.count { thread in
        let path = "/proc/self/task/\(thread)/status"
        let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return status.contains("State:\tR") || status.contains("State:\tD")
      }
    }
  }

  @inline(never) private static func waitFor(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  private static var kept: UnsafeContinuation<Void, Never>?
  @MainActor private static var keptOnMain: UnsafeContinuation<Void, Never>?

  /// The program never resumes the tasks. One of them runs only on the main actor.
  static func lostContinuation() async {
    Task(name: "lost") { await withUnsafeContinuation { kept = $0 } }
    Task(name: "lost on main") { @MainActor in await withUnsafeContinuation { keptOnMain = $0 } }
    try? await Task.sleep(nanoseconds: 50_000_000)
    waitForOtherThreads()
    print("end")
  }

  /// A test that never ends, and is killed at its time limit.
  static func stuck() async {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { kill(getpid(), SIGKILL) }
    await Task(name: "lost") { await withUnsafeContinuation { kept = $0 } }.value
  }

  /// Ten blocks and a work item of a serial queue, and one on a shared queue.
  static func blocks() {
    let queue = DispatchQueue(label: "blocks")
    for _ in 0..<10 { queue.async { step() } }
    queue.async(execute: DispatchWorkItem { spin(milliseconds: 1) })
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { done.signal() }
    done.wait()
    queue.sync { print("end") }
  }

  /// Work whose waits are not known: three fires of a timer, the notification of a group, and two operations, one after
  /// the other.
  static func handlers() {
    let queue = DispatchQueue(label: "handlers"), fires = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now(), repeating: .milliseconds(5))
    timer.setEventHandler { fires.signal() }
    timer.resume()
    for _ in 0..<3 { fires.wait() }
    timer.cancel()
    let group = DispatchGroup(), notified = DispatchSemaphore(value: 0)
    group.notify(queue: queue) { notified.signal() }
    notified.wait()
    let operations = OperationQueue()
    operations.name = "operations"
    operations.maxConcurrentOperationCount = 1
    for _ in 0..<2 { operations.addOperation { spin(milliseconds: 2) } }
    operations.waitUntilAllOperationsAreFinished()
    print("end")
  }

  /// A block that runs its thread's loop for 50 ms, and then waits for 600 ms.
  static func loops() {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "loops").async {
      runLoop()
      rest()
      done.signal()
    }
    done.wait()
    print("end")
  }

  @inline(never) private static func runLoop() {
    let end = Date(timeIntervalSinceNow: 0.05)
    let timer = Timer(fire: end, interval: 0, repeats: false) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    while timer.isValid { _ = RunLoop.current.run(mode: .default, before: end) }
  }

  @inline(never) private static func rest() {
    Thread.sleep(forTimeInterval: 0.6)
    print("rested")
  }

  @inline(never) private static func step() {}
}
