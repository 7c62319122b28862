import TraceAnalysis
import TraceReplay

/// Columns of distributions.
enum DistributionColumns {
  /// Extremes and percentiles of nothing are unknown.
  static let all = ResultTable<Distribution>("distribution", "how values are spread") {
    Column("count", "how many") { $0.count }
    Column("sum", "exact") { $0.sum }
    Column("min", "exact") { known($0, $0.min) }
    Column("p50", "within 0.5 %") { known($0, $0.p50) }
    Column("p90", "within 0.5 %") { known($0, $0.p90) }
    Column("p99", "within 0.5 %") { known($0, $0.p99) }
    Column("p999", "within 0.5 %") { known($0, $0.p999) }
    Column("max", "exact") { known($0, $0.max) }
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
  /// The columns of a distribution under one name, nil = the row has none. The first says what of.
  static func distribution(
    _ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> Distribution?
  ) -> [Column] {
    DistributionColumns.all.columns.enumerated().map { place, column in
      let about = place == 0 ? "\(about): \(column.about)" : column.about
      return Column<Distribution>(column.name, about, column.kind, column.value).of(read).under(name)
    }
  }

  static func delay(_ name: String, _ read: @escaping @Sendable (Row) -> DelayDistribution?) -> [Column] {
    DistributionColumns.delay.columns.map { $0.of(read).under(name) }
  }

  /// By phase of a pass, in its order.
  static func phases(
    _ name: String, _ about: String, _ phases: [Phase], _ read: @escaping @Sendable (Row) -> [Phase: UInt64]?
  ) -> [Column] {
    phases.map { phase in
      Column("\(name).\(phase.name)", about) { read($0).map { $0[phase, default: 0] } }
    }
  }

  static func causes(_ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> [Cause: UInt64]?)
    -> [Column]
  {
    Cause.allCases.map { cause in
      Column("\(name).\(cause.name)", about) { read($0).map { $0[cause, default: 0] } }
    }
  }
}
