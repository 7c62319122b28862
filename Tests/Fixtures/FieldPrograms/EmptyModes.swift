import Foundation

/// Programs that run an empty mode in a loop. Each run returns at once, millions of times.
enum EmptyModes {
  static func onThread(_ arguments: [String]) {
    let worker = Thread {
      let end = Date(timeIntervalSinceNow: 2)
      while Date() < end { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    worker.name = "event loop"
    worker.start()
    RunLoop.main.add(Timer(timeInterval: 1, repeats: true) { _ in }, forMode: .common)
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 3))
  }

  static func onMain(_ arguments: [String]) {
    let end = Date(timeIntervalSinceNow: 2)
    while Date() < end { _ = RunLoop.main.run(mode: RunLoop.Mode("own"), before: .distantFuture) }
    print("done")
  }
}
