import Foundation

/// Shows on a terminal how far a long reading of a trace is; says nothing about a short one or in a pipe.
final class AnalysisProgress {
  private static let patience: TimeInterval = 0.5
  private let file: String
  private let what: String
  private let isShown: Bool
  private let start = Date()
  private var lastDrawn = Date.distantPast
  private var hasDrawn = false

  init(file: String, events: UInt64, what: String = "analyzing") {
    self.file = file
    self.what = what
    isShown = Terminal.errorIsTerminal && events > 5_000_000
  }

  func update(_ share: Double) {
    guard isShown else { return }
    let now = Date()
    guard now.timeIntervalSince(start) > Self.patience, now.timeIntervalSince(lastDrawn) > 0.1 else { return }
    lastDrawn = now
    hasDrawn = true
    Terminal.writeError("\r\(what) \(file): \(Int(share * 100)) %\u{1B}[K")
  }

  func finish() {
    if hasDrawn { Terminal.writeError("\r\u{1B}[K") }
    hasDrawn = false
  }
}
