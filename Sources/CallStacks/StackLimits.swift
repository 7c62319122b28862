import RunLoopVocabulary

/// Limits on reports about the stacks of a thread.
public enum StackLimits {
  public static let groupsKept = 4096
  public static let groupsListed = 256
  /// A tree repeats the callers in each line.
  public static let collapsedBytes = 1 << 24

  public static let all = [
    Limit(
      "groupsKept", groupsKept, of: "functions to blame that are counted separately: the first ones",
      beyond: "the causes of their stacks count; the functions are in `groups_omitted`"),
    Limit(
      "groupsListed", groupsListed, of: "functions to blame that are listed: the heaviest ones",
      beyond: "`groups_omitted`"),
    Limit(
      "collapsedBytes", collapsedBytes, of: "bytes of `--format collapsed`",
      beyond: "the text is refused; `--thread` takes one thread"),
  ]
}
