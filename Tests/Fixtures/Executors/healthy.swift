// Concurrent programs without a fault.
import Dispatch
import Foundation

@main private struct Healthy {
  static func main() async {
    switch CommandLine.arguments.dropFirst().first {
    case "pipeline": await pipeline()
    case "map": await map()
    case "cache": await useCache()
    case "limited": await limitedDownloads()
    case "callbacks": await wrapCallbacks()
    case "periodic": await periodic()
    case "main-actor": await showProgress()
    case "timeouts": await timeouts()
    case "pool": dispatchPool()
    case "readers": readersAndWriters()
    case "timers": dispatchTimers()
    case "operations": operations()
    case "hierarchy": queueHierarchy()
    case "batch": await batch()
    case "threads": threads()
    default:
      noProgram(
        "pipeline map cache limited callbacks periodic main-actor timeouts pool readers timers operations hierarchy"
          + " batch threads")
    }
    print("end")
  }

  /// A producer and two stages, connected by streams.
  private static func pipeline() async {
    let (numbers, first) = AsyncStream.makeStream(of: Int.self)
    let (squares, second) = AsyncStream.makeStream(of: Int.self)
    async let producer: Void = {
      for number in 0..<200 {
        first.yield(number)
        await pause(milliseconds: 2)
      }
      first.finish()
    }()
    async let stage: Void = {
      for await number in numbers { second.yield(number * number) }
      second.finish()
    }()
    var sum = 0
    for await square in squares { sum += square }
    _ = await (producer, stage)
    print(sum)
  }

  /// Short computations in parallel.
  private static func map() async {
    let sums = await withTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask {
          spin(milliseconds: 1)
          return number
        }
      }
      return await group.reduce(0, +)
    }
    print(sums)
  }

  private actor Cache {
    private var values: [Int: Task<Int, Never>] = [:]
    func value(_ key: Int) async -> Int {
      if let known = values[key] { return await known.value }
      let loading = Task {
        await pause(milliseconds: 20)
        return key * 2
      }
      values[key] = loading
      return await loading.value
    }
  }

  private static func useCache() async {
    let cache = Cache()
    await withTaskGroup(of: Void.self) { group in
      for reader in 0..<20 {
        group.addTask {
          for key in 0..<30 { _ = await cache.value((key + reader) % 40) }
        }
      }
    }
  }

  /// At most four transfers at once: the next one begins when one ends.
  private static func limitedDownloads() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        if number >= 4 { await group.next() }
        group.addTask { await pause(milliseconds: 30) }
      }
    }
  }

  private static func wrapCallbacks() async {
    let queue = DispatchQueue(label: "org.example.callbacks")
    for _ in 0..<3 {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            await withCheckedContinuation { continuation in
              queue.asyncAfter(deadline: .now() + 0.15) { continuation.resume() }
            }
          }
        }
      }
    }
  }

  /// Tasks that sleep for long times do not wait for the pool.
  private static func periodic() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 1...4 {
        group.addTask {
          for _ in 0..<3 {
            try? await Task.sleep(
              for: .milliseconds(150 * number), tolerance: number == 2 ? .milliseconds(20) : nil)
            spin(milliseconds: 1)
          }
        }
      }
    }
  }

  @MainActor private static var shown = 0

  @MainActor private static func show(_ progress: Int) { shown = max(shown, progress) }

  private static func showProgress() async {
    await Task.detached {
      for number in 0..<100 {
        spin(milliseconds: 2)
        await show(number)
        await pause(milliseconds: 1)
      }
    }.value
    await print(MainActor.run { shown })
  }

  /// The slower one of two tasks is cancelled.
  private static func timeouts() async {
    for _ in 0..<5 {
      await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          await pause(milliseconds: 120)
          return true
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(60))
          return false
        }
        _ = await group.next()
        group.cancelAll()
      }
    }
  }

  private static func dispatchPool() {
    let results = DispatchQueue(label: "org.example.results")
    let group = DispatchGroup()
    nonisolated(unsafe) var sum = 0
    for _ in 0..<50 {
      DispatchQueue.global().async(group: group) {
        spin(milliseconds: 2)
        results.sync { sum += 1 }
      }
    }
    group.wait()
    DispatchQueue.concurrentPerform(iterations: 50) { _ in spin(milliseconds: 1) }
    print(results.sync { sum })
  }

  private static func readersAndWriters() {
    let queue = DispatchQueue(label: "org.example.values", attributes: .concurrent)
    let group = DispatchGroup()
    nonisolated(unsafe) var values: [Int: Int] = [:]
    for number in 0..<200 {
      if number % 10 == 0 { queue.async(group: group, flags: .barrier) { values[number % 100] = number } }
      queue.async(group: group) { _ = values.count }
    }
    group.wait()
    queue.sync { print(values.count) }
  }

  private static func dispatchTimers() {
    let queue = DispatchQueue(label: "org.example.timers")
    nonisolated(unsafe) var fires = 0
    let timers = (1...3).map { number in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + 0.2, repeating: 0.05 * Double(number), leeway: .milliseconds(5))
      timer.setEventHandler { fires += 1 }
      timer.resume()
      return timer
    }
    usleep(800_000)
    for timer in timers { timer.cancel() }
    queue.sync { print(fires > 10) }
  }

  private static func operations() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let last = BlockOperation {}
    for _ in 0..<20 {
      let operation = BlockOperation { spin(milliseconds: 2) }
      last.addDependency(operation)
      queue.addOperation(operation)
    }
    queue.addOperation(last)
    queue.waitUntilAllOperationsAreFinished()
    print(queue.operationCount)
  }

  /// Queues with a common target, and a work item that is cancelled.
  private static func queueHierarchy() {
    let target = DispatchQueue(label: "org.example.target")
    let group = DispatchGroup()
    let queues = (0..<3).map { DispatchQueue(label: "org.example.part\($0)", target: target) }
    for number in 0..<90 {
      queues[number % 3].async(group: group) { spin(milliseconds: number % 2 == 0 ? 0 : 1) }
    }
    let item = DispatchWorkItem { spin(milliseconds: 1) }
    queues[0].async(execute: item)
    item.wait()
    group.wait()
    let cancelled = DispatchWorkItem { print("never") }
    queues[1].asyncAfter(deadline: .now() + 0.1, execute: cancelled)
    cancelled.cancel()
    usleep(300_000)
  }

  /// A background computation that takes long, and yields.
  private static func batch() async {
    let work = Task.detached(priority: .background) {
      for _ in 0..<100 {
        spin(milliseconds: 5)
        await Task.yield()
      }
    }
    for _ in 0..<20 { await pause(milliseconds: 20) }
    await work.value
  }

  /// Threads, locks and a queue, without tasks.
  private static func threads() {
    let lock = NSLock(), done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var sum = 0
    for _ in 0..<4 {
      Thread.detachNewThread {
        for _ in 0..<100 {
          lock.withLock { sum += 1 }
          usleep(1000)
        }
        done.signal()
      }
    }
    let reports = DispatchQueue(label: "org.example.reports")
    for _ in 0..<10 {
      reports.async { lock.withLock { _ = sum } }
      usleep(20_000)
    }
    for _ in 0..<4 { done.wait() }
    print(sum)
  }
}
