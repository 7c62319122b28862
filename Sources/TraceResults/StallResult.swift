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
  /// In the function alone: where no rule knows the cause, `confidence` is low.
  public var functionConfidence = Confidence.none
  /// Why it is no higher, or what speaks for it.
  public var reasons: [ConfidenceReason] = []
  /// What held it for the most of the time.
  public var cause = StallCause.unknown
  /// All that held it, by how long, that one first.
  public var causes: [CauseTime] = []
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
  /// What the thread did when the gap reached its limit; nil where it reached none.
  public var atLimit: LimitStack?
  package init() {}

  /// How much of the gap a cause held.
  public typealias CauseTime = (cause: StallCause, ns: UInt64)

  /// `readFiles() main.swift:41`, or the function alone.
  public var place: String? { blamed?.sourcePlace }

  /// Where no function of the program's own is known: the outermost function inside the callout, as what waits in a library.
  public var entry: String? { blamed == nil ? CallStack.entry(of: stack)?.name : nil }

  /// From this share on, one cause is said without the next.
  private static let nearlyAll = 0.9

  private var causesNs: UInt64 { causes.map(\.ns).saturatedSum }

  /// More than one cause held it for long.
  package var isShared: Bool {
    causes.first.map { !isAtLeast($0.ns, StallResult.nearlyAll, of: causesNs) } ?? false
  }

  /// The cause; where it held less than nearly all of the time, with its share, and the next with its.
  package var causeSentence: Sentence {
    guard isShared, causes.count > 1 else { return "\(cause.words)" }
    let all = causesNs
    return
      "\(cause.words) (\(percent: causes[0].ns, of: all, "cause_percent")) and \(causes[1].cause.words) (\(percent: causes[1].ns, of: all, "next_cause_percent"))"
  }
}

extension StackFrame {
  /// `readFiles() main.swift:41`, or the function alone.
  public var sourcePlace: String {
    guard let file = self.file?.split(separator: "/").last else { return name }
    return "\(name) \(file)" + (self.line.map { ":\($0)" } ?? "")
  }
}

/// What a thread did at the moment at which a watchdog ends the program.
public struct LimitStack: Sendable {
  /// From the gap's begin, or the mark of launching.
  public var afterNs: UInt64 = 0
  /// The innermost function of the program's own images; nil when the stack has none.
  public var blamed: StackFrame?
  public var cause = StallCause.unknown
  /// Innermost first.
  public var stack: [StackFrame] = []
  package init() {}
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
  /// The innermost function of the program's own on its stack; nil when there is none.
  public var blamed: StackFrame?
  public var stack: [StackFrame] = []
  /// It waits for a lock itself, that the stalled thread holds: neither will go on.
  public var isDeadlock: Bool = false
  /// It is the stalled thread.
  public var isItself: Bool = false
  package init() {}

  /// Of the function, as `StallResult.place`.
  public var place: String? { blamed?.sourcePlace }

  /// What to call the thread.
  public var title: String { name.isEmpty ? "\(osThread)" : name }
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

  /// The program's function that ran the thread's loop; nil where the stack does not show one.
  package var runCaller: StackFrame? { CallStack.runCaller(of: frames) }
}
