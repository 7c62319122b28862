/// Produces facts: a trace, or a list.
public protocol FactSource<Failure> {
  associatedtype Failure: Error
  /// Sends all facts to the sink, in the order that `FactSink` describes. O(facts).
  func send(to sink: any FactSink) throws(Failure)
}

/// One fact.
public enum Fact: Sendable, Equatable {
  case begin(SpanBegin)
  case pass(PassFact)
  case phase(PhaseFact)
  case wait(WaitEnd)
  case run(RunFact)
  case callout(CalloutFact)
  case points(PointFact)
  case mark(MarkFact)
  case suspension(SuspensionFact)
  case loss(LossFact)

  /// Sends the fact to the sink.
  public func send(to sink: any FactSink) {
    switch self {
    case .begin(let fact): if sink.wantsBegins { sink.begin(fact) }
    case .pass(let fact): sink.pass(fact)
    case .phase(let fact): sink.phase(fact)
    case .wait(let fact): if sink.wantsBegins { sink.wait(fact) }
    case .run(let fact): sink.run(fact)
    case .callout(let fact): sink.callout(fact)
    case .points(let fact): sink.points(fact)
    case .mark(let fact): sink.mark(fact)
    case .suspension(let fact): sink.suspension(fact)
    case .loss(let fact): sink.loss(fact)
    }
  }
}

/// A list of facts: a source that is written by hand, or the copy of another source.
public struct FactList: FactSource, Sendable {
  public var facts: [Fact]

  public init(_ facts: [Fact]) { self.facts = facts }

  public func send(to sink: any FactSink) {
    for fact in facts { fact.send(to: sink) }
  }
}
