// Kinds of tasks and executors. Each program prints how many tasks it created, and logs its steps.
import Dispatch
import Foundation

@main private struct Kinds {
  static func main() async {
    switch CommandLine.arguments.dropFirst().first {
    case "cancelled": await cancel()
    case "async-let": await asyncLet()
    case "discarding": await discard()
    case "serial-executor": await useSerialExecutor()
    case "task-executor": await useTaskExecutor()
    case "global-actor": await useGlobalActor()
    case "stream": await stream()
    case "throwing": await throwErrors()
    case "clocks": await sleepWithTolerance()
    case "immediate": await beginImmediately()
    case "suspended": await suspend(100_000)
    case "short": await runShort(10_000)
    case "fork": await fork()
    case "lost": await lose()
    default:
      noProgram(
        "cancelled async-let discarding serial-executor task-executor global-actor stream throwing clocks immediate"
          + " suspended short fork lost")
    }
    Log.write()
  }

  private static func cancel() async {
    let sleepers = (0..<10).map { _ in
      Task(name: "sleeper") {
        Log.step()
        do { try await Task.sleep(nanoseconds: 60_000_000_000) } catch { Log.step() }
      }
    }
    await pause(milliseconds: 20)
    for sleeper in sleepers { sleeper.cancel() }
    for sleeper in sleepers { await sleeper.value }
    // Cancelled before it begins.
    let early = Task(name: "early") { if Task.isCancelled { Log.step() } }
    early.cancel()
    await early.value
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { _ = group.addTaskUnlessCancelled(name: "kept") { Log.step() } }
      group.cancelAll()
      for _ in 0..<5 { _ = group.addTaskUnlessCancelled(name: "refused") { Log.step() } }
    }
    Log.tasks(10, "sleeper")
    Log.tasks(1, "early")
    Log.tasks(5, "kept")
    Log.tasks(0, "refused")
  }

  private static func half(_ number: Int) async -> Int {
    Log.step()
    await pause(milliseconds: 2)
    Log.step()
    return number / 2
  }

  private static func asyncLet() async {
    for number in 0..<10 {
      await Task(name: "outer") {
        Log.step()
        async let first = half(number)
        async let second = half(number + 1)
        _ = await first + second
        Log.step()
      }.value
    }
    Log.tasks(10, "outer")
    // Children of async let have no name: they are called by their function.
    Log.tasks(20, "implicit closure #*")
  }

  private static func discard() async {
    await withDiscardingTaskGroup { group in
      for _ in 0..<1000 {
        group.addTask(name: "discarded") {
          Log.step()
          await Task.yield()
          Log.step()
        }
      }
    }
    Log.tasks(1000, "discarded")
  }

  private static func useSerialExecutor() async {
    let desk = Desk()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask(name: "visitor") {
          Log.step()
          await desk.visit(number)
          Log.step()
        }
      }
    }
    Log.tasks(20, "visitor")
  }

  private static func useTaskExecutor() async {
    let executor = ThreadExecutor()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask(name: "placed", executorPreference: executor) {
          Log.step()
          await pause(milliseconds: 1)
          Log.step()
        }
      }
    }
    Log.tasks(50, "placed")
  }

  private static func useGlobalActor() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask(name: "saver") {
          Log.step()
          await save()
          Log.step()
        }
      }
    }
    Log.tasks(20, "saver")
  }

  @DiskActor private static func save() {
    Log.step()
    spin(milliseconds: 1)
  }

  private static func stream() async {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let reader = Task(name: "reader") { for await _ in numbers { Log.step() } }
    let writer = Task(name: "writer") {
      for number in 0..<500 {
        Log.step()
        continuation.yield(number)
        if number % 50 == 0 { await Task.yield() }
      }
      continuation.finish()
    }
    await writer.value
    await reader.value
    Log.tasks(1, "reader")
    Log.tasks(1, "writer")
  }

  private struct Refused: Error {}

  private static func throwErrors() async {
    for _ in 0..<20 {
      _ = try? await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<10 {
          group.addTask(name: "thrower") {
            Log.step()
            if number == 5 { throw Refused() }
            try await Task.sleep(nanoseconds: 5_000_000)
            Log.step()
          }
        }
        try await group.waitForAll()
      }
    }
    Log.tasks(200, "thrower")
  }

  /// A sleep that may be longer has a timer of its own. Two other clocks have other time bases.
  private static func sleepWithTolerance() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask(name: "tolerant") {
        Log.step()
        try? await Task.sleep(for: .milliseconds(300), tolerance: .milliseconds(50))
        Log.step()
      }
      group.addTask(name: "continuous") {
        Log.step()
        try? await ContinuousClock().sleep(for: .milliseconds(300))
        Log.step()
      }
      group.addTask(name: "suspending") {
        Log.step()
        try? await SuspendingClock().sleep(for: .milliseconds(300))
        Log.step()
      }
    }
    for name in ["tolerant", "continuous", "suspending"] { Log.tasks(1, name) }
  }

  /// Tasks that begin on the thread that creates them.
  private static func beginImmediately() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addImmediateTask(name: "immediate") {
          Log.step()
          if number % 2 == 0 { await pause(milliseconds: 1) }
          Log.step()
        }
      }
    }
    Log.tasks(20, "immediate")
  }

  /// All tasks are suspended at once. They are created and resumed in batches, so that a busy machine loses no events.
  private static func suspend(_ count: Int) async {
    let gate = Gate()
    await withTaskGroup(of: Void.self) { group in
      for number in 1...count {
        group.addTask(name: "waiter") { await gate.wait() }
        if number % 2000 == 0 { await pause(milliseconds: 10) }
      }
      while await gate.count < count { await pause(milliseconds: 10) }
      Log.step()
      while await gate.open(2000) { await pause(milliseconds: 10) }
    }
    Log.tasks(count, "waiter")
  }

  private static func runShort(_ count: Int) async {
    await withTaskGroup(of: Int.self) { group in
      for number in 0..<count { group.addTask(name: "short") { number & 1 } }
      var sum = 0
      for await number in group { sum += number }
      print("sum \(sum)")
    }
    Log.tasks(count, "short")
  }

  /// A task starts a child process, which ends without running anything of the parent.
  private static func fork() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask(name: "forker") {
          Log.step()
          let child = forkProcess()
          if child == 0 { _exit(0) }
          waitpid(child, nil, 0)
          Log.step()
          await Task.yield()
          Log.step()
        }
      }
    }
    Log.tasks(4, "forker")
  }

  nonisolated(unsafe) private static var kept: [UnsafeContinuation<Void, Never>] = []

  private static func lose() async {
    for _ in 0..<3 {
      Task(name: "lost") {
        Log.step()
        await withUnsafeContinuation { kept.append($0) }
      }
      await pause(milliseconds: 5)
    }
    Log.tasks(3, "lost")
    await pause(milliseconds: 400)
  }
}

