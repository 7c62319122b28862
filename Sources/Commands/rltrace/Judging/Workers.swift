import CRLTraceShims
import SystemSupport

/// Threads for independent items whose results are needed in order.
enum Workers {
  /// The number of results that may wait for the result of an earlier item.
  fileprivate static let mostAhead = 1024

  /// Returns the number of threads for `items` items: one for each usable processor, but at most `most`.
  static func count(for items: Int, atMost most: Int = .max) -> Int {
    min(items, most, Int(rlt_usable_processors()))
  }

  /// Calls `make` for the items, on several threads, and `use` with the number of each item and its result, in order,
  /// on this thread. If `use` throws, no further item is begun, and the error is thrown when the items that were begun
  /// are finished.
  static func inOrder<Item: Sendable, Made: Sendable>(
    _ items: [Item], atMost most: Int = .max, make: @escaping @Sendable (Item) -> Made,
    use: (Int, Made) throws -> Void
  ) rethrows {
    let wanted = count(for: items.count, atMost: most)
    let work = OrderedWork(items, make)
    // A single thread would do no more than this one. The system may refuse to start threads.
    let threads = (0..<(wanted > 1 ? wanted : 0)).compactMap { _ in
      try? NativeThread("rltrace-work") { work.run() }
    }
    guard !threads.isEmpty else {
      for (number, item) in items.enumerated() { try use(number, make(item)) }
      return
    }
    defer {
      work.stop()
      for thread in threads { thread.join() }
    }
    for number in items.indices { try use(number, work.take(number)) }
  }
}

/// Items and results that the threads share.
///
/// SAFETY: `condition` guards the variables. Everything else is immutable.
private final class OrderedWork<Item: Sendable, Made: Sendable>: @unchecked Sendable {
  private let items: [Item]
  private let make: @Sendable (Item) -> Made
  /// Signalled when a variable changes.
  private let condition = Condition()
  /// The number of items that were begun, and the number of results that were taken.
  private var begun = 0
  private var taken = 0
  /// By item: the results that were not taken yet.
  private var made: [Int: Made] = [:]

  init(_ items: [Item], _ make: @escaping @Sendable (Item) -> Made) {
    self.items = items
    self.make = make
  }

  /// Works until no item is left.
  func run() {
    while let number = next() {
      let result = make(items[number])
      condition.withLock { made[number] = result }
      condition.broadcast()
    }
  }

  private func next() -> Int? {
    condition.withLock {
      while begun < items.count, begun - taken >= Workers.mostAhead { condition.wait() }
      guard begun < items.count else { return nil }
      begun += 1
      return begun - 1
    }
  }

  /// Waits for the result of an item. The items are taken in order.
  func take(_ number: Int) -> Made {
    defer { condition.broadcast() }
    return condition.withLock {
      while true {
        if let result = made.removeValue(forKey: number) {
          taken += 1
          return result
        }
        condition.wait()
      }
    }
  }

  /// Lets no further item begin.
  func stop() {
    condition.withLock { begun = items.count }
    condition.broadcast()
  }
}
