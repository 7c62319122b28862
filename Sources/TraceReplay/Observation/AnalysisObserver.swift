/// Is told what an analysis finds while it goes over the trace: for tables with a row for each pass and each due point,
/// and for time lines.
///
/// Only what ends in the analyzed span. The records of one thread come in the order of their ends; those of several
/// threads take turns. All on the thread that analyzes. Times are time units of the trace, since its origin.
public protocol AnalysisObserver: AnyObject {
  /// A pass is complete.
  func pass(_ pass: PassRecord)
  /// Part of a run between two activities is over.
  func phase(_ phase: PhaseRecord)
  /// A run of a loop is over.
  func run(_ run: RunRecord)
  /// A callout is over.
  func callout(_ callout: CalloutRecord)
  /// Something became of due points of a timer.
  func points(_ points: PointRecord)
  /// All of the above that there is to tell of some passes. Without an implementation, it is told one by one.
  func passes(_ passes: EqualPassRecords)
}

extension AnalysisObserver {
  public func pass(_ pass: PassRecord) {}
  public func phase(_ phase: PhaseRecord) {}
  public func run(_ run: RunRecord) {}
  public func callout(_ callout: CalloutRecord) {}
  public func points(_ points: PointRecord) {}
  public func passes(_ passes: EqualPassRecords) { passes.tell(self) }
}

/// One complete pass.
public struct PassRecord: Sendable, Equatable {
  public var thread: UInt32
  public var mode: UInt8
  public var start: UInt64
  public var end: UInt64
  /// Net of nested runs, by `Phase.rawValue`; `waiting` among them.
  public var phases: PhaseTimes
  public var nested: UInt64
  public var suspended: UInt64 = 0
}

/// Part of a run between one activity and the next; a nested run or a suspension in it cuts it in two.
public struct PhaseRecord: Sendable, Equatable {
  public var thread: UInt32
  public var mode: UInt8
  /// Runs around this one.
  public var depth: Int
  public var phase: Phase
  /// A suspension inside moves the beginning to as much later.
  public var start: UInt64
  public var end: UInt64
}

/// One run of a loop.
public struct RunRecord: Sendable, Equatable {
  public var thread: UInt32
  public var loop: UInt32
  public var mode: UInt8
  /// Runs around this one.
  public var depth: Int
  public var start: UInt64
  public var end: UInt64
}

/// One callout.
public struct CalloutRecord: Sendable, Equatable {
  public var thread: UInt32
  /// Of its begin event.
  public var kind: UInt8
  public var object: UInt32
  /// String id, 0 = none.
  public var name: UInt32
  /// Mode of the innermost run.
  public var mode: UInt8
  /// Callouts around this one.
  public var depth: Int
  public var start: UInt64
  public var end: UInt64
  /// Inside runs that it started.
  public var nested: UInt64
  public var suspended: UInt64
}

/// What became of one due point, or of several that were skipped in a row for one reason.
public struct PointRecord: Sendable, Equatable {
  /// The `id` of the timer's class in the results.
  public var timer: Int
  /// String ids of its name and creation site, 0 = none.
  public var name: UInt32
  public var site: UInt32
  /// Its object id when it was created before the recording, else 0.
  public var createdBefore: UInt32
  public var outcome: DueOutcome
  /// 1, or how many were skipped.
  public var count: UInt64
  /// The (first) point; nil when the recording does not hold it.
  public var due: UInt64?
  /// The last of those skipped, else `due`.
  public var lastDue: UInt64?
  /// When the callout began, the point was withdrawn, or the span ended; of skipped ones nil.
  public var end: UInt64?
  /// Of a fire; 0 when it was early.
  public var lateness: UInt64
  /// Of a fire: lateness by `Cause.rawValue`.
  public var causes: CauseAmounts
  /// What held when the point came due; nil when nobody knows.
  public var cause: Cause?
  /// The mode that ran then, 0 outside any run.
  public var mode: UInt8
}
