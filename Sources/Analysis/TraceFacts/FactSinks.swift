/// Forwards to several sinks of one source, in turn.
package final class FactSinks: FactSink {
  private let sinks: [any FactSink]
  package let wantsBegins: Bool

  package init(_ sinks: [any FactSink]) {
    self.sinks = sinks
    wantsBegins = sinks.contains(where: \.wantsBegins)
  }

  package func begin(_ span: SpanBegin) { for sink in sinks where sink.wantsBegins { sink.begin(span) } }
  package func pass(_ pass: PassFact) { for sink in sinks { sink.pass(pass) } }
  package func phase(_ phase: PhaseFact) { for sink in sinks { sink.phase(phase) } }
  package func wait(_ wait: WaitEnd) { for sink in sinks where sink.wantsBegins { sink.wait(wait) } }
  package func run(_ run: RunFact) { for sink in sinks { sink.run(run) } }
  package func callout(_ callout: CalloutFact) { for sink in sinks { sink.callout(callout) } }
  package func waiting(_ waiting: WaitingFact) {
    for sink in sinks where sink.wantsBegins { sink.waiting(waiting) }
  }
  package func points(_ points: PointFact) { for sink in sinks { sink.points(points) } }
  package func frame(_ frame: FrameFact) { for sink in sinks { sink.frame(frame) } }
  package func hitch(_ hitch: HitchFact) { for sink in sinks { sink.hitch(hitch) } }
  package func frameTime(_ time: FrameTimeFact) { for sink in sinks { sink.frameTime(time) } }
  package func mark(_ mark: MarkFact) { for sink in sinks { sink.mark(mark) } }
  package func state(_ state: StateFact) { for sink in sinks { sink.state(state) } }
  package func longSpan(_ span: LongSpanFact) { for sink in sinks { sink.longSpan(span) } }
  package func suspension(_ suspension: SuspensionFact) { for sink in sinks { sink.suspension(suspension) } }
  package func loss(_ loss: LossFact) { for sink in sinks { sink.loss(loss) } }
  package func passes(_ passes: EqualPassFacts) { for sink in sinks { sink.passes(passes) } }
}
