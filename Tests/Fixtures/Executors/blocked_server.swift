// A server whose requests wait with a semaphore for a store that calls back: the threads of Swift's pool are blocked, and
// health checks wait for one. With the argument "fixed", a request suspends instead.
import Dispatch
import Foundation

private final class DiskStore: Sendable {
  private let queue = DispatchQueue(label: "org.example.disk", attributes: .concurrent)
  func read(_ key: Int, _ completion: @escaping @Sendable (Int) -> Void) {
    queue.asyncAfter(deadline: .now() + 0.15) { completion(key * 3) }
  }
}

private final class Reply: @unchecked Sendable { var value = 0 }

private actor Totals {
  private(set) var sum = 0
  func add(_ value: Int) { sum += value }
}

@main private struct BlockedServer {
  private static let store = DiskStore()
  private static let totals = Totals()

  static func main() async {
    let isFixed = CommandLine.arguments.dropFirst().first == "fixed"
    async let checks = checkHealth()
    for _ in 0..<4 {
      await withTaskGroup(of: Void.self) { group in
        for request in 0..<8 { group.addTask(name: "request") { await answer(request, isFixed) } }
      }
      await pause(milliseconds: 30)
    }
    print("checks \(await checks), sum \(await totals.sum)")
  }

  private static func answer(_ request: Int, _ isFixed: Bool) async {
    let value = isFixed ? await readSuspended(request) : readBlocking(request)
    await totals.add(value)
  }

  @inline(never) private static func readBlocking(_ key: Int) -> Int {
    let done = DispatchSemaphore(value: 0)
    let reply = Reply()
    store.read(key) {
      reply.value = $0
      done.signal()
    }
    done.wait()  // fault: server
    return reply.value
  }

  private static func readSuspended(_ key: Int) async -> Int {
    await withCheckedContinuation { continuation in store.read(key) { continuation.resume(returning: $0) } }
  }

  private static func checkHealth() async -> Int {
    var count = 0
    for _ in 0..<25 {
      _ = await Task(name: "check") { await totals.sum }.value
      count += 1
      await pause(milliseconds: 20)
    }
    return count
  }
}
