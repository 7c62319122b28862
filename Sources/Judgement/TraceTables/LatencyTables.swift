import TraceAnalysis

/// Distributions of modes, sources and queues, one row each. Their source is the distribution columns of the other
/// tables.
package enum LatencyTables {
  package struct Latency: Sendable {
    /// The name of the mode or source.
    package let name: String
    let loop: String
    /// Nil = all threads.
    package let thread: UInt32?
    /// The title of the distribution.
    package let title: String
    package let values: Distribution
    /// The path to the distribution in documents.
    package let key: String
  }

  package static func ofModes(_ modes: [ModeResult]) -> [Latency] {
    modes.enumerated().flatMap { place, mode in
      latencies(
        LoopTables.modes, mode, at: "[\(place)]", name: mode.mode, loop: mode.loop, thread: mode.thread)
    }
  }

  package static func ofSources(_ sources: [SourceResult]) -> [Latency] {
    sources.enumerated().flatMap { place, source in
      latencies(CalloutTables.sources, source, at: "[\(place)]", name: source.name)
    }.filter { $0.values.count > 0 }
  }

  package static func ofQueues(_ queues: QueueResults) -> [Latency] {
    latencies(CalloutTables.queues, queues).filter { $0.values.count > 0 }
  }

  private static func latencies<Row>(
    _ table: ResultTable<Row>, _ row: Row, at place: String = "", name: String = "(all)", loop: String = "",
    thread: UInt32? = nil
  ) -> [Latency] {
    table.columns.compactMap { column in
      column.distribution?(row).map {
        Latency(
          name: name, loop: loop, thread: thread, title: column.measure.title, values: $0,
          key: "\(table.name)\(place).\(column.name)")
      }
    }
  }

  package static let latencies = table("latencies", named: "mode") {
    Column(Heading("loop", at: 2, in: .text)) { $0.loop }.shown(as: .name)
    Column(Heading("thread", at: 3, in: .page)) { $0.thread }.shown(as: .thread)
      .instead { $0.thread == nil ? .words("(all)") : nil }
  }

  /// The table for a single loop, whose name is not shown.
  package static let ofOneLoop = table("latencies", named: "mode") {}

  package static let waits = table("waits", named: "source") {}

  private static func table(
    _ name: String, named title: String, @ColumnBuilder<Latency> _ more: () -> [AnyColumn]
  ) -> ResultTable<Latency> {
    ResultTable(name, "one row per distribution") {
      Column(Heading(title, at: 1)) { $0.name }.shown(as: .name)
      more()
      Column(
        Heading(
          "measure",
          "Pass: the length of a pass without waiting, nested runs and suspension. Wake-to-callout: the time from AfterWaiting to the first "
            + "callout other than an observer.", at: 4)
      ) { $0.title }
      DistributionColumns.count.headed("count", at: 5).ofEach { $0.values }
      DistributionColumns.min.headed("min", "The smallest value, exact.", at: 6, in: .page).ofEach {
        $0.values
      }
      DistributionColumns.all.columns(for: .all).map { $0.ofEach { $0.values } }
    }
  }
}
