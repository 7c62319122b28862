import TraceAnalysis
import TraceReplay

/// Keeps everything that an analysis tells.
public final class RecordCollector: AnalysisObserver {
  public private(set) var passes: [PassRecord] = []
  public private(set) var phases: [PhaseRecord] = []
  public private(set) var runs: [RunRecord] = []
  public private(set) var callouts: [CalloutRecord] = []
  public private(set) var points: [PointRecord] = []

  public init() {}

  public func pass(_ pass: PassRecord) { passes.append(pass) }
  public func phase(_ phase: PhaseRecord) { phases.append(phase) }
  public func run(_ run: RunRecord) { runs.append(run) }
  public func callout(_ callout: CalloutRecord) { callouts.append(callout) }
  public func points(_ points: PointRecord) { self.points.append(points) }
}
