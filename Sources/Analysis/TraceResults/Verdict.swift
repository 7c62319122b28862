import TraceFormat

/// The answer to "is something wrong?": the top-ranked finding, that there is none, or that nothing could be judged.
public struct Verdict: Sendable {
  /// The three answers.
  public enum Outcome: String, Sendable, CaseIterable {
    /// The top-ranked finding is an error or a warning.
    case fault
    /// A loop ran, and no rule found an error or a warning.
    case clear
    /// The recording does not support an all-clear.
    case undecided
  }

  /// The reason why the recording does not support an all-clear.
  package enum Doubt: Sendable {
    case notAnalyzed
    case spanBehindEnd(fromNs: UInt64, endNs: UInt64)
    /// The recording, or the analyzed span of it, holds no events.
    case noEvents(isWhole: Bool)
    case noRun(isWhole: Bool)
    /// All calls were to run modes without items.
    case emptyModes(isWhole: Bool)
    /// A possible hang that no finding reports because its length is not known.
    case busyAtBreak(ThreadDefinition, ns: UInt64)
    case busyAtStart(ThreadDefinition, ns: UInt64)
    case uncertainHang(ThreadDefinition, ns: UInt64)
    /// A part of the recording was lost, or could not be read or followed, so its content is not known.
    case unread(Note)
    /// The trace is incomplete or contradicts itself: `rltrace validate` does not report it as sound.
    case unsound(Unsoundness)
    /// The number of events of timers, runs and callouts beyond the limits.
    case unfollowed(UInt64)
  }

  package enum Unsoundness: Sendable {
    /// Blocks are damaged.
    case damaged(blocks: UInt64)
    /// The file ends before its index, or the index does not cover the file.
    case incomplete
    /// The number of contradictions, and the first event among them.
    case contradictions(UInt64, ThreadDefinition?, ns: UInt64)
  }

  /// A statement about all loops and timers that an all-clear may include.
  package enum Claim: Sendable { case noHang, noEventLoopHang, noQueueHang, noQueueStall, noMissedFire }

  /// Parts of the program that the recording does not show.
  package enum Unseen: Sendable {
    /// Tasks, and queues other than the main queue.
    case queues
    /// The recording has work of queues, and no Swift tasks.
    case tasks
    /// The recorder could not see tasks, only jobs.
    case allButJobs
    /// When handlers of dispatch sources, and notifications of groups, might have run on other queues than the main one.
    case waitsOfHandlers
    /// How long operations waited inside Foundation.
    case waitsOfOperations
    /// For a recording without run loops: work of executors and queues, and other timers than the next one.
    case workOfEventLoops
    /// The time of the threads of pools is recorded in part, and not judged.
    case pools
  }

  /// Whether there is a fault.
  public var outcome = Outcome.undecided
  /// The top-ranked finding; nil when there is none, and when the outcome is undecided.
  public var finding: Finding?
  /// Why nothing could be judged, even if there are findings: no loop ran, or the span is empty. Nil = a loop ran. If all
  /// queues were recorded, nil also = work ran, or waited and never ran.
  package var nothingToJudge: Doubt? = .notAnalyzed
  /// Why the outcome is undecided.
  package var doubt: Doubt? = .notAnalyzed
  /// For a fault: the next errors and warnings in rank, and the number of further ones.
  package var others: [Finding] = []
  package var moreFaults: UInt64 = 0
  /// For an all-clear: only the statements that the numbers support.
  package var claims: [Claim] = []
  /// For an all-clear: parts of the program that the recording does not show.
  package var unseen: [Unseen] = []
  /// For an all-clear: the number of findings besides `finding`.
  package var furtherFindings: UInt64 = 0

  /// Whether an all-clear knows nothing about tasks and queues, because they were not recorded.
  package var lacksQueues: Bool { unseen.contains(.queues) || unseen.contains(.workOfEventLoops) }

  /// Whether timers missed fires, too few for a warning.
  package var hasMissedFires: Bool { outcome == .clear && finding?.heldUpBy != nil }

  /// The rule of the top-ranked finding.
  package var rule: RuleID? { finding?.rule }
  package var severity: Finding.Severity? { finding?.severity }
  /// The usual remedy; empty = nothing to do.
  package var remedy: String { finding?.remedy ?? "" }

  /// Creates the verdict on an analysis without results.
  package init() {}
}
