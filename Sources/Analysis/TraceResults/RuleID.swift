/// The id of a finding's rule, such as `RL001`. Ids are stable: a removed rule leaves a gap. Each rule declares its
/// own id.
public struct RuleID: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral id: String) { rawValue = id }

  public static func < (a: RuleID, b: RuleID) -> Bool { a.rawValue < b.rawValue }
}
