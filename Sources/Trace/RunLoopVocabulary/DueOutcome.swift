/// The outcome of a timer's due point.
@usableFromInline package enum DueOutcome: UInt8, Sendable, CaseIterable {
  case fired
  case skipped
  /// Moved or invalidated while overdue.
  case withdrawn
  /// Overdue at the end of the analyzed span.
  case pending

  package var name: String {
    switch self {
    case .fired: "fired"
    case .skipped: "skipped"
    case .withdrawn: "withdrawn"
    case .pending: "pending"
    }
  }
}
