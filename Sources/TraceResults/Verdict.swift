import TraceFormat

/// The answer to "is something wrong?": the top-ranked finding, or that there is none, or that nothing could be judged.
public struct Verdict: Sendable {
  public enum Outcome: String, Sendable, CaseIterable {
    /// The top-ranked finding is an error or a warning.
    case fault
    /// A loop ran, and no rule found an error or a warning.
    case clear
    /// There is nothing that an all-clear could be said of.
    case undecided
  }

  /// Why there is nothing that an all-clear could be said of.
  public enum Doubt: Sendable {
    case notAnalyzed
    case spanBehindEnd(fromNs: UInt64, endNs: UInt64)
    /// Of the whole recording, or of a span of it.
    case noEvents(isWhole: Bool)
    case noRun(isWhole: Bool)
    /// All runs were of modes without items.
    case emptyModes(isWhole: Bool)
    /// What may be a hang, and is in no finding because its length is not known.
    case busyAtBreak(ThreadDefinition, ns: UInt64)
    case busyAtStart(ThreadDefinition, ns: UInt64)
    case uncertainHang(ThreadDefinition, ns: UInt64)
    /// A part of the recording was lost, or could not be read or followed: its content is not known.
    case unread(Note)
    /// The trace is not whole or contradicts itself: `rltrace validate` does not call it sound.
    case unsound(Unsoundness)
    /// The number of events of timers, runs and callouts beyond the limits.
    case unfollowed(UInt64)
  }

  public enum Unsoundness: Sendable {
    /// Blocks are damaged.
    case damaged(blocks: UInt64)
    /// The file ends before its index, or the index does not lead through the file.
    case notWhole
    /// The number of places, and the first event among them.
    case contradictions(UInt64, ThreadDefinition?, ns: UInt64)
  }

  /// What an all-clear says of all loops and timers.
  public enum Claim: Sendable { case noHang, noQueueHang, noMissedFire }

  public var outcome = Outcome.undecided
  /// The top-ranked finding; nil when there is none, and when the outcome is undecided.
  public var finding: Finding?
  /// Why nothing could be judged, whatever was found besides: no loop ran, or the span is empty. Nil = a loop ran.
  public var nothingToJudge: Doubt? = .notAnalyzed
  /// Why the outcome is undecided.
  public var doubt: Doubt? = .notAnalyzed
  /// Of a fault: the next ones in rank that are errors or warnings, and how many more there are.
  public var others: [Finding] = []
  public var moreFaults: UInt64 = 0
  /// Of an all-clear: what the numbers show, and no more.
  public var claims: [Claim] = []
  /// Findings besides `finding`, of an all-clear.
  public var furtherFindings: UInt64 = 0

  /// Of the top-ranked finding.
  public var rule: RuleID? { finding?.rule }
  public var severity: Finding.Severity? { finding?.severity }
  /// What usually helps; empty = nothing to do.
  public var remedy: String { finding?.remedy ?? "" }

  /// Of nothing.
  package init() {}
}
