import TraceAnalysis
import TraceReplay

/// An observer that keeps all records of an analysis.
public final class RecordCollector: AnalysisObserver {
  public enum Record: Equatable {
    case pass(PassRecord)
    case phase(PhaseRecord)
    case run(RunRecord)
    case callout(CalloutRecord)
    case points(PointRecord)
  }

  /// All records, in the order in which they arrived.
  public private(set) var records: [Record] = []
  /// The number of records that arrived as groups of equal passes.
  public private(set) var reportedAtOnce = 0

  public init() {}

  public func pass(_ pass: PassRecord) { records.append(.pass(pass)) }
  public func phase(_ phase: PhaseRecord) { records.append(.phase(phase)) }
  public func run(_ run: RunRecord) { records.append(.run(run)) }
  public func callout(_ callout: CalloutRecord) { records.append(.callout(callout)) }
  public func points(_ points: PointRecord) { records.append(.points(points)) }

  public func passes(_ passes: EqualPassRecords) {
    let before = records.count
    passes.report(to: self)
    reportedAtOnce += records.count - before
  }

  public var passes: [PassRecord] {
    records.compactMap { if case .pass(let record) = $0 { record } else { nil } }
  }
  public var phases: [PhaseRecord] {
    records.compactMap { if case .phase(let record) = $0 { record } else { nil } }
  }
  public var runs: [RunRecord] {
    records.compactMap { if case .run(let record) = $0 { record } else { nil } }
  }
  public var callouts: [CalloutRecord] {
    records.compactMap { if case .callout(let record) = $0 { record } else { nil } }
  }
  public var points: [PointRecord] {
    records.compactMap { if case .points(let record) = $0 { record } else { nil } }
  }
}
