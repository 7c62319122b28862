import Foundation

// A meter is drawn ten times a second. A dialog runs the loop in a mode of its own until it is closed.

let modal = RunLoop.Mode("NSModalPanelRunLoopMode")

func startMeter() {
  let meter = Timer(timeInterval: 0.1, repeats: true) { _ in Thread.sleep(forTimeInterval: 0.001) }
  RunLoop.main.add(meter, forMode: .default)
  #if FIXED
  RunLoop.main.add(meter, forMode: modal)
  #endif
}

func showDialog() {
  let closed = Date(timeIntervalSinceNow: 2)
  let close = Timer(fire: closed, interval: 0, repeats: false) { _ in }
  RunLoop.main.add(close, forMode: modal)
  while Date() < closed { _ = RunLoop.main.run(mode: modal, before: closed) }
}

startMeter()
_ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in showDialog() }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 4))
