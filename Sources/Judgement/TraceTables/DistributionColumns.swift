import SystemSupport
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Columns of distributions.
package enum DistributionColumns {
  package static let count = Column<Distribution>("count", "number of values") { $0.count }
  package static let sum = Column<Distribution>("sum", "exact sum") { $0.sum }.shown(as: .time)
  package static let min = Column<Distribution>("min", "smallest value, exact") { known($0, $0.min) }.shown(
    as: .time)
  package static let p50 = percentile(
    "p50", "Half of the values are at most this long. Accurate within 0.5 %.", at: 11
  ) {
    $0.p50
  }
  package static let p99 = percentile(
    "p99", "99 of 100 values are at most this long. Accurate within 0.5 %.", at: 13
  ) { $0.p99 }
  package static let max = Column<Distribution>("max", "largest value, exact") { known($0, $0.max) }.shown(
    as: .time
  )
  .headed("max", "The largest value, exact.", at: 15)

  /// Columns of a distribution. Extremes and percentiles of an empty distribution are unknown.
  package static let all = ResultTable<Distribution>("distribution", "distribution of values") {
    count
    sum
    min
    p50
    percentile("p90", "Nine of ten values are at most this long. Accurate within 0.5 %.", at: 12) { $0.p90 }
    p99
    percentile(
      "p999", as: "p99.9", "999 of 1000 values are at most this long. Accurate within 0.5 %.", at: 14
    ) { $0.p999 }
    max
  }

  private static func percentile(
    _ name: String, as title: String? = nil, _ tip: String, at place: Int,
    _ read: @escaping @Sendable (Distribution) -> UInt64
  ) -> Column<Distribution> {
    Column(name, "percentile, accurate within 0.5 %") { known($0, read($0)) }.shown(as: .time)
      .headed(title ?? name, tip, at: place)
  }

  private static func known(_ distribution: Distribution, _ value: UInt64) -> UInt64? {
    distribution.count > 0 ? value : nil
  }

  /// Columns of the hypothetical delay of events. Either all values are known or none is.
  package static let delay = ResultTable<DelayDistribution>(
    "delay", "time that an event at a random moment would have waited"
  ) {
    Column("p50", "median wait") { $0.p50 }.shown(as: .time)
    Column("p90", "at 9 of 10 moments, an arriving event waits at most this long") { $0.p90 }.shown(as: .time)
    Column("p99", "at 99 of 100 moments, an arriving event waits at most this long") { $0.p99 }
      .shown(as: .time)
    Column("max", "longest wait, exact") { $0.max }.shown(as: .time)
    Column("mean", "") { UInt64(clamping: $0.meanNs.rounded()) }.shown(as: .time)
  }
}

extension Column {
  /// A group of columns for a distribution; nil = the row has none. The first column's description says what the
  /// values are.
  static func distribution(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> Distribution?
  ) -> Column {
    group(
      name, in: form,
      DistributionColumns.all.columns.enumerated().map { place, column in
        let about = place == 0 ? "\(about): \(column.about)" : column.about
        return column.saying(about).of(read)
      })
  }

  /// A distribution under the name that comparisons and rules use.
  static func distribution(
    _ measure: Measure, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> Distribution?
  ) -> Column {
    distribution(measure.timesKey, about, in: form, read).measuring(measure, read)
  }

  static func delay(_ name: String, _ read: @escaping @Sendable (Row) -> DelayDistribution?) -> Column {
    group(name, DistributionColumns.delay.columns.map { $0.of(read) })
  }

  /// A group with one column for each phase of a pass, in their order. A phase that was not recorded is null.
  static func phases(
    _ name: String, _ about: String, _ phases: [Phase], _ read: @escaping @Sendable (Row) -> [Phase: UInt64]?
  ) -> Column {
    group(
      name,
      phases.map { phase in
        Column(phase.name, about) { read($0)?[phase] }
      })
  }

  static func causes(
    _ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> [Cause: UInt64]?
  ) -> Column {
    group(
      name,
      Cause.allCases.map { cause in
        Column(cause.name, about) { read($0).map { $0[cause, default: 0] } }
          .shown(as: name.hasSuffix("_ns") ? .time : .count)
          .headed(cause.name.with(" ", for: "_"), cause.meaning, at: cause.rawValue)
      })
  }
}

extension Cause {
  /// The condition for the cause. The first cause whose condition holds counts.
  fileprivate var meaning: String {
    switch self {
    case .suspended: "The process did not run, as recorded evidence shows."
    case .unknown: "Events were lost, or the recording does not show the cause."
    case .notRunning: "No run of the timer's loop was active."
    case .ownCallout: "The timer's own callout was on the stack."
    case .wrongMode: "The mode of the innermost run did not contain the timer."
    case .busy: "A callout or observer was running."
    case .tolerance: "The delay was within the timer's tolerance."
    case .scheduler: "Nothing recorded explains the delay. For example, the wake-up came late."
    }
  }
}
