/// Whether a frame was presented when it should have been.
@usableFromInline package enum FrameOutcome: UInt8, Sendable, CaseIterable {
  case onTime
  case late
  /// A suspension or a loss of events lies between its due point and its end.
  case unknown

  package var name: String {
    switch self {
    case .onTime: "on time"
    case .late: "late"
    case .unknown: "not known"
    }
  }
}
