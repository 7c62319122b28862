import CRLTraceShims
import Foundation

/// Ends a program after its recording: asks it to, and kills it when it does not.
struct ProgramStop {
  /// From SIGTERM to SIGKILL.
  static let graceNs: UInt64 = 5_000_000_000

  private var askedNs: UInt64?
  private(set) var hasKilled = false

  /// Whether the program's end was asked for.
  var hasAsked: Bool { askedNs != nil }

  /// Called now and then once the recording is over. `processes` are to end.
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

  /// The program has ended; what it started gets the rest of its time.
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
