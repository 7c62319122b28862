import TraceAnalysis
import TraceFacts

/// A fact of any kind, as a value.
package enum Fact: Sendable, Equatable {
  case begin(SpanBegin)
  case pass(PassFact)
  case phase(PhaseFact)
  case wait(WaitEnd)
  case run(RunFact)
  case callout(CalloutFact)
  case waiting(WaitingFact)
  case points(PointFact)
  case mark(MarkFact)
  case suspension(SuspensionFact)
  case loss(LossFact)
}

/// A sink that keeps all facts of an analysis.
package final class FactCollector: FactSink {
  package let wantsBegins: Bool
  /// All facts, in the order in which they arrived.
  package private(set) var facts: [Fact] = []
  /// The number of facts that arrived as groups of equal passes.
  package private(set) var reportedAtOnce = 0

  package init(wantsBegins: Bool = false) { self.wantsBegins = wantsBegins }

  package func begin(_ span: SpanBegin) { facts.append(.begin(span)) }
  package func wait(_ wait: WaitEnd) { facts.append(.wait(wait)) }
  package func pass(_ pass: PassFact) { facts.append(.pass(pass)) }
  package func phase(_ phase: PhaseFact) { facts.append(.phase(phase)) }
  package func run(_ run: RunFact) { facts.append(.run(run)) }
  package func callout(_ callout: CalloutFact) { facts.append(.callout(callout)) }
  package func waiting(_ waiting: WaitingFact) { facts.append(.waiting(waiting)) }
  package func points(_ points: PointFact) { facts.append(.points(points)) }
  package func mark(_ mark: MarkFact) { facts.append(.mark(mark)) }
  package func suspension(_ suspension: SuspensionFact) { facts.append(.suspension(suspension)) }
  package func loss(_ loss: LossFact) { facts.append(.loss(loss)) }

  package func passes(_ passes: EqualPassFacts) {
    let before = facts.count
    passes.report(to: self)
    reportedAtOnce += facts.count - before
  }

  package var passes: [PassFact] { facts.compactMap { if case .pass(let fact) = $0 { fact } else { nil } } }
  package var phases: [PhaseFact] { facts.compactMap { if case .phase(let fact) = $0 { fact } else { nil } } }
  package var runs: [RunFact] { facts.compactMap { if case .run(let fact) = $0 { fact } else { nil } } }
  package var callouts: [CalloutFact] {
    facts.compactMap { if case .callout(let fact) = $0 { fact } else { nil } }
  }
  package var waiting: [WaitingFact] {
    facts.compactMap { if case .waiting(let fact) = $0 { fact } else { nil } }
  }
  package var points: [PointFact] {
    facts.compactMap { if case .points(let fact) = $0 { fact } else { nil } }
  }
}
