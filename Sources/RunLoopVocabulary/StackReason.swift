/// The reasons for which a call stack is sampled.
public enum StackReason: UInt64, Sendable, CaseIterable, Named {
  /// The thread's run loop stayed in one activity beyond the recording's threshold.
  case stalled = 1
  /// The thread holds the lock that a stalled thread waits for.
  case owner = 2
  /// The thread's run loop reached the limit of the app's phase: the moment at which a watchdog ends the program.
  case limit = 3
  /// The thread's run loop stored events without a pause. The stack shows the code that runs the loop.
  case spinning = 4
  /// A callout ran its thread's loop. Not sampled: the stack holds only the program's own callers of the run.
  case nestedRun = 5

  public var name: String {
    switch self {
    case .stalled: "stalled"
    case .owner: "owner"
    case .limit: "limit"
    case .spinning: "spinning"
    case .nestedRun: "nested_run"
    }
  }
}
