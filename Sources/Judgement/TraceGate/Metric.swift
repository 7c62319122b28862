import TraceAnalysis
import TraceTables

/// A value that a rule can measure: a column that declares a metric, or one of a few values that are derived from
/// several columns. docs/reference/commands/gate.md lists each.
package struct Metric: Sendable, Equatable {
  /// The name in a rule.
  package let name: String
  /// Empty for a single number.
  package let aggregates: [Aggregate]
  package let selectors: [Selector]
  /// The dimension of the metric's single number. An aggregate other than `count` is a time.
  let dimension: Dimension
  /// Whether it measures gaps or busy intervals, which are listed only above a minimum length.
  package let isOfSpans: Bool
  let reading: @Sendable (Measurement) throws(Undecidable) -> Reading

  init(
    _ name: String, _ aggregates: [Aggregate] = [], by selectors: [Selector], _ dimension: Dimension? = nil,
    isOfSpans: Bool = false,
    _ reading: @escaping @Sendable (Measurement) throws(Undecidable) -> Reading
  ) {
    self.name = name
    self.aggregates = aggregates
    self.selectors = selectors
    self.dimension = dimension ?? (aggregates.isEmpty ? .count : .time)
    self.isOfSpans = isOfSpans
    self.reading = reading
  }

  package var isSeries: Bool { !aggregates.isEmpty }
  package static func == (a: Metric, b: Metric) -> Bool { a.name == b.name }
}

extension Metric: Named {
  package static let allCases: [Metric] = [
    [gap, busy, utilisation], modes, [inputDelay], timers, [callout, processor], sources, queues, workQueues,
    [hitch, hitchRatio, findings],
  ].flatMap { $0 }

  private static let gap = spans(SpanTables.gap, "a gap") { ($0.gaps, $0.gapsOmitted) }
  static let busy = spans(SpanTables.busyLength, "a busy interval") { ($0.busy, $0.busyOmitted) }
  private static let utilisation = Metric(
    LoopTables.utilisationOfThread.name, by: [.mode, .thread], .ratio
  ) { measurement throws(Undecidable) in try measurement.utilisation() }
  private static let inputDelay = Metric(
    "input_delay", [.max, .mean, .p50, .p90, .p99], by: [.mode, .thread]
  ) { measurement throws(Undecidable) in try measurement.inputDelay() }
  private static let callout = Metric(
    "callout", [.max, .mean, .sum, .count], by: [.callout, .kind, .thread]
  ) { measurement throws(Undecidable) in try measurement.callouts() }
  static let processor = Metric(
    "processor", [.max, .count], by: [.mode, .thread, .atLeast], isOfSpans: true
  ) { measurement throws(Undecidable) in try measurement.processor() }
  private static let hitch = Metric(
    FrameTables.hitchTime.metric ?? "", [.max, .mean, .sum, .count], by: [.frames, .state, .value]
  ) { measurement throws(Undecidable) in try measurement.hitches() }
  private static let hitchRatio = Metric(
    FrameTables.ratio.metric ?? "", by: [.frames, .state, .value], .rate
  ) { measurement throws(Undecidable) in try measurement.hitchRatio() }
  static let findings = Metric(
    FindingTables.count.name, by: [.rule, .severity]
  ) { measurement throws(Undecidable) in try measurement.findings() }

  private static func spans<Span: LongSpan>(
    _ length: Column<Span>, _ what: String,
    _ listed: @escaping @Sendable (Analysis) -> (spans: [Span], omitted: Int)
  ) -> Metric {
    Metric(
      length.metric ?? "", [.max, .count], by: [.mode, .thread, .atLeast], isOfSpans: true
    ) { measurement throws(Undecidable) in
      let (spans, omitted) = listed(measurement.trace.numbers)
      return try SpanMeasurement(
        trace: measurement.trace, measure: measurement.measure, length: length, what: what
      ).reading(spans, omitted: omitted)
    }
  }

  private static let modes = columns(of: LoopTables.modes, by: [.mode, .thread]) {
    measurement throws(Undecidable) in try measurement.modes()
  }
  private static let timers = columns(
    of: TimerTables.timers, by: [.timer],
    unknown: { "the due points of timer \(quoted($0.name)) were not recorded" }
  ) { measurement throws(Undecidable) in try measurement.timers() }
  private static let sources = columns(of: CalloutTables.sources, by: [.source]) {
    measurement throws(Undecidable) in try measurement.sources()
  }
  private static let queues = columns(of: CalloutTables.queues, by: [], countsNone: false) {
    measurement throws(Undecidable) in [measurement.queues]
  }

  private static let workQueues = columns(
    of: WorkTables.queues, by: [.queue],
    unseen: { column, queues in column.measure == .wait ? queues.lazy.compactMap(\.unseenWaits).first : nil }
  ) { measurement throws(Undecidable) in try measurement.workQueues() }

  /// The columns of a table that declare a metric, added up over the selected rows. The greatest peak counts.
  ///
  /// `unknown` returns why a row lacks such a number. `countsNone`: whether `count` of a series without values is 0.
  /// If false, that count is undecidable. `unseen` returns why a series may have further values; nil = it has none.
  private static func columns<Row>(
    of table: ResultTable<Row>, by selectors: [Selector], countsNone: Bool = true,
    unseen: @escaping @Sendable (Column<Row>, [Row]) -> String? = { _, _ in nil },
    unknown: @escaping @Sendable (Row) -> String = { _ in "the recording does not contain this number" },
    _ rows: @escaping @Sendable (Measurement) throws(Undecidable) -> [Row]
  ) -> [Metric] {
    table.columns.filter { $0.metric != nil }.map { column in
      Metric(
        column.metric ?? "", column.distribution == nil ? [] : Aggregate.allCases,
        by: column.splits.isEmpty ? selectors : selectors + [.cause]
      ) { measurement throws(Undecidable) in
        try measurement.check(table.needs)
        try measurement.check(column.needs)
        let asked = measurement.split(column)
        let rows = try rows(measurement)
        if let row = rows.first(where: { asked.value($0) == .unknown }) { throw Undecidable(unknown(row)) }
        guard let distribution = asked.distribution else {
          let numbers = rows.compactMap(asked.count)
          return Reading(column.comparison == .peak ? numbers.max() ?? 0 : numbers.saturatedSum)
        }
        return try measurement.aggregate(
          of: rows.compactMap(distribution), column.measure.noun, countsNone: countsNone,
          unseen: unseen(column, rows))
      }
    }
  }
}

extension WorkQueueResult {
  /// Why the recording does not have all waits of its work; nil = it has them.
  fileprivate var unseenWaits: String? {
    if hasHandlers {
      return
        "queue \(quoted(name)) ran handlers of dispatch sources or notifications of groups, whose waits are not recorded"
    }
    return hasOperations
      ? "queue \(quoted(name)) ran operations, whose waits in their OperationQueue are not recorded" : nil
  }
}

/// An aggregate of a series.
package enum Aggregate: String, Sendable, CaseIterable {
  case min, max, mean, sum, count, p50, p90, p99, p999
}

/// A property that selects the rows of a metric.
package enum Selector: String, Sendable, CaseIterable {
  case mode, thread, timer, source, queue, callout, kind, cause, frames, state, value, rule, severity
  case atLeast = "at_least"
}

/// The dimension of a number.
package enum Dimension: Sendable {
  /// In nanoseconds.
  case time
  case count
  /// 1 = all.
  case ratio
  /// In milliseconds per second.
  case rate
}
