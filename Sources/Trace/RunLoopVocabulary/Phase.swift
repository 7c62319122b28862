/// A part of a run, from one activity to the next.
@usableFromInline package enum Phase: Int, Sendable, CaseIterable {
  case outside = 0
  case entry = 1
  case beforeTimers = 2
  case beforeSources = 3
  case beforeWaiting = 4
  case waiting = 5
  case afterWaiting = 6
  case exit = 7

  /// The activity that begins the phase; nil for phases that none begins.
  @inlinable package var activity: Activity? {
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

  /// The name of that activity, or of the phase itself.
  package var name: String { activity?.name ?? (self == .waiting ? "waiting" : "(outside any run)") }
}

/// Times, indexed by `Phase.rawValue`. A test fails when there are more phases than elements.
@usableFromInline package typealias PhaseTimes = SIMD8<UInt64>
