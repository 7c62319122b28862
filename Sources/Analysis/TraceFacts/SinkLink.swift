/// Keeps a sink alive while links to it are in use.
package final class SinkHolder {
  fileprivate let sink: any FactSink
  package init(_ sink: any FactSink) { self.sink = sink }

  package var link: SinkLink { unsafe SinkLink(holder: .passUnretained(self), wantsBegins: sink.wantsBegins) }
}

/// Refers to a sink without counting references, which would cost as much per event as most sinks do.
///
/// The owner of a link keeps the holder alive. `TraceAnalyzer.analyze` does so while it goes over the trace.
@safe package struct SinkLink {
  fileprivate let holder: Unmanaged<SinkHolder>
  package let wantsBegins: Bool

  package func report(_ body: (any FactSink) -> Void) {
    // SAFETY: the owner keeps the holder alive.
    unsafe holder._withUnsafeGuaranteedRef { body($0.sink) }
  }
}
