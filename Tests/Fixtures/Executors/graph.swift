// A known graph of tasks, which logs each of its steps.
import Dispatch
import Foundation

private actor Register {
  private var sum = 0
  func add(_ number: Int) {
    Log.step()
    spin(milliseconds: 10)
    sum += number
    Log.step()
  }
  /// Leaves the actor and comes back.
  func addLater(_ number: Int) async {
    Log.step()
    await pause(milliseconds: 5)
    Log.step()
    sum += number
  }
}

@MainActor private func showOnMain() {
  Log.stepOnMain()
  spin(milliseconds: 10)
  Log.stepOnMain()
}

nonisolated(unsafe) private var kept: UnsafeContinuation<Void, Never>?

@main private struct Graph {
  static func main() async {
    Log.step()
    await compute()
    await useActor()
    await nest()
    await Task.detached(name: "shower") { await showOnMain() }.value
    Log.tasks(1, "shower")
    Log.step()
    await sleep()
    await blockPool()
    Task.detached(name: "lost") {
      Log.step()
      await withUnsafeContinuation { kept = $0 }
    }
    Log.tasks(1, "lost")
    await pause(milliseconds: 30)
    Log.step()
    Log.write()
  }

  /// More tasks than the pool has threads.
  private static func compute() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask(name: "compute \(number)") {
          Log.step()
          spin(milliseconds: 20)
          Log.step()
        }
        Log.tasks(1, "compute \(number)")
      }
    }
  }

  /// Three tasks wait for one actor.
  private static func useActor() async {
    let register = Register()
    await withTaskGroup(of: Void.self) { group in
      for number in 1...3 {
        group.addTask(name: "add \(number)") {
          Log.step()
          await register.add(number)
          Log.step()
          await register.addLater(number)
          Log.step()
        }
        Log.tasks(1, "add \(number)")
      }
    }
  }

  /// Children of children.
  private static func nest() async {
    await withTaskGroup(of: Void.self) { group in
      for outer in 0..<3 {
        group.addTask(name: "outer \(outer)") {
          Log.step()
          await withTaskGroup(of: Void.self) { group in
            for inner in 0..<3 {
              group.addTask(name: "inner \(outer)") {
                Log.step()
                if inner == 1 { await Task.yield() }
                Log.step()
              }
            }
          }
          Log.step()
        }
        Log.tasks(1, "outer \(outer)")
        Log.tasks(3, "inner \(outer)")
      }
    }
  }

  private static func sleep() async {
    await Task.detached(name: "sleeper", priority: .background) {
      for _ in 0..<5 {
        Log.step()
        await pause(milliseconds: 3)
      }
      Log.step()
    }.value
    Log.tasks(1, "sleeper")
  }

  /// Each thread of the pool waits for 150 ms, while eight tasks cannot begin.
  private static func blockPool() async {
    let semaphore = DispatchSemaphore(value: 0)
    let threads = ProcessInfo.processInfo.activeProcessorCount
    DispatchQueue(label: "releaser").asyncAfter(deadline: .now() + 0.15) {
      for _ in 0..<threads { semaphore.signal() }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<threads {
        group.addTask(name: "blocker") {
          Log.step()
          waitFor(semaphore)
          Log.step()
        }
      }
      for _ in 0..<8 { group.addTask(name: "quick") { Log.step() } }
    }
    Log.tasks(threads, "blocker")
    Log.tasks(8, "quick")
  }

  @inline(never) private static func waitFor(_ semaphore: DispatchSemaphore) {
    semaphore.wait()  // fault: graph
  }
}
