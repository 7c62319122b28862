/// Part of a run between one activity and the next.
public enum Phase: Int, Sendable, CaseIterable {
  case outside = 0
  case entry = 1
  case beforeTimers = 2
  case beforeSources = 3
  case beforeWaiting = 4
  case waiting = 5
  case afterWaiting = 6
  case exit = 7

  /// The code of the activity's low stamp; 0 for phases that begin with none.
  var lowCode: UInt8 {
    switch self {
    case .outside, .waiting: 0
    case .entry: 1
    case .beforeTimers: 3
    case .beforeSources: 5
    case .beforeWaiting: 7
    case .afterWaiting: 9
    case .exit: 11
    }
  }

  /// The activity the phase follows.
  public var name: String {
    switch self {
    case .outside: "(outside any run)"
    case .entry: "Entry"
    case .beforeTimers: "BeforeTimers"
    case .beforeSources: "BeforeSources"
    case .beforeWaiting: "BeforeWaiting"
    case .waiting: "waiting"
    case .afterWaiting: "AfterWaiting"
    case .exit: "Exit"
    }
  }
}
