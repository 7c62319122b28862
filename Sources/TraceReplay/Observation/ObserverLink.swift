/// Keeps an observer alive while links to it are in use.
package final class ObserverHolder {
  fileprivate let observer: any AnalysisObserver
  package init(_ observer: any AnalysisObserver) { self.observer = observer }

  package var link: ObserverLink { unsafe ObserverLink(holder: .passUnretained(self)) }
}

/// Refers to an observer without counting references, which would cost as much per event as most observers do.
///
/// The owner of a link keeps the holder alive. `TraceAnalyzer.analyze` does so while it goes over the trace.
@safe package struct ObserverLink {
  fileprivate let holder: Unmanaged<ObserverHolder>

  @inline(__always)
  func report(_ body: (any AnalysisObserver) -> Void) {
    // SAFETY: the owner keeps the holder alive.
    unsafe holder._withUnsafeGuaranteedRef { body($0.observer) }
  }
}
