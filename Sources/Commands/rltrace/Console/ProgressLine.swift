import Foundation

/// Shows the progress of a recording on standard error: a moving bar on a terminal, one line for each phase in a
/// pipe.
final class ProgressLine: @unchecked Sendable {
  private static let width = 30
  private let total: Double
  private let start = Date()
  private let lock = NSLock()
  private var phase = ""
  private var isDone = false

  /// `total` is the expected length in seconds.
  init(total: Double) {
    self.total = total
    guard Terminal.errorIsTerminal else { return }
    // A separate thread draws, because the recorded thread must not stop for it.
    let thread = Thread { [self] in
      while draw() { Thread.sleep(forTimeInterval: 0.1) }
    }
    thread.name = "progress"
    thread.start()
  }

  func phase(_ name: String) {
    lock.withLock { phase = name }
    if !Terminal.errorIsTerminal { Terminal.writeError("recording: \(name)\n") }
  }

  func finish() {
    lock.withLock { isDone = true }
    if Terminal.errorIsTerminal { Terminal.writeError("\r\u{1B}[K") }
  }

  private func draw() -> Bool {
    lock.withLock {
      guard !isDone else { return false }
      let share = min(1, -start.timeIntervalSinceNow / total)
      let full = Int(clamping: share * Double(ProgressLine.width))
      let bar = String(repeating: "█", count: full) + String(repeating: "░", count: ProgressLine.width - full)
      Terminal.writeError("\r\(bar) \(Int(share * 100)) %  \(phase)\u{1B}[K")
      return true
    }
  }
}
