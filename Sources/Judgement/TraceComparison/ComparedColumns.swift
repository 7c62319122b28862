import TraceTables

/// The columns that define a comparison rule. Counts of faults come first; otherwise the order is that of the
/// columns.
enum ComparedColumns {
  typealias Compared = (measure: Measure, rule: ComparisonRule)

  static let counts =
    distinct.filter { !$0.rule.isOfTimes && $0.rule.isOfFaults }
    + distinct.filter { !$0.rule.isOfTimes && !$0.rule.isOfFaults }
  static let distributions = distinct.filter(\.rule.isOfTimes)
  static let peaks = Set(distinct.filter { $0.rule == .peak }.map(\.measure))

  /// Some measures occur in several tables; each is compared once.
  private static let distinct: [Compared] = {
    var seen: Set<Measure> = []
    return all.filter { seen.insert($0.measure).inserted }
  }()

  private static let all: [Compared] = [
    columns(RecordingTables.trace), columns(SpanTables.busy), columns(SpanTables.gaps),
    columns(LoopTables.modes),
    columns(TimerTables.timers), columns(CalloutTables.callouts), columns(CalloutTables.sources),
    columns(CalloutTables.queues), columns(WorkTables.queues),
  ].flatMap { $0 }

  private static func columns<Row>(_ table: ResultTable<Row>) -> [Compared] {
    table.columns.compactMap { column in column.comparison.map { (column.measure, $0) } }
  }
}

extension ComparisonRule {
  fileprivate var isOfTimes: Bool { self == .work || self == .wait }
  fileprivate var isOfFaults: Bool {
    switch self {
    case .fault, .spans: true
    default: false
    }
  }
}
