/// Forwards to several sinks of one source, in turn.
public final class FactSinks: FactSink {
  private let sinks: [any FactSink]
  public let wantsBegins: Bool

  public init(_ sinks: [any FactSink]) {
    self.sinks = sinks
    wantsBegins = sinks.contains(where: \.wantsBegins)
  }

  public func begin(_ span: SpanBegin) { for sink in sinks where sink.wantsBegins { sink.begin(span) } }
  public func pass(_ pass: PassFact) { for sink in sinks { sink.pass(pass) } }
  public func phase(_ phase: PhaseFact) { for sink in sinks { sink.phase(phase) } }
  public func wait(_ wait: WaitEnd) { for sink in sinks where sink.wantsBegins { sink.wait(wait) } }
  public func run(_ run: RunFact) { for sink in sinks { sink.run(run) } }
  public func callout(_ callout: CalloutFact) { for sink in sinks { sink.callout(callout) } }
  public func points(_ points: PointFact) { for sink in sinks { sink.points(points) } }
  public func mark(_ mark: MarkFact) { for sink in sinks { sink.mark(mark) } }
  public func suspension(_ suspension: SuspensionFact) { for sink in sinks { sink.suspension(suspension) } }
  public func loss(_ loss: LossFact) { for sink in sinks { sink.loss(loss) } }
  public func passes(_ passes: EqualPassFacts) { for sink in sinks { sink.passes(passes) } }
}
