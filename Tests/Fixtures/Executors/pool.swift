// Tasks that occupy threads of the cooperative pool, while others wait for one.
import Dispatch
import Foundation

@main private struct Pool {
  static func main() async {
    let threads = ProcessInfo.processInfo.activeProcessorCount
    switch CommandLine.arguments.dropFirst().first {
    case "none": await block(0)
    case "one": await block(1)
    case "all": await block(threads)
    case "compute": await run(threads) { spin(milliseconds: 1100) }
    default: noProgram("none one all compute")
    }
  }

  private static func block(_ count: Int) async {
    let semaphore = DispatchSemaphore(value: 0)
    DispatchQueue(label: "releaser").asyncAfter(deadline: .now() + 1.2) {
      for _ in 0..<count { semaphore.signal() }
    }
    await run(count) { waitForReply(semaphore) }
    // Longer than the releaser needs.
    await pause(milliseconds: 1300)
  }

  private static func run(_ count: Int, _ work: @escaping @Sendable () -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count { group.addTask(name: "long \(number)") { work() } }
      for _ in 0..<20 { group.addTask(name: "quick") { spin(milliseconds: 2) } }
    }
  }

  @inline(never) private static func waitForReply(_ semaphore: DispatchSemaphore) {
    semaphore.wait()  // fault: pool
  }
}
