import CallStacks
import RunLoopVocabulary

/// A gap in which stacks of its thread were sampled: which code held the loop, and why.
public struct StallResult: Sendable {
  /// The start of the gap. Start and thread identify the gap.
  public var startNs: UInt64 = 0
  /// The length of the gap, without suspension.
  public var durationNs: UInt64 = 0
  package var after = Phase.outside
  package var mode: String = ""
  /// The index in `TraceResult.threads`.
  public var thread: UInt32 = 0
  /// The recorded callout in the gap; empty when there was none.
  package var callout: String = ""
  /// `callout`, if it took nearly all of the gap; nil = no callout did.
  package var filledBy: SpanCalloutResult?
  package var samples: UInt64 = 0
  /// The part of the gap that the samples of the blamed function represent: each counts from the sample before it, or
  /// the gap's start, to the next.
  package var blamedNs: UInt64 = 0
  /// The innermost function of the program's own images; nil when no stack contains one.
  package var blamed: StackFrame?
  /// All blamed functions with their times, `blamed` first.
  package var functions: [BlamedTime] = []
  /// The function of the program that called the blamed functions, if none of them took most of the time. It is on
  /// nearly all stacks of the gap.
  package var caller: FunctionTime?
  package var confidence = Confidence.none
  /// The confidence in the function alone. If no rule knows the cause, `confidence` is low.
  package var functionConfidence = Confidence.none
  /// The reasons that limit or support the confidence.
  package var reasons: [ConfidenceReason] = []
  /// The cause that held the blamed function for most of its time. The cause of the whole gap, if no function is
  /// blamed or a caller is named for several.
  public var cause = StallCause.unknown
  /// All causes of the gap with their times, the longest first.
  package var causes: [CauseTime] = []
  /// The name of the rule that gave the cause; nil = no rule applied.
  package var rule: String?
  package var remedy: String?
  /// The stack that represents most of the gap, innermost first.
  package var stack: [StackFrame] = []
  /// All samples of the gap, in order.
  package var stacks: [StallSample] = []
  package var evidence = ThreadEvidence()
  /// The thread that held the lock or queue for which this thread waited, and what it did; nil if not known.
  package var owner: LockOwner?
  /// The activity of the thread when the gap reached its limit; nil if it reached none.
  package var atLimit: LimitStack?
  package init() {}

  /// A function, and the part of a gap that the samples with it represent.
  package typealias FunctionTime = (frame: StackFrame, ns: UInt64)

  /// A blamed function, the part of a gap that the samples with it represent, and the causes of these samples, the
  /// longest first.
  package typealias BlamedTime = (frame: StackFrame, ns: UInt64, causes: [CauseTime])

  /// The function to name for the gap, with its time: the caller, else the blamed function. Nil if the samples do not
  /// show it well enough.
  package var holder: FunctionTime? {
    if let caller { return caller }
    guard let blamed, functionConfidence >= .medium else { return nil }
    return (blamed, blamedNs)
  }

  /// The place of the function to name; if the samples show none well enough, that of the blamed function.
  package var holderPlace: String? { (holder?.frame ?? blamed)?.sourcePlace }

  /// Whether the samples show what held the thread: a function of the program, or a known wait in a library.
  package var isExplained: Bool { holder != nil || blamed == nil && cause != .unknown && entry != nil }

  /// The part of a gap with one cause.
  package typealias CauseTime = (cause: StallCause, ns: UInt64)

  /// Such as `readFiles() main.swift:41`, or the function alone.
  public var place: String? { blamed?.sourcePlace }

  /// Whether the function is not known because its code was made at run time.
  package var isRunTimeCode: Bool { blamed == nil && reasons.contains { $0 == .runTimeCode } }

  /// The outermost function inside the callout, if none of the program's own functions is known: for example a wait
  /// in a library. The functions that called code made at run time did not do its work.
  package var entry: String? {
    guard blamed == nil else { return nil }
    return isRunTimeCode ? StackFrame.runTimeCode : CallStack.entry(of: stack)?.name
  }

  /// From this share on, a sentence names only one cause, and a gap belongs to a callout.
  package static let nearlyAll = 0.9

