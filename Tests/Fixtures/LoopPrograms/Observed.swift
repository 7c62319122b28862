import CoreFoundation
import Foundation

/// A timer fires in a loop, at least 20 times. An observer of BeforeWaiting that sleeps for 5 ms is added before the run,
/// in the fifth fire (`in-a-callout`), or then by another thread (`elsewhere`). With `lowest` and `highest`, it has such
/// an order. The loop ends when it was called more than five times, at the latest after 1000 fires. Prints how often it
/// was called.
enum Observed {
  nonisolated(unsafe) private static var calls = 0, fires = 0
  nonisolated(unsafe) private static let loop = CFRunLoopGetMain()

  static func run(_ arguments: [String]) {
    let place = arguments.first ?? "before"
    let orders = ["lowest": CFIndex.min, "highest": CFIndex.max]
    if place == "before" { addObserver() }
    let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { timer in
      fires += 1
      if fires == 5 && place == "in-a-callout" { addObserver() }
      if fires == 5 && place == "elsewhere" { Thread { addObserver() }.start() }
      if let order = orders[place], fires == 5 { addObserver(order: order) }
      if fires >= 20 && calls > 5 || fires == 1000 { timer.invalidate() }
    }
    while timer.isValid { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.5)) }
    print("calls \(calls)")
  }

  private static func addObserver(order: CFIndex = 0) {
    let activity = CFRunLoopActivity.beforeWaiting.rawValue
    let observer = CFRunLoopObserverCreateWithHandler(nil, activity, true, order) { _, _ in
      calls += 1
      usleep(5000)
    }
    if CFRunLoopObserverGetOrder(observer) != order { print("another order") }
    CFRunLoopAddObserver(loop, observer, kCFRunLoopDefaultMode)
  }
}
