import Foundation

// A store that is saved by a thread of its own, and read by the main thread.

final class Store {
  private let lock = NSLock()
  private var items: [Int] = []

  func save() {
    lock.lock()
    let copy = items
    #if FIXED
    lock.unlock()
    write(copy)
    #else
    write(copy)
    lock.unlock()
    #endif
  }

  private func write(_ items: [Int]) { Thread.sleep(forTimeInterval: 0.5) }

  func add(_ item: Int) {
    lock.lock()
    items.append(item)
    lock.unlock()
  }
}

let store = Store()
Thread.detachNewThread {
  while true {
    store.save()
    Thread.sleep(forTimeInterval: 0.5)
  }
}
_ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in store.add(1) }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 3))
