import RunLoopVocabulary

/// The callouts of one kind and name in a gap or busy interval, or the observers of an activity.
public struct SpanCalloutResult: Sendable, Equatable {
  /// The kind of callout, such as `timer`, or `observers`.
  public var kind: String = ""
  /// The name of the item, or of its code.
  public var name: String = ""
  /// The object, if it is the same for all of them; 0 when there are several.
  package var object: UInt32 = 0
  /// The row of the replay's callout table; -1 for observers.
  package var row: Int32 = -1
  /// The number of callouts in the span.
  package var count: UInt64 = 0
  /// Their time in the span, including the callouts inside them: the time of a drain includes its blocks.
  public var durationNs: UInt64 = 0
  /// Their time in the span outside the callouts inside them: the time that they held the loop themselves.
  package var selfNs: UInt64 = 0
  package init() {}
}

/// The common properties of gaps and busy intervals.
package protocol LongSpan: Sendable {
  var startNs: UInt64 { get }
  var durationNs: UInt64 { get }
  /// Suspended time, in addition to `durationNs`.
  var suspendedNs: UInt64 { get }
  var mode: String { get }
  var thread: UInt32 { get }
  var isOpen: Bool { get }
  var isUncertain: Bool { get }
  var callouts: [SpanCalloutResult] { get }
  var calloutCount: UInt64 { get }
  var calloutNs: UInt64 { get }
  var unexplainedNs: UInt64 { get }
  var waited: WaitedWork { get }
}

/// Evidence of work that waited while a thread was busy.
package struct WaitedWork: Sendable {
  /// The due points of timers that passed meanwhile.
  package var duePoints: UInt64 = 0
  /// For an event loop, the length of the next wait; nil if none returned in the recording.
  package var nextWaitNs: UInt64?
  /// The callouts between that wait and the one after it, most time first, and the number of all.
  package var served: [SpanCalloutResult] = []
  package var servedCount: UInt64 = 0

  /// A wait that is shorter returned at once: a descriptor was ready, or a limit had passed. The answer to a request
  /// that was just sent to another process takes longer.
  package static let atOnceNs: UInt64 = 30_000
  package var wasReady: Bool { nextWaitNs.map { $0 < WaitedWork.atOnceNs } ?? false }
  /// Whether the recording shows that something waited.
  package var isShown: Bool { duePoints > 0 || wasReady }
  package init() {}
}

extension LongSpan {
  /// The end of the span, with its suspended time.
  package var endNs: UInt64 { startNs &+ durationNs &+ suspendedNs }
}

/// The time between two consecutive activities of a thread, waiting excluded.
package struct Gap: LongSpan {
  package var startNs: UInt64 = 0
  package var durationNs: UInt64 = 0
  package var after = Phase.outside
  /// The mode of the innermost run when the gap began.
  package var mode: String = ""
  package var thread: UInt32 = 0
  /// The callouts with the most time of their own in the gap, most first, at most `AnalysisLimits.spanCallouts`.
  package var callouts: [SpanCalloutResult] = []
  /// The number of all callouts that ran in the gap.
  package var calloutCount: UInt64 = 0
  /// The time in which a callout, or an activity's observers, ran. Each instant counts once.
  package var calloutNs: UInt64 = 0
  /// The time in which nothing that was recorded ran.
  package var unexplainedNs: UInt64 { durationNs &- calloutNs }
  /// Whether the recording ended before the gap did.
  package var isOpen: Bool = false
  /// Whether the gap follows the Exit of the outermost run: the thread ran no loop.
  package var isOutside: Bool = false
  /// Suspended time, in addition to `durationNs`.
  package var suspendedNs: UInt64 = 0
  /// Whether events were lost in the gap, or the recorder itself was late.
  package var isUncertain: Bool = false
  package var waited = WaitedWork()
  /// The profile's limit for the life-cycle phase in which the gap began; nil without a profile.
  package var limitNs: UInt64?
  package init() {}
}

/// The time in which a thread had work for its loop, or kept the loop from its work: between two waits, or ends of
/// poll runs.
public struct BusyInterval: LongSpan {
  /// The start of the interval.
  public var startNs: UInt64 = 0
  /// The length of the interval, without suspension.
  public var durationNs: UInt64 = 0
  /// The index in `TraceResult.threads`.
  public var thread: UInt32 = 0
  /// The mode of the innermost run when the interval began.
  public var mode: String = ""
  /// The part of the interval outside any run of the loop, and the longest stretch of that part.
  package var outsideNs: UInt64 = 0
  package var longestOutsideNs: UInt64 = 0
  package var isOpen: Bool = false
  /// Suspended time, in addition to `durationNs`.
  package var suspendedNs: UInt64 = 0
  /// Whether the length is not certain: events were lost in the interval, or the recorder itself was late.
  public var isUncertain: Bool = false
  /// The callouts with the most time of their own in the interval, in whichever gaps they ran. As for a gap, only
  /// those inside runs count.
  public var callouts: [SpanCalloutResult] = []
  package var calloutCount: UInt64 = 0
  package var calloutNs: UInt64 = 0
  package var waited = WaitedWork()
  /// The time inside runs in which nothing that was recorded ran.
  package var unexplainedNs: UInt64 { durationNs &- outsideNs &- calloutNs }
  package var busyClass: BusyClass? { BusyClass(ns: durationNs) }
  /// Whether the thread ran no loop for most of the interval: what it did then, and whether any work waited, is not
  /// known.
  package var isMostlyOutside: Bool { BusyClass.isMostlyOutside(durationNs, outside: outsideNs) }
  /// The length that counts as a hang: the whole interval, or its part inside runs if most of it was outside.
  package var hangLengthNs: UInt64 { BusyClass.hangLength(durationNs, outside: outsideNs) }
  /// Whether the interval is a certain hang of 250 ms or more. RL002 reports these.
  public var isHang: Bool { isHangIfCertain && !isUncertain }
  /// Whether the interval is a hang if its length is as recorded.
  package var isHangIfCertain: Bool { hangLengthNs >= BusyClass.hangNs }
  package init() {}
}

/// The number and time of a thread's busy intervals that are not listed.
package struct UnlistedBusy {
  package var count: UInt64
  package var ns: UInt64
  /// Those of 250 ms and more.
  package var hangs: UInt64
  package var hangsNs: UInt64

  package init(count: UInt64 = 0, ns: UInt64 = 0, hangs: UInt64 = 0, hangsNs: UInt64 = 0) {
    (self.count, self.ns, self.hangs, self.hangsNs) = (count, ns, hangs, hangsNs)
  }
}

extension Analysis {
  /// Busy intervals that are hangs if their recorded length is right.
  package var uncertainHangs: [BusyInterval] { busy.filter { $0.isHangIfCertain && $0.isUncertain } }
  /// Hangs that began before the span, judged by their length inside the span.
  package var hangsAtStart: [BusyAtEdge] { busyAtStart.filter { $0.durationNs >= BusyClass.hangNs } }
  /// Whether there may be hangs that no finding reports because their length is not known.
  package var hasDoubtfulHangs: Bool {
    !uncertainHangs.isEmpty || !hangsAtStart.isEmpty || !busyAtBreak.isEmpty
  }
}

/// A thread that was busy when the analyzed span began or ended. `durationNs` is the part inside the span; the rest
/// is not known.
package typealias BusyAtEdge = (thread: UInt32, mode: String, durationNs: UInt64)
