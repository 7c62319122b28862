/// Receives the facts of a recording in the order in which they become final.
///
/// **Order.** For one thread, facts come in the order of the events behind them. Spans begin outer first and end inner
/// first, even at equal times. Facts of different threads are interleaved. Spans that began before the source's first
/// moment begin at that moment. Spans that are open at its last moment end there, with `isOpen` set.
///
/// **Nesting.** The end of a span closes all spans inside it. If events were lost, the end of an inner span can follow
/// later, without a matching beginning. `NestedSpans` handles both.
///
/// **Cost.** One call per fact. Equal passes come in one call. Only a sink with `wantsBegins` receives the beginnings
/// of spans.
///
/// **Lifetime.** All calls come on the thread that runs the source. Facts are values; only `EqualPassFacts` must not
/// outlive the call. Times are in time units of the trace, since its origin.
package protocol FactSink: AnyObject {
  /// Whether the sink receives the beginnings of spans. Read once, before the first fact.
  var wantsBegins: Bool { get }
  /// Receives the beginning of a run, pass, wait or callout.
  func begin(_ span: SpanBegin)
  /// Receives a complete pass.
  func pass(_ pass: PassFact)
  /// Receives a finished part of a run between two activities. The beginning of a phase is not reported, because a
  /// nested run or a suspension cuts the phase.
  func phase(_ phase: PhaseFact)
  /// Receives the end of a wait. Only sinks with `wantsBegins` receive it; others receive the phase.
  func wait(_ wait: WaitEnd)
  /// Receives a finished run.
  func run(_ run: RunFact)
  /// Receives a finished callout.
  func callout(_ callout: CalloutFact)
  /// Receives how much work waits in a queue, at each change. Only sinks with `wantsBegins` receive it.
  func waiting(_ waiting: WaitingFact)
  /// Receives the outcome of one or more due points of a timer.
  func points(_ points: PointFact)
  /// Receives a frame when its callout ends: of each declared source, and of each repeating timer that may be one.
  func frame(_ frame: FrameFact)
  /// Receives a hitch of a timer that may be a frame source.
  func hitch(_ hitch: HitchFact)
  /// Receives the active time of such a timer, when that ends.
  func frameTime(_ time: FrameTimeFact)
  /// Receives a mark of the program, or the beginning or end of an interval.
  func mark(_ mark: MarkFact)
  /// Receives a change of a named state. States that have a value when the source begins come first, at that moment.
  func state(_ state: StateFact)
  /// Receives a long gap or busy interval when it ends.
  func longSpan(_ span: LongSpanFact)
  /// Receives a span in which the process did not run. It comes after all facts before its start.
  func suspension(_ suspension: SuspensionFact)
  /// Receives a span of a thread whose events were lost.
  func loss(_ loss: LossFact)
  /// Receives the facts of several equal passes. The default implementation passes them on one by one.
  func passes(_ passes: EqualPassFacts)
}

extension FactSink {
  package var wantsBegins: Bool { false }
  package func begin(_ span: SpanBegin) {}
  package func pass(_ pass: PassFact) {}
  package func phase(_ phase: PhaseFact) {}
  package func wait(_ wait: WaitEnd) {}
  package func run(_ run: RunFact) {}
  package func callout(_ callout: CalloutFact) {}
  package func waiting(_ waiting: WaitingFact) {}
  package func points(_ points: PointFact) {}
  package func frame(_ frame: FrameFact) {}
  package func hitch(_ hitch: HitchFact) {}
  package func frameTime(_ time: FrameTimeFact) {}
  package func mark(_ mark: MarkFact) {}
  package func state(_ state: StateFact) {}
  package func longSpan(_ span: LongSpanFact) {}
  package func suspension(_ suspension: SuspensionFact) {}
  package func loss(_ loss: LossFact) {}
  package func passes(_ passes: EqualPassFacts) { passes.report(to: self) }
}
