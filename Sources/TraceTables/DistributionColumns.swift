import TraceAnalysis
import TraceReplay

/// Columns of distributions.
package enum DistributionColumns {
  /// Extremes and percentiles of nothing are unknown.
  package static let all = ResultTable<Distribution>("distribution", "how values are spread") {
    Column("count", "how many") { $0.count }
    Column("sum", "exact") { $0.sum }
    Column("min", "exact") { known($0, $0.min) }
    Column("p50", "within 0.5 %") { known($0, $0.p50) }
      .page(1, "p50", "Half of them are at most this long, within 0.5 %.").inNs()
    Column("p90", "within 0.5 %") { known($0, $0.p90) }.page(2, "p90", "Nine of ten, within 0.5 %.").inNs()
    Column("p99", "within 0.5 %") { known($0, $0.p99) }.page(3, "p99", "99 of 100, within 0.5 %.").inNs()
    Column("p999", "within 0.5 %") { known($0, $0.p999) }.page(4, "p99.9", "999 of 1000, within 0.5 %.")
      .inNs()
    Column("max", "exact") { known($0, $0.max) }.page(5, "max", "Exact.").inNs()
  }

  private static func known(_ distribution: Distribution, _ value: UInt64) -> UInt64? {
    distribution.count > 0 ? value : nil
  }

  /// What a moment would have waited; all values are known, or none.
  static let delay = ResultTable<DelayDistribution>("delay", "what a moment would have waited") {
    Column("p50", "the median") { $0.p50 }
    Column("p90", "9 of 10 moments at most") { $0.p90 }
    Column("p99", "99 of 100 moments at most") { $0.p99 }
    Column("max", "exact") { $0.max }
    Column("mean", "") { UInt64($0.meanNs.rounded()) }
  }
}

extension Column {
  /// A distribution, nil = the row has none. Its first part says what of.
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

  /// By the name that compare and rules have for it.
  static func distribution(
    _ measure: Measure, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> Distribution?
  ) -> Column {
    distribution(measure.timesKey, about, in: form, read).measuring(measure, read)
  }

  static func delay(_ name: String, _ read: @escaping @Sendable (Row) -> DelayDistribution?) -> Column {
    group(name, DistributionColumns.delay.columns.map { $0.of(read) })
  }

  /// By phase of a pass, in its order.
  static func phases(
    _ name: String, _ about: String, _ phases: [Phase], _ read: @escaping @Sendable (Row) -> [Phase: UInt64]?
  ) -> Column {
    group(
      name,
      phases.map { phase in
        Column(phase.name, about) { read($0).map { $0[phase, default: 0] } }
      })
  }

  static func causes(
    _ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> [Cause: UInt64]?
  ) -> Column {
    group(
      name,
      Cause.allCases.map { cause in
        Column(cause.name, about) { read($0).map { $0[cause, default: 0] } }
      })
  }
}
