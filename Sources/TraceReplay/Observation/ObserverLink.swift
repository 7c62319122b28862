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
  func tell(_ body: (any AnalysisObserver) -> Void) {
    // SAFETY: the holder is kept.
    unsafe holder._withUnsafeGuaranteedRef { body($0.observer) }
  }
}