/// Runs jobs on a thread of its own, one after the other.
private final class ThreadExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  init() { Thread.detachNewThread { [self] in serve() } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock { jobs.append(job) }
    condition.signal()
  }

  private func serve() {
    while true {
      condition.lock()
      while jobs.isEmpty { condition.wait() }
      let job = jobs.removeFirst()
      condition.unlock()
      if isForActor {
        job.runSynchronously(on: asUnownedSerialExecutor())
      } else {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  nonisolated(unsafe) var isForActor = false

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

private actor Desk {
  private let executor = ThreadExecutor()
  private var sum = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init() { executor.isForActor = true }

  func visit(_ number: Int) {
    Log.step()
    sum += number
    spin(milliseconds: 1)
  }
}

@globalActor private actor DiskActor { static let shared = DiskActor() }

private actor Gate {
  private(set) var count = 0
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var opened = 0
  func wait() async {
    await withUnsafeContinuation {
      count += 1
      waiting.append($0)
    }
  }
  /// Resumes the next ones, the oldest first: groups need long to remove others. Returns whether some still wait.
  func open(_ count: Int) -> Bool {
    for continuation in waiting.dropFirst(opened).prefix(count) { continuation.resume() }
    opened += count
    return opened < waiting.count
  }
}

@_silgen_name("fork") private func forkProcess() -> Int32
