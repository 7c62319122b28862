/// Receives what an analysis finds while it goes over the trace: for tables with a row per pass or due point, and for
/// time lines.
///
/// Receives only what ends in the analyzed span. The records of one thread come in the order of their ends; records
/// of different threads are interleaved. All calls come on the analyzing thread. Times are in time units of the
/// trace, since its origin.
public protocol AnalysisObserver: AnyObject {
  /// Receives a complete pass.
  func pass(_ pass: PassRecord)
  /// Receives a finished part of a run between two activities.
  func phase(_ phase: PhaseRecord)
  /// Receives a finished run.
  func run(_ run: RunRecord)
  /// Receives a finished callout.
  func callout(_ callout: CalloutRecord)
  /// Receives what became of one or more due points of a timer.
  func points(_ points: PointRecord)
  /// Receives all of the above for several equal passes. The default implementation passes the records on one by one.
  func passes(_ passes: EqualPassRecords)
}

extension AnalysisObserver {
  public func pass(_ pass: PassRecord) {}
  public func phase(_ phase: PhaseRecord) {}
  public func run(_ run: RunRecord) {}
  public func callout(_ callout: CalloutRecord) {}
  public func points(_ points: PointRecord) {}
  public func passes(_ passes: EqualPassRecords) { passes.report(to: self) }
}

/// One complete pass.
public struct PassRecord: Sendable, Equatable {
  public var thread: UInt32
  public var mode: UInt8
  public var start: UInt64
  public var end: UInt64
  /// Net of nested runs, indexed by `Phase.rawValue`; includes `waiting`.
  public var phases: PhaseTimes
  public var nested: UInt64
  public var suspended: UInt64 = 0
}

/// Part of a run between one activity and the next. A nested run or a suspension cuts it in two.
public struct PhaseRecord: Sendable, Equatable {
  public var thread: UInt32
  public var mode: UInt8
  /// The number of runs around this one.
  public var depth: Int
  public var phase: Phase
  /// A suspension inside moves the start forward by its length.
  public var start: UInt64
  public var end: UInt64
}

/// One run of a loop.
public struct RunRecord: Sendable, Equatable {
  public var thread: UInt32
  public var loop: UInt32
  public var mode: UInt8
  /// The number of runs around this one.
  public var depth: Int
  public var start: UInt64
  public var end: UInt64
}

/// A callout.
public struct CalloutRecord: Sendable, Equatable {
  public var thread: UInt32
  /// The kind of its begin event.
  public var kind: UInt8
  public var object: UInt32
  /// String id, 0 = none.
  public var name: UInt32
  /// The mode of the innermost run.
  public var mode: UInt8
  /// The number of callouts around this one.
  public var depth: Int
  public var start: UInt64
  public var end: UInt64
  /// Time in runs that the callout started.
  public var nested: UInt64
  public var suspended: UInt64
}

/// The outcome of one due point, or of several that were skipped in a row for one reason.
public struct PointRecord: Sendable, Equatable {
  /// The `id` of the timer's class in the results.
  public var timer: Int
  /// The string ids of the timer's name and creation site, 0 = none.
  public var name: UInt32
  public var site: UInt32
  /// The timer's object id if it was created before the recording, otherwise 0.
  public var createdBefore: UInt32
  public var outcome: DueOutcome
  /// 1, or the number of skipped points.
  public var count: UInt64
  /// The (first) point; nil = not in the recording.
  public var due: UInt64?
  /// The last skipped point, otherwise `due`.
  public var lastDue: UInt64?
  /// When the callout began, the point was withdrawn, or the span ended. Nil for skipped points.
  public var end: UInt64?
  /// For a fire; 0 if it was early.
  public var lateness: UInt64
  /// For a fire: the lateness, indexed by `Cause.rawValue`.
  public var causes: CauseAmounts
  /// The cause in force when the point came due; nil = not known.
  public var cause: Cause?
  /// The mode that ran when the point came due, 0 outside any run.
  public var mode: UInt8
}
