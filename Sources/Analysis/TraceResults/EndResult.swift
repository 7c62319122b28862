import RunLoopVocabulary

/// How the recorded process ended, and which callouts were running at that moment.
package struct EndResult: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case exited
    /// A signal that the recorder did not send ended the process.
    case signalled
    /// A signal that the recorder sent or passed on ended the process.
    case stopped = "stopped_by_recorder"
    /// The process ended in a way that is not known.
    case ended
    /// The process continues as another program, which has its own trace if it ran a loop.
    case executed = "executed_another_program"
    /// The recording ended before the process.
    case running = "still_running"
    /// Nothing is recorded after some moment: whether the process ended is not known.
    case unknown
    /// The process ended outside the analyzed span.
    case notInSpan = "not_in_span"
    /// The trace has no information about the end: an older version wrote it, or it was not recorded from a process.
    case notRecorded = "not_recorded"

    package var name: String { rawValue }
  }

  package var kind = Kind.notRecorded
  /// When the process ended. If the process continues or its end is unknown, when the recording ended. Nil = nothing is
  /// known.
  package var timeNs: UInt64?
  /// The exit status of `exited`.
  package var status: UInt64?
  /// The signal of `signalled` and `stopped`.
  package var signal: UInt64?
  /// Callouts that were still running then, by thread, the innermost first on each thread. Which thread ended the
  /// process is not known.
  package var callouts: [RunningCallout] = []
  /// The number of callouts that are not listed.
  package var calloutsOmitted = 0

  package var signalName: String? { signal.map(SignalName.name) }

  /// The innermost running callout of each thread.
  package var innermost: [RunningCallout] { callouts.filter { $0.depth == 0 } }

  package init() {}
}

/// A callout that had not ended when the recording did.
package struct RunningCallout: Sendable {
  package var thread: UInt32 = 0
  package var kind: String = ""
  package var name: String = ""
  /// The number of callouts of the same thread that ran inside it.
  package var depth: Int = 0
  package var startNs: UInt64 = 0
  package var durationNs: UInt64 = 0
  /// The function that held the loop longest, according to the stacks sampled in the callout; nil = no stack was
  /// sampled.
  package var function: String?
  package init() {}

  /// Moves the start back to an earlier moment.
  package mutating func began(at ns: UInt64) {
    guard ns < startNs else { return }
    durationNs &+= startNs - ns
    startNs = ns
  }
}
