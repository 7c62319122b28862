/// Keeps an observer while links to it are in use.
package final class ObserverHolder {
  fileprivate let observer: any AnalysisObserver
  package init(_ observer: any AnalysisObserver) { self.observer = observer }

  package var link: ObserverLink { ObserverLink(holder: .passUnretained(self)) }
}

/// Leads to an observer without counting references: that costs as much at each event as what most observers do.
///
/// Whoever has one keeps the holder: `TraceAnalyzer.analyze` does, while it goes over the trace.
package struct ObserverLink {
  fileprivate let holder: Unmanaged<ObserverHolder>

  @inline(__always)
  func pass(_ pass: PassRecord) { holder._withUnsafeGuaranteedRef { $0.observer.pass(pass) } }
  @inline(__always)
  func phase(_ phase: PhaseRecord) { holder._withUnsafeGuaranteedRef { $0.observer.phase(phase) } }
  @inline(__always)
  func run(_ run: RunRecord) { holder._withUnsafeGuaranteedRef { $0.observer.run(run) } }
  @inline(__always)
  func callout(_ callout: CalloutRecord) { holder._withUnsafeGuaranteedRef { $0.observer.callout(callout) } }
  @inline(__always)
  func points(_ points: PointRecord) { holder._withUnsafeGuaranteedRef { $0.observer.points(points) } }
}
