import RunLoopVocabulary

/// Limits on YAML from users: scenarios, profiles of recordings, rules for causes.
package enum YAMLLimits {
  /// Small, because a node takes a hundred times the bytes of its text.
  package static let bytes = 1 << 19
  /// Aliases count as what they refer to.
  package static let parts = 100_000
  package static let rules = 1000
  package static let names = 1000
  package static let number = 1_000_000

  package static let all = [
    Limit("bytes", bytes, of: "bytes of text", refusing: "text"),
    Limit(
      "parts", parts, of: "steps, lists and values of a scenario, aliases expanded", refusing: "text"),
    Limit("rules", rules, of: "cause rules", refusing: "text"),
    Limit("names", names, of: "names of functions or images in a rule", refusing: "text"),
    Limit("number", number, of: "a whole number, positive or negative", refusing: "text"),
  ]
}
