import Dispatch
import Foundation

/// A program whose main queue is not served by a run loop. Work reaches that queue in every possible way, and some work
/// goes to other queues.
enum Served {
  nonisolated(unsafe) private static var ran: [String] = []
  private static func note(_ name: String) { ran.append(name) }

  static func run(_ arguments: [String]) {
    async()
    workItem()
    sync()
    group()
    operation()
    job()
    behind()
    elsewhere()
    let timer = timer()
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.4) { end(timer) }
    dispatchMain()
  }

  private static func async() {
    DispatchQueue.main.async { note("async") }
    DispatchQueue.main.async(flags: .barrier) { note("barrier") }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { note("after") }
  }

  private static func workItem() {
    let item = DispatchWorkItem { note("item") }
    DispatchQueue.main.async(execute: item)
    item.notify(queue: .main) { note("item notify") }
  }

  /// Runs on the thread that waits for it.
  private static func sync() {
    Thread.detachNewThread { DispatchQueue.main.sync { note("sync") } }
  }

  private static func group() {
    let group = DispatchGroup()
    DispatchQueue.main.async(group: group) { note("group") }
    group.notify(queue: .main) { note("group notify") }
  }

  private static func operation() { OperationQueue.main.addOperation { note("operation") } }

  private static func job() { Task { @MainActor in note("job") } }

  private static func behind() { DispatchQueue(label: "behind", target: .main).async { note("behind") } }

  /// Not work of the main queue: an item on another queue, and one that a block there performs itself.
  private static func elsewhere() {
    let item = DispatchWorkItem {}, other = DispatchQueue(label: "other")
    other.async(execute: item)
    other.async { DispatchWorkItem {}.perform() }
  }

  private static func timer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    var fires = 0
    timer.schedule(deadline: .now() + 0.02, repeating: 0.02)
    timer.setEventHandler {
      fires += 1
      if fires == 5 { timer.cancel() }
    }
    timer.resume()
    return timer
  }

  private static func end(_ timer: any DispatchSourceTimer) {
    print(ran.sorted().joined(separator: ", "))
    exit(timer.isCancelled ? 3 : 1)
  }
}
