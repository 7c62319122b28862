/// Limits on YAML from users: scenarios, profiles of recordings, rules for causes.
package enum YAMLLimits {
  /// Bytes of text. Beyond: text refused. Small, because a node takes a hundred times the bytes of its text.
  package static let bytes = 1 << 19
  /// Steps, lists and values of a scenario, aliases expanded. Beyond: text refused.
  package static let parts = 100_000
  /// Cause rules. Beyond: text refused.
  package static let rules = 1000
  /// Names of functions or images in a rule. Beyond: text refused.
  package static let names = 1000
  /// A whole number, positive or negative. Beyond: text refused.
  package static let number = 1_000_000
}
