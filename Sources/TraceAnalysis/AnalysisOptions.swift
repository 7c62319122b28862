import TraceReplay
import TraceResults

/// What to look at and what to list.
public struct AnalysisOptions {
  public var replay = ReplayOptions()
  /// The span to analyze, in time units since the origin: from inclusive, to exclusive; nil = all.
  public var from: UInt64?
  public var to: UInt64?
  /// What gaps are held against; nil = nothing.
  public var profile: Profile?
  public var stacks = StackOptions()
  /// Told what is found one by one.
  public var observer: (any AnalysisObserver)?

  public init() {}
}
