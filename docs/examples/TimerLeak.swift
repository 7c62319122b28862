import Foundation

// Rows of a list blink while they are shown. Rows come and go.

final class Row {
  private var blink: Timer?

  func appear() { blink = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in } }

  func disappear() {
    #if FIXED
    blink?.invalidate()
    #endif
    blink = nil
  }
}

func scroll() {
  let rows = (0..<3).map { _ in Row() }
  for row in rows { row.appear() }
  for row in rows { row.disappear() }
}

_ = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { _ in scroll() }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 4))
