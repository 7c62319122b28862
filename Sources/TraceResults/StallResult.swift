import CallStacks
import RunLoopVocabulary

/// A gap in which stacks of its thread were sampled: who held the loop, and with what.
public struct StallResult: Sendable {
  /// Of the gap, which is found by start and thread.
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  public var after = Phase.outside
  public var mode: String = ""
  public var thread: UInt32 = 0
  /// The gap's part of a callout of the recording; empty when there was none.
  public var callout: String = ""
  public var samples: UInt64 = 0
  /// How much of the gap the blamed function's samples stand for: each from the one before it, or the gap's begin, to
  /// the next.
  public var blamedNs: UInt64 = 0
  /// The innermost function of the program's own images; nil when no stack has one.
  public var blamed: StackFrame?
  public var confidence = Confidence.none
  /// Why it is no higher, or what speaks for it.
  public var reasons: [ConfidenceReason] = []
  public var cause = StallCause.unknown
  /// By which rule; nil = none holds.
  public var rule: String?
  public var remedy: String?
  /// The stack that stands for the most of the gap, innermost first.
  public var stack: [StackFrame] = []
  /// All of its samples, in order.
  public var stacks: [StallSample] = []
  public var evidence = ThreadEvidence()
  /// Who held the lock that the thread waited for, and what that thread did; nil where it is not known.
  public var owner: LockOwner?
  package init() {}

  /// `readFiles() main.swift:41`, or the function alone.
  public var place: String? {
    blamed.map { frame in
      guard let file = frame.file?.split(separator: "/").last else { return frame.name }
      return "\(frame.name) \(file)" + (frame.line.map { ":\($0)" } ?? "")
    }
  }
}

/// One look at the stack of a stalled thread, and the part of the stall that it stands for.
public struct StallSample: Sendable {
  public var startNs: UInt64
  public var durationNs: UInt64
  /// `SampledStack.number`
  public var number: Int
  package init(startNs: UInt64, durationNs: UInt64, number: Int) {
    self.startNs = startNs
    self.durationNs = durationNs
    self.number = number
  }
}

/// What the system knew of a thread, from the first to the last look at it in a gap. Nil = it did not say.
public struct ThreadEvidence: Sendable {
  /// From the first look to the last.
  public var spanNs: UInt64 = 0
  public var cpuNs: UInt64?
  /// Ready to run, and without a processor.
  public var waitedNs: UInt64?
  public var voluntarySwitches: UInt64?
  public var involuntarySwitches: UInt64?
  public var minorFaults: UInt64?
  public var majorFaults: UInt64?
  public var readBytes: UInt64?
  public var writtenBytes: UInt64?
  /// In which it slept most often, by name; nil = in none.
  public var systemCall: String?
  /// What that system call waited for.
  public var descriptor = DescriptorKind.unknown
  /// As ps(1) has it: R, S, D …; the most frequent.
  public var state: String?
  package init() {}

  /// How much of the time it ran or wanted to: whether a processor was free is the machine's affair.
  public var cpuShare: Double? {
    guard let cpuNs, spanNs > 0 else { return nil }
    return min(Double(cpuNs &+ (waitedNs ?? 0)) / Double(spanNs), 1)
  }
}

public struct LockOwner: Sendable {
  /// The operating system's id.
  public var osThread: UInt64 = 0
  /// Empty when the recording does not know the thread.
  public var name: String = ""
  public var stack: [StackFrame] = []
  /// It waits for a lock itself, that the stalled thread holds: neither will go on.
  public var isDeadlock: Bool = false
  package init() {}
}

/// One stack, and how often it was seen.
public struct SampledStack: Sendable {
  /// The operating system's id.
  public var osThread: UInt64 = 0
  /// Empty when the recording does not know the thread.
  public var threadName: String = ""
  public var reason = StackReason.stalled
  public var samples: UInt64 = 0
  /// Of listed gaps, what its samples stand for.
  public var durationNs: UInt64 = 0
  /// Innermost first.
  public var frames: [StackFrame] = []
  /// In the order in which stacks were first seen.
  public var number: Int = 0
  package init() {}
}
