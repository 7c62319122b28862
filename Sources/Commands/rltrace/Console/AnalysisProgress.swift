import CRLTraceShims
import Foundation
import TraceResults

/// Shows the progress of a long read on a terminal. A short read, one in a pipe, or one on another thread than the main
/// thread shows nothing.
final class AnalysisProgress {
  /// The delay before the first display: half a second unless the environment sets another one.
  private static let patience: TimeInterval =
    ProcessInfo.processInfo.environment["RLTRACE_PROGRESS_AFTER_MS"].flatMap(Double.init).map { $0 / 1000 }
    ?? 0.5
  private let file: String
  private let what: String
  private let isShown: Bool
  private let start = Date()
  private var lastDrawn = Date.distantPast
  private var hasDrawn = false

  /// `isBeside`: the command's output may also appear on this terminal, directly or through another program.
  init(file: String, what: String = "analyzing", isBeside: Bool = false) {
    self.file = file
    self.what = what
    isShown =
      rlt_is_main_thread() != 0 && Terminal.errorIsTerminal && (!isBeside || Terminal.outputIsFile)
  }

  func update(_ share: Double) {
    guard isShown else { return }
    let now = Date()
    guard now.timeIntervalSince(start) > Self.patience, now.timeIntervalSince(lastDrawn) > 0.1 else { return }
    lastDrawn = now
    hasDrawn = true
    let percent = Int(max(0, min(share, 1)) * 100)
    Terminal.writeError("\r\(what) \(harmless(file)): \(percent) %\u{1B}[K")
  }

  func finish() {
    if hasDrawn { Terminal.writeError("\r\u{1B}[K") }
    hasDrawn = false
  }
}
