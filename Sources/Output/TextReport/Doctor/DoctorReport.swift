/// A part of the system, or a program, and what it means for recordings.
package struct DoctorCheck: Sendable {
  package enum State: String, CaseIterable, Sendable {
    case ok
    /// Recordings lack something.
    case limited
    case missing
  }

  let name: String
  let state: State
  let found: String
  let advice: String?
  let isNeeded: Bool

  /// `name`: what was examined, in at most 18 characters. `found`: what the system has. `advice`: the consequence for
  /// recordings, and what to do; nil = nothing is missing. `isNeeded`: nothing can be recorded if it is missing.
  package init(
    _ name: String, _ state: State, _ found: String, advice: String? = nil, isNeeded: Bool = false
  ) {
    (self.name, self.state, self.found) = (name, state, found)
    (self.advice, self.isNeeded) = (advice, isNeeded)
  }
}

/// The checks of a system, and their result.
package struct DoctorReport: Sendable {
  /// The program that was examined; nil = only the system was.
  let program: String?
  let checks: [DoctorCheck]

  package init(program: String?, _ checks: [DoctorCheck]) {
    self.program = program
    self.checks = checks
  }

  /// Whether no check found that recording is impossible.
  package var canRecord: Bool { !checks.contains { $0.isNeeded && $0.state == .missing } }
}