  /// The causes of the function that is named for the gap.
  private var namedCauses: [CauseTime] {
    guard caller == nil, blamed != nil, let first = functions.first else { return causes }
    return first.causes
  }

  /// Whether more than one cause held the named function for a long time.
  package var isShared: Bool {
    let causes = namedCauses
    return causes.first.map { !isAtLeast($0.ns, Self.nearlyAll, of: causes.map(\.ns).saturatedSum) } ?? false
  }

  /// The cause. If it held the named function for less than nearly all of the time, the sentence adds its share, and
  /// the next cause with its share.
  package var causeSentence: Sentence {
    let causes = namedCauses
    guard isShared, causes.count > 1 else { return "\(cause.words)" }
    let all = causes.map(\.ns).saturatedSum
    return
      "\(cause.words) (\(percent: causes[0].ns, of: all, "cause_percent")) and \(causes[1].cause.words) (\(percent: causes[1].ns, of: all, "next_cause_percent"))"
  }
}

extension StackFrame {
  /// Such as `readFiles() main.swift:41`, or the function alone.
  package var sourcePlace: String {
    shortPlace.map { "\(name) \($0)" } ?? name
  }
}

/// The activity of a thread at the moment when a watchdog would end the program.
package struct LimitStack: Sendable {
  /// The time since the start of the gap, or since the launch mark.
  package var afterNs: UInt64 = 0
  /// The innermost function of the program's own images; nil when the stack contains none.
  package var blamed: StackFrame?
  package var cause = StallCause.unknown
  /// The frames, innermost first.
  package var stack: [StackFrame] = []
  package init() {}
}

/// One sample of the stack of a stalled thread, and the part of the stall that it represents.
package struct StallSample: Sendable {
  package var startNs: UInt64
  package var durationNs: UInt64
  /// The stack's `SampledStack.number`.
  package var number: Int
  /// The part of `durationNs` before the sample was taken. Only the first sample of a stall has one; nothing shows what
  /// ran in it.
  package var unseenNs: UInt64
  package init(startNs: UInt64, durationNs: UInt64, number: Int, unseenNs: UInt64 = 0) {
    self.startNs = startNs
    self.durationNs = durationNs
    self.number = number
    self.unseenNs = min(unseenNs, durationNs)
  }
}

/// The system's data about a thread between the first and the last reading of them in a gap. Nil = not reported.
package struct ThreadEvidence: Sendable {
  /// The time from the first reading to the last.
  package var spanNs: UInt64 = 0
  package var cpuNs: UInt64?
  /// The time in which the thread was ready to run but had no processor.
  package var waitedNs: UInt64?
  /// The most that these times can be in the whole gap, according to the last reading before the gap and the first one
  /// after it.
  package var cpuAtMostNs: UInt64?
  package var waitedAtMostNs: UInt64?
  package var voluntarySwitches: UInt64?
  package var involuntarySwitches: UInt64?
  package var minorFaults: UInt64?
  package var majorFaults: UInt64?
  package var readBytes: UInt64?
  package var writtenBytes: UInt64?
  /// The system call in which the thread slept most often; nil = none.
  package var systemCall: String?
  /// The kind of descriptor for which that system call waited.
  package var descriptor = DescriptorKind.unknown
  /// The most frequent state, in the letters of ps(1): R, S, D …
  package var state: String?
  package init() {}

  /// The time in which the thread slept or waited for something other than a processor.
  package var blockedNs: UInt64? {
    guard let cpuNs, let waitedNs else { return nil }
    return spanNs &- min(cpuNs.saturated(adding: waitedNs), spanNs)
  }

  /// The share of the time in which the thread ran or was ready to run. Time without a processor counts: it depends
  /// on the machine, not on the thread.
  package var cpuShare: Double? {
    guard let cpuNs, spanNs > 0 else { return nil }
    return min(Double(cpuNs &+ (waitedNs ?? 0)) / Double(spanNs), 1)
  }
}

