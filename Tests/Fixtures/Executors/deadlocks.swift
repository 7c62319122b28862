// Queues that wait for each other forever, and queues that only wait long.
import Dispatch
import Foundation

@main private struct Deadlocks {
  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case "itself": waitForItself()
    case "two": circle(["ledger", "journal"])
    case "three": circle(["ledger", "journal", "archive"])
    case "threads": nestCalls()
    case "long": waitLong()
    default: noProgram("itself two three threads long")
    }
  }

  /// Dispatch ends the program.
  private static func waitForItself() {
    let queue = DispatchQueue(label: "org.example.ledger")
    queue.async { readAgain(queue) }
    // The runtime interrupts sleeping threads when it prints the stacks.
    while true { sleep(2) }
  }

  @inline(never) private static func readAgain(_ queue: DispatchQueue) { queue.sync { print("never") } }

  /// Each queue waits for the next one. The program ends although they wait.
  private static func circle(_ names: [String]) {
    let queues = names.map { DispatchQueue(label: "org.example.\($0)") }
    for (index, queue) in queues.enumerated() {
      let next = queues[(index + 1) % queues.count]
      queue.async {
        usleep(50_000)
        copy(to: next)
      }
    }
    sleep(2)
    print("gave up")
  }

  @inline(never) private static func copy(to queue: DispatchQueue) { queue.sync { print("never") } }

  /// Two threads use queues like locks, in different orders. No work is queued.
  private static func nestCalls() {
    let first = DispatchQueue(label: "org.example.ledger"),
      second = DispatchQueue(label: "org.example.journal")
    Thread.detachNewThread { lock(first, second) }
    Thread.detachNewThread { lock(second, first) }
    sleep(2)
    print("gave up")
  }

  @inline(never) private static func lock(_ outer: DispatchQueue, _ inner: DispatchQueue) {
    outer.sync {
      usleep(50_000)
      inner.sync { print("never") }
    }
  }

  /// A chain of three queues, where each waits for the next one, and the last one sleeps.
  private static func waitLong() {
    let queues = ["ledger", "journal", "archive"].map { DispatchQueue(label: "org.example.\($0)") }
    let done = DispatchGroup()
    queues[2].async(group: done) { usleep(900_000) }
    for index in 0..<2 {
      queues[index].async(group: done) {
        usleep(20_000)
        queues[index + 1].sync {}
      }
    }
    done.wait()
    print("done")
  }
}
