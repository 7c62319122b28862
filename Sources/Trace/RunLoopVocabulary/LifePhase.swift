/// A phase in the life of an app; the raw value is the code in the trace.
public enum LifePhase: UInt64, Sendable, Named {
  case launching = 1
  case active, inactive, background, suspended, foreground, terminating

  package var name: String {
    switch self {
    case .launching: "launching"
    case .active: "active"
    case .inactive: "inactive"
    case .background: "background"
    case .suspended: "suspended"
    case .foreground: "foreground"
    case .terminating: "terminating"
    }
  }
}
