/// The id of a finding's rule, such as `RL001`. Ids are stable: a removed rule leaves a gap. Each rule declares its
/// own id.
public struct RuleID: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
  /// The id as text, such as `RL001`.
  public let rawValue: String

  /// Creates the id of a rule, which need not exist.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates the id of a rule, which need not exist.
  public init(stringLiteral id: String) { rawValue = id }

  /// Returns whether `a` comes first in the order of the texts.
  public static func < (a: RuleID, b: RuleID) -> Bool { a.rawValue < b.rawValue }
}
