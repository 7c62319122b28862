/// `RL001` … of a finding's rule. Stable: a rule that goes leaves a gap. Each is declared beside its rule.
public struct RuleID: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral id: String) { rawValue = id }

  public static func < (a: RuleID, b: RuleID) -> Bool { a.rawValue < b.rawValue }
}
