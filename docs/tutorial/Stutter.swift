import Foundation

// An app in miniature: a clock that is drawn fifty times a second, a list that moves while a finger scrolls it, and
// thumbnails that are loaded at some moment.

let tracking = RunLoop.Mode("UITrackingRunLoopMode")

func startClock() {
  let clock = Timer(timeInterval: 0.02, repeats: true) { _ in Thread.sleep(forTimeInterval: 0.001) }
  RunLoop.main.add(clock, forMode: .default)
}

func startList() -> Timer {
  let list = Timer(timeInterval: 1.0 / 60, repeats: true) { _ in Thread.sleep(forTimeInterval: 0.002) }
  RunLoop.main.add(list, forMode: tracking)
  return list
}

// While a finger is down, UIKit runs the loop in another mode, inside a callout of the first.
func scroll(after delay: Double) {
  _ = Timer.scheduledTimer(withTimeInterval: delay, repeats: false) { _ in
    let list = startList()
    let fingerUp = Date(timeIntervalSinceNow: 1)
    while Date() < fingerUp { _ = RunLoop.main.run(mode: tracking, before: fingerUp) }
    list.invalidate()
  }
}

func loadThumbnails(after delay: Double) {
  _ = Timer.scheduledTimer(withTimeInterval: delay, repeats: false) { _ in
    Thread.sleep(forTimeInterval: 0.4)
  }
}

startClock()
scroll(after: 1)
loadThumbnails(after: 2.5)
RunLoop.main.run(until: Date(timeIntervalSinceNow: 4))
