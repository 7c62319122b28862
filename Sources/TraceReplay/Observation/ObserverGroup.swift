/// Forwards to several observers of one analysis, in turn.
public final class ObserverGroup: AnalysisObserver {
  private let observers: [any AnalysisObserver]

  public init(_ observers: [any AnalysisObserver]) { self.observers = observers }

  public func pass(_ pass: PassRecord) { for observer in observers { observer.pass(pass) } }
  public func phase(_ phase: PhaseRecord) { for observer in observers { observer.phase(phase) } }
  public func run(_ run: RunRecord) { for observer in observers { observer.run(run) } }
  public func callout(_ callout: CalloutRecord) { for observer in observers { observer.callout(callout) } }
  public func points(_ points: PointRecord) { for observer in observers { observer.points(points) } }
  public func passes(_ passes: EqualPassRecords) { for observer in observers { observer.passes(passes) } }
}
