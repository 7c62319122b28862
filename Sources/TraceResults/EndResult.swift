import RunLoopVocabulary

/// How the recorded process ended, and what it was in the middle of.
public struct EndResult: Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case exited
    /// By a signal that the recorder did not send.
    case signalled
    /// By a signal that the recorder sent or passed on.
    case stopped = "stopped_by_recorder"
    /// It ended; how is not known.
    case ended
    /// The process goes on with another program, which is in a trace of its own if it ran a loop.
    case executed = "executed_another_program"
    /// The recording ended first.
    case running = "still_running"
    /// Nothing is recorded from some moment on: whether it ended is not known.
    case unknown
    /// The analyzed span ends before, or begins after.
    case notInSpan = "not_in_span"
    /// The trace says nothing of it: it is older, or was not recorded from a process.
    case notRecorded = "not_recorded"

    public var name: String { rawValue }
  }

  public var kind = Kind.notRecorded
  /// When it ended; of a process that goes on or whose end is unknown, when the recording did. Nil = nothing is known.
  public var timeNs: UInt64?
  /// Of `exited`.
  public var status: UInt64?
  /// Of `signalled` and `stopped`.
  public var signal: UInt64?
  /// Callouts that had not ended by then, by thread, on each the innermost first. Which of the threads made the process
  /// end is not known.
  public var callouts: [RunningCallout] = []
  /// Those that are not listed.
  public var calloutsOmitted = 0

  public var signalName: String? { signal.map(SignalName.name) }

  /// The innermost callout of each thread that was in one.
  public var innermost: [RunningCallout] { callouts.filter { $0.depth == 0 } }

  public init() {}
}

/// A callout that had not ended when the recording did.
public struct RunningCallout: Sendable {
  public var thread: UInt32 = 0
  public var kind: String = ""
  public var name: String = ""
  /// Of the same thread, how many ran inside it.
  public var depth: Int = 0
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  /// Whose function held the loop most, by stacks that were sampled in it; nil = none was.
  public var function: String?
  public init() {}
}
