/// Keeps an observer while links to it are in use.
package final class ObserverHolder {
  fileprivate let observer: any AnalysisObserver
  package init(_ observer: any AnalysisObserver) { self.observer = observer }

  package var link: ObserverLink { unsafe ObserverLink(holder: .passUnretained(self)) }
}

/// Leads to an observer without counting references: that costs as much at each event as what most observers do.
///
/// Whoever has one keeps the holder: `TraceAnalyzer.analyze` does, while it goes over the trace.
@safe package struct ObserverLink {
  fileprivate let holder: Unmanaged<ObserverHolder>

  @inline(__always)
  func pass(_ pass: PassRecord) { with { $0.pass(pass) } }
  @inline(__always)
  func phase(_ phase: PhaseRecord) { with { $0.phase(phase) } }
  @inline(__always)
  func run(_ run: RunRecord) { with { $0.run(run) } }
  @inline(__always)
  func callout(_ callout: CalloutRecord) { with { $0.callout(callout) } }
  @inline(__always)
  func points(_ points: PointRecord) { with { $0.points(points) } }

  @inline(__always)
  private func with(_ tell: (any AnalysisObserver) -> Void) {
    // SAFETY: the holder is kept.
    unsafe holder._withUnsafeGuaranteedRef { tell($0.observer) }
  }
}
