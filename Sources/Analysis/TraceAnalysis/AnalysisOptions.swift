import TraceFacts
import TraceReplay
import TraceResults

/// The parts of a trace to analyze, and the results to list.
public struct AnalysisOptions {
  package var replay = ReplayOptions()
  /// The start of the analyzed span, inclusive, in time units since the origin; nil = no limit.
  public var from: UInt64?
  /// The end of the analyzed span, exclusive, in time units since the origin; nil = no limit.
  public var to: UInt64?
  /// The limits for gaps; nil = none.
  public var profile: Profile?
  package var stacks = StackOptions()
  /// The names of timers that are frame sources, besides those that the program declared.
  package var frameSources: [String] = []
  /// The named state of the program by whose values the results are split as well; nil = none.
  package var splitState: String?
  /// Receives the facts of the span while the analysis runs.
  package var sink: (any FactSink)?

  /// Creates options for the whole trace, without limits for gaps.
  public init() {}
}
