// Spans of swift-distributed-tracing as intervals. Without the package trait `Spans`, this module is empty.
#if Spans
import RunLoopProbe
import Tracing

extension RunLoopTracer {
  /// Returns a tracer of swift-distributed-tracing that records each span as an interval, and passes every call on to
  /// `other`.
  ///
  /// ```swift
  /// let tracer = try RunLoopTracer.start(output: "app.rltrace")
  /// InstrumentationSystem.bootstrap(tracer.spanTracer())
  /// try await withSpan("GET /feed") { span in … }
  /// ```
  ///
  /// The interval begins when the span is started, ends when it is ended, and has the operation name with which it was
  /// started. An interval has nothing else: `other` alone receives later names, attributes, events, links, errors,
  /// status and instants, and injects and extracts contexts. Each distinct operation name stays in memory until the
  /// recording ends. After `stop`, spans are still passed on.
  public func spanTracer(passingTo other: some Tracer = NoOpTracer()) -> any Tracer {
    SpanTracer(recorder: self, other: other)
  }
}

/// Records spans as intervals, and passes every call on to another tracer.
struct SpanTracer<Other: Tracer>: Tracer {
  typealias Span = IntervalSpan<Other.Span>

  let recorder: RunLoopTracer
  let other: Other

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> IntervalSpan<Other.Span> {
    let span = other.startSpan(
      operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
      line: line)
    return IntervalSpan(span, recorder.beginInterval(operationName))
  }

  func activeSpan(identifiedBy context: ServiceContext) -> IntervalSpan<Other.Span>? {
    other.activeSpan(identifiedBy: context).map { IntervalSpan($0, context[IntervalKey.self]) }
  }

  // The requirement is deprecated as well.
  @available(*, deprecated)
  func forceFlush() { other.forceFlush() }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    other.extract(carrier, into: &context, using: extractor)
  }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    other.inject(context, into: &carrier, using: injector)
  }
}

/// A span of another tracer, and the interval that records it.
struct IntervalSpan<Other: Tracing.Span>: Tracing.Span {
  private let other: Other
  /// Nil for a span that the other tracer started by itself.
  private let interval: IntervalMark?
  let context: ServiceContext

  init(_ other: Other, _ interval: IntervalMark?) {
    self.other = other
    self.interval = interval
    var context = other.context
    context[IntervalKey.self] = interval
    self.context = context
  }

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    interval?.end()
    other.end(at: instant())
  }

  var operationName: String {
    get { other.operationName }
    nonmutating set { other.operationName = newValue }
  }

  var attributes: SpanAttributes {
    get { other.attributes }
    nonmutating set { other.attributes = newValue }
  }

  var isRecording: Bool { other.isRecording }

  func setStatus(_ status: SpanStatus) { other.setStatus(status) }

  func addEvent(_ event: SpanEvent) { other.addEvent(event) }

  func addLink(_ link: SpanLink) { other.addLink(link) }

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    other.recordError(error, attributes: attributes, at: instant())
  }
}

/// Where a context keeps the interval of its span, so that `activeSpan` finds it.
private enum IntervalKey: ServiceContextKey {
  typealias Value = IntervalMark
}
#endif
