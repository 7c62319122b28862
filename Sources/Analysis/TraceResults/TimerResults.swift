import CallStacks
import RunLoopVocabulary

/// One timer class: creation site, interval and modes.
public struct TimerResult: Sendable {
  /// The number by which records of due points refer to it.
  package var id: Int = 0
  /// The classes that the row combines: several for timers of one place with many intervals, otherwise only `id`.
  package var classes: [Int] = []
  /// The first few names, in order of appearance.
  package var names: [String] = []
  package var hasMoreNames: Bool = false
  /// Whether this is the row for all classes beyond the limit. It has no interval, modes or code of its own.
  package var isRemainder = false
  /// The name of its timers. If they have several names, the first few of them.
  public var name: String { names.joined(separator: ", ") + (hasMoreNames ? " and others" : "") }
  /// Whether its timers have several names. Timers created at one place may differ in name.
  package var hasSeveralNames: Bool { names.count > 1 || hasMoreNames }
  package var site: String = ""
  /// The function that its timers call, and the code that created them. File and line are given if the trace holds
  /// them or symbolication found them.
  package var function: StackFrame?
  package var maker: StackFrame?
  package var objects: UInt64 = 0
  /// The interval, or the shortest of several.
  public var intervalNs: UInt64 = 0
  package var longestIntervalNs: UInt64 = 0
  /// Whether its timers have different intervals.
  package var isVarying: Bool { longestIntervalNs > intervalNs }
  /// `100 ms`, or `100 ms–2.50 s` for different intervals.
  package var intervalText: String {
    if isRemainder { return "–" }
    let shortest = Units.duration(intervalNs)
    return isVarying ? "\(shortest)–\(Units.duration(longestIntervalNs))" : shortest
  }
  /// The modes that the timers were added to, with the common modes resolved.
  public var modes: [String] = []
  /// Whether the timers were added to the common modes rather than to each of `modes`.
  package var isCommon: Bool = false
  /// The common modes of its loop; nil if none is known.
  package var commonModesOfLoop: [String]?
  package var modeNames: String { isCommon ? "common modes" : modes.joined(separator: ", ") }
  /// The thread of its loop; nil if the loop never ran.
  public var thread: UInt32?
  /// The number of fires.
  public var fired: UInt64 = 0
  /// Callouts outside the loop (`-fire`), which are neither due nor fired.
  package var manual: UInt64 = 0
  package var toleranceNs: UInt64 = 0
  /// Whether the user declared that the timer may wait while tracking.
  package var isDeferrable: Bool = false
  /// The time of its callouts, without the runs that they started, by the mode in which they ran.
  package var calloutNsByMode: [(mode: String, ns: UInt64)] = []
  package var longestCalloutNs: UInt64 = 0
  /// How many of its timers are live over time.
  package var life = ItemLives()
  /// Nil when the recording holds no due points for the class.
  public var ledger: TimerLedgerResult?
  package init() {}
}

/// The number of live timers of a class, or of live sources of a place.
package struct ItemLives: Sendable {
  /// The number of objects that are in a mode of their loop at the end of the span.
  package var live: UInt64 = 0
  /// The number of objects that left their last mode or were invalidated.
  package var ended: UInt64 = 0
  /// The number of live objects at the start of the span and after each tenth of it.
  package var atTenths: [UInt64] = []
  /// When the first and the last object appeared in the span; meaningless if none did.
  package var firstNs: UInt64 = 0
  package var lastNs: UInt64 = 0
  package init() {}
}

/// The outcome of a timer class's due points: due = fired + skipped + withdrawn + pending.
public struct TimerLedgerResult: Sendable {
  package var due: UInt64 = 0
  /// The number of due points that were skipped.
  public var skipped: UInt64 = 0
  package var withdrawn: UInt64 = 0
  package var pending: UInt64 = 0
  package var early: UInt64 = 0
  /// The time from the due point to the callout, for each fire.
  public var latenessNs = Distribution()
  /// Lateness by the mode that ran meanwhile; sums to `latenessNs.sum`.
  package var overdueByModeNs: [(mode: String, ns: UInt64)] = []
  /// Skipped points by the cause at their due times; sums to `skipped`.
  public var skippedBy: [Cause: UInt64] = [:]
  /// The longest time in which a timer missed each due point: their number × its interval. Only causes in
  /// `Cause.ofProgram` count.
  package var longestMissedNs: UInt64 = 0
  /// The same for the points of one cause.
  package var longestMissedByNs: [Cause: UInt64] = [:]
  /// The points skipped for `wrongMode`, by the mode that ran.
  package var wrongModeBy: [(mode: String, count: UInt64)] = []
  /// How long the pending point was overdue at the end. If several timers were overdue, the longest time, not the sum.
  package var pendingOverdueNs: UInt64 = 0
  /// Lateness of fires by cause; sums to `latenessNs.sum`.
  public var ledgerNs: [Cause: UInt64] = [:]
  /// The outcome of the points, by the mode in which they came due.
  package var byMode: [PointsInMode] = []
  /// The callouts that ran while points were overdue, most time first.
  package var blockers: [BlockerResult] = []
  package init() {}

  /// The blockers to show to people: those with skipped points or a hundredth of the lateness. The others delayed
  /// fires that were late anyway.
  package var notableBlockers: [BlockerResult] {
    blockers.filter { $0.points > 0 || isAtLeast($0.latenessNs, 0.01, of: latenessNs.sum) }
  }
}

/// The due points of a timer class that came due in one mode: due = fired + skipped + withdrawn + pending.
package struct PointsInMode: Sendable, Equatable {
  package var mode: String = ""
  package var fired: UInt64 = 0
  package var skipped: UInt64 = 0
  package var withdrawn: UInt64 = 0
  package var pending: UInt64 = 0
  package var worstLatenessNs: UInt64 = 0
  package var due: UInt64 { [fired, skipped, withdrawn, pending].saturatedSum }
  package init() {}
}

/// A callout, or the observers of an activity, that delayed a timer.
package struct BlockerResult: Sendable {
  package var kind: String = ""
  package var name: String = ""
  /// The part of the lateness of fires with the cause `busy`.
  package var latenessNs: UInt64 = 0
  /// Due points that were skipped while it ran.
  package var points: UInt64 = 0
  package init() {}
}