package struct LockOwner: Sendable {
  /// The operating system's id of the thread.
  package var osThread: UInt64 = 0
  /// Empty when the recording does not know the thread.
  package var name: String = ""
  /// The innermost of the program's own functions on its stack; nil when there is none.
  package var blamed: StackFrame?
  package var stack: [StackFrame] = []
  /// Whether it waits for the stalled thread in turn, so that neither can proceed.
  package var isDeadlock: Bool = false
  /// Whether the owner is the stalled thread itself.
  package var isItself: Bool = false
  package init() {}

  /// The work or wait of the owner when it was sampled last.
  package var cause = StallCause.unknown

  /// Whether the owner waits for events in a run loop. Then `blamed` is the function that runs the loop.
  package var isInLoop = false

  /// Whether the owner itself waits, so that its own work does not take the time.
  package var waits: Bool { cause == .lock || cause == .queue || cause == .wait || isInLoop }

  /// The place of the function, as in `StallResult.place`.
  package var place: String? { blamed?.sourcePlace }

  /// Whether the thread serves queues of Dispatch. On Linux, its name is the end of the label of a root queue.
  package var isDispatchWorker: Bool { name.hasSuffix("-qos") || name.hasSuffix("-qos.overcommit") }

  /// Whether the main thread has the same name: a thread inherits it.
  package var isNamedLikeMain = false

  /// The thread's name, or its id.
  package var title: String { name.isEmpty || isNamedLikeMain ? "\(osThread)" : name }
}

/// One stack, and how often it was sampled.
package struct SampledStack: Sendable {
  /// The operating system's id of the thread.
  package var osThread: UInt64 = 0
  /// Empty when the recording does not know the thread.
  package var threadName: String = ""
  package var reason = StackReason.stalled
  package var samples: UInt64 = 0
  /// The part of the listed gaps that its samples represent.
  package var durationNs: UInt64 = 0
  /// The frames, innermost first.
  package var frames: [StackFrame] = []
  /// The position of the stack in the order of first appearance.
  package var number: Int = 0
  package init() {}

  /// The program's function that ran the thread's loop; nil if the stack does not show one.
  package var runCaller: StackFrame? {
    reason == .poll ? frames.first(where: \.isOwn) : CallStack.runCaller(of: frames)
  }
}

extension Analysis {
  /// Returns the stall to name for a span: the longest that began in it and has a function to name, else the longest
  /// that is explained, else the longest. For a gap, it is the gap's own. Nil if no stack was sampled in the span.
  /// O(log stalls), and the stalls in the span.
  package func stall(of span: some LongSpan) -> StallResult? {
    let begun = stalls.within(span.startNs...max(span.startNs, span.endNs)) { $0.startNs }
    return begun.lazy.filter { $0.thread == span.thread && $0.startNs < span.endNs }.max {
      ($0.holder != nil ? 1 : 0, $0.isExplained ? 1 : 0, $0.durationNs)
        < ($1.holder != nil ? 1 : 0, $1.isExplained ? 1 : 0, $1.durationNs)
    }
  }

  /// Returns the program's function that ran the loop of a thread, if the stacks show exactly one. If there are
  /// several, it is not known which of them ran the loop at a moment.
  package func runCaller(ofThread thread: UInt32) -> StackFrame? {
    let osThread = self.thread(thread).osThread
    let stacks = sampledStacks.filter { $0.osThread == osThread && $0.reason != .nestedRun }
    let callers = stacks.compactMap(\.runCaller)
    guard let caller = callers.first, callers.allSatisfy({ $0.name == caller.name }) else { return nil }
    return caller
  }

  /// Returns the program's functions that poll on the threads outside callouts, each once. Without a recorded poll,
  /// it is the function that ran the loop.
  package func pollers(onThreads threads: [UInt32]) -> [StackFrame] {
    var seen: Set<String> = []
    return threads.flatMap { thread in
      let polls = recordedPollers(onThread: thread)
      return polls.isEmpty ? [runCaller(ofThread: thread)].compactMap(\.self) : polls
    }.filter { seen.insert($0.sourcePlace).inserted }
  }

  /// Returns the program's functions of recorded polls, which a thread made outside callouts, each once.
  package func recordedPollers(onThread thread: UInt32) -> [StackFrame] {
    let osThread = self.thread(thread).osThread
    var seen: Set<String> = []
    return sampledStacks.filter { $0.osThread == osThread && $0.reason == .poll }.compactMap(\.runCaller)
      .filter { seen.insert($0.sourcePlace).inserted }
  }
}
