/// A phase in the life of an app; the raw value is the code in the trace.
public enum LifePhase: UInt64, Sendable, Named {
  case launching = 1
  case active, inactive, background, suspended, foreground, terminating

  public var name: String { "\(self)" }
}
