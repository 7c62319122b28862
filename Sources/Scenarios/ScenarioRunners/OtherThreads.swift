import CRLTraceShims
import Foundation
import HeapModule

/// One thread that acts for all threads other than the loop's. It performs actions at given times, one after another.
package final class OtherThreads: @unchecked Sendable {
  private struct Entry: Comparable {
    let time: UInt64
    let number: Int
    let body: () -> Void
    static func < (a: Entry, b: Entry) -> Bool { (a.time, a.number) < (b.time, b.number) }
    static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
  }

  private let condition = NSCondition()
  // Guarded by `condition`.
  private var agenda = Heap<Entry>()
  private var count = 0
  private var isOver = false

  package init() {
    Thread.detachNewThread { [self] in
      rlt_name_thread("other threads")
      while let next = waitForNext() { next.body() }
    }
  }

  /// Calls `body` on the thread at a time of the monotonic clock.
  package func at(_ time: UInt64, _ body: @escaping () -> Void) {
    condition.withLock {
      count += 1
      agenda.insert(Entry(time: time, number: count, body: body))
      condition.signal()
    }
  }

  package func end() {
    condition.withLock {
      isOver = true
      condition.signal()
    }
  }

  private func waitForNext() -> Entry? {
    condition.withLock {
      while !isOver {
        guard let next = agenda.min else {
          condition.wait()
          continue
        }
        let now = rlt_monotonic_ns()
        if next.time <= now { return agenda.popMin() }
        _ = condition.wait(until: Date(timeIntervalSinceNow: Double(next.time - now) / 1e9))
      }
      return nil
    }
  }
}
