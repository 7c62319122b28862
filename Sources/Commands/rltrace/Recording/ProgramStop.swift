import CRLTraceShims
import Foundation

/// Ends a program after its recording: sends SIGTERM, and SIGKILL if the program does not end.
struct ProgramStop {
  /// The time from SIGTERM to SIGKILL.
  static let graceNs: UInt64 = 5_000_000_000

  private var askedNs: UInt64?
  private(set) var hasKilled = false

  /// Whether SIGTERM was sent.
  var hasAsked: Bool { askedNs != nil }

  /// Sends the signals to `processes` when they are due. Called repeatedly once the recording is over.
  mutating func tick(_ processes: [Int32]) {
    guard let askedNs else {
      self.askedNs = rlt_monotonic_ns()
      for process in processes { kill(process, SIGTERM) }
      return
    }
    guard rlt_monotonic_ns() - askedNs >= ProgramStop.graceNs else { return }
    hasKilled = hasKilled || !processes.isEmpty
    for process in processes { kill(process, SIGKILL) }
  }

  /// Ends the remaining processes after the program has ended. They get the rest of the grace time.
  mutating func finish(_ living: () -> [Int32]) {
    while true {
      let processes = living()
      guard !processes.isEmpty else { return }
      tick(processes)
      if hasKilled { return }
      usleep(20_000)
    }
  }
}
