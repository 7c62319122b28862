import TraceAnalysis
import TraceFacts

/// A fact of any kind, as a value.
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
}

/// A sink that keeps all facts of an analysis.
public final class FactCollector: FactSink {
  public let wantsBegins: Bool
  /// All facts, in the order in which they arrived.
  public private(set) var facts: [Fact] = []
  /// The number of facts that arrived as groups of equal passes.
  public private(set) var reportedAtOnce = 0

  public init(wantsBegins: Bool = false) { self.wantsBegins = wantsBegins }

  public func begin(_ span: SpanBegin) { facts.append(.begin(span)) }
  public func wait(_ wait: WaitEnd) { facts.append(.wait(wait)) }
  public func pass(_ pass: PassFact) { facts.append(.pass(pass)) }
  public func phase(_ phase: PhaseFact) { facts.append(.phase(phase)) }
  public func run(_ run: RunFact) { facts.append(.run(run)) }
  public func callout(_ callout: CalloutFact) { facts.append(.callout(callout)) }
  public func points(_ points: PointFact) { facts.append(.points(points)) }
  public func mark(_ mark: MarkFact) { facts.append(.mark(mark)) }
  public func suspension(_ suspension: SuspensionFact) { facts.append(.suspension(suspension)) }
  public func loss(_ loss: LossFact) { facts.append(.loss(loss)) }

  public func passes(_ passes: EqualPassFacts) {
    let before = facts.count
    passes.report(to: self)
    reportedAtOnce += facts.count - before
  }

  public var passes: [PassFact] { facts.compactMap { if case .pass(let fact) = $0 { fact } else { nil } } }
  public var phases: [PhaseFact] { facts.compactMap { if case .phase(let fact) = $0 { fact } else { nil } } }
  public var runs: [RunFact] { facts.compactMap { if case .run(let fact) = $0 { fact } else { nil } } }
  public var callouts: [CalloutFact] {
    facts.compactMap { if case .callout(let fact) = $0 { fact } else { nil } }
  }
  public var points: [PointFact] { facts.compactMap { if case .points(let fact) = $0 { fact } else { nil } } }
}
