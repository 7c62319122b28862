/// The reasons why a call stack is sampled.
package enum StackReason: UInt64, Sendable, CaseIterable, Named {
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
  /// The thread ran its loop very often, and the runs returned at once. Not sampled, as for `nestedRun`.
  case poll = 6

  package var name: String {
    switch self {
    case .stalled: "stalled"
    case .owner: "owner"
    case .limit: "limit"
    case .spinning: "spinning"
    case .nestedRun: "nested_run"
    case .poll: "poll"
    }
  }

  /// Whether the stack was sampled. Otherwise the recorded program noted its own callers.
  package var isSampled: Bool {
    switch self {
    case .stalled, .owner, .limit, .spinning: true
    case .nestedRun, .poll: false
    }
  }
}
