/// Part of a run between one activity and the next.
@frozen public enum Phase: Int, Sendable, CaseIterable {
  case outside = 0
  case entry = 1
  case beforeTimers = 2
  case beforeSources = 3
  case beforeWaiting = 4
  case waiting = 5
  case afterWaiting = 6
  case exit = 7

  /// The activity that it begins with, nil for phases that begin with none.
  @inlinable public var activity: Activity? {
    switch self {
    case .outside, .waiting: nil
    case .entry: .entry
    case .beforeTimers: .beforeTimers
    case .beforeSources: .beforeSources
    case .beforeWaiting: .beforeWaiting
    case .afterWaiting: .afterWaiting
    case .exit: .exit
    }
  }

  /// The activity that it follows.
  public var name: String { activity?.name ?? (self == .waiting ? "waiting" : "(outside any run)") }
}

/// Times by `Phase.rawValue`. A test fails when a phase has no room in it.
public typealias PhaseTimes = SIMD8<UInt64>
