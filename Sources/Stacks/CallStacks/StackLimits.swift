/// Limits on reports about the stacks of a thread.
package enum StackLimits {
  /// Blamed functions counted separately: the first. Beyond: only their causes count; in `groups_omitted`.
  package static let groupsKept = 4096
  /// Blamed functions listed: the heaviest. Beyond: `groups_omitted`.
  package static let groupsListed = 256
  /// Bytes of `--format collapsed`. Beyond: text refused; `--thread` takes one thread. A tree repeats the callers in
  /// each line.
  package static let collapsedBytes = 1 << 24
}
