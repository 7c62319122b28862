import TraceFacts
import TraceReplay
import TraceResults

/// The parts of a trace to analyze, and the results to list.
public struct AnalysisOptions {
  public var replay = ReplayOptions()
  /// The analyzed span in time units since the origin: `from` inclusive, `to` exclusive; nil = no limit.
  public var from: UInt64?
  public var to: UInt64?
  /// The limits for gaps; nil = none.
  public var profile: Profile?
  public var stacks = StackOptions()
  /// Receives the facts of the span while the analysis runs.
  public var sink: (any FactSink)?

  public init() {}
}
