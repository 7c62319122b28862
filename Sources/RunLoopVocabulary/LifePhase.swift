/// A phase in the life of an app; the raw value is the code in the trace.
public enum LifePhase: UInt64, Sendable, CaseIterable {
  case launching = 1
  case active, inactive, background, suspended, foreground, terminating

  public var name: String { "\(self)" }

  public init?(name: String) {
    guard let found = LifePhase.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
