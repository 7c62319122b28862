import RunLoopVocabulary

/// Limits on reports about the stacks of a thread.
package enum StackLimits {
  package static let groupsKept = 4096
  package static let groupsListed = 256
  /// A tree repeats the callers in each line.
  package static let collapsedBytes = 1 << 24

  package static let all = [
    Limit(
      "groupsKept", groupsKept, of: "blamed functions counted separately: the first",
      beyond: "only their causes count; in `groups_omitted`"),
    Limit(
      "groupsListed", groupsListed, of: "blamed functions listed: the heaviest",
      beyond: "`groups_omitted`"),
    Limit(
      "collapsedBytes", collapsedBytes, of: "bytes of `--format collapsed`",
      beyond: "text refused; `--thread` takes one thread"),
  ]
}
