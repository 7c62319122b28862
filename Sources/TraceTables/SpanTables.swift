import TraceAnalysis

/// Gaps and busy intervals, and who ran in them.
package enum SpanTables {
  private static let spanCallouts = ResultTable<SpanCalloutResult>(
    "callouts", "those that took most of it by themselves, one row per kind and name"
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }
    Column("name", "") { $0.name }
    Column("count", "how many of them ran") { $0.count }
    Column("duration_ns", "their time") { $0.durationNs }
    Column("self_ns", "of it, outside callouts inside them") { $0.selfNs }
  }

  package static let gaps = ResultTable<Gap>("gaps", "the longest 1000 gaps above the threshold") {
    Column("start_ns", "since the trace's origin") { $0.startNs }
    Column("duration_ns", "suspension left out") { $0.durationNs }
    Column("after", "the activity that it follows") { $0.after.name }
    Column("mode", "of the innermost run") { $0.mode }
    Column("thread", "index of the thread") { $0.thread }
    callouts(\.callouts, count: \.calloutCount, ns: \.calloutNs, unexplained: \.unexplainedNs)
    Column("open", "the recording ended before it did") { $0.isOpen }
    Column("suspended_ns", "beside its duration") { $0.suspendedNs }
    Column("uncertain", "events were lost in it, or the recorder was late") { $0.isUncertain }
    Column("limit_ns", "of the profile") { $0.limitNs }.needing(.profile)
  }

  package static let busy = ResultTable<BusyInterval>(
    "busy", "the longest 1000 busy intervals of 100 ms and above"
  ) {
    Column("start_ns", "since the trace's origin") { $0.startNs }
    Column("duration_ns", "suspension left out") { $0.durationNs }
    Column("class", "Apple's") { $0.busyClass?.name }
    Column("mode", "in which it began") { $0.mode }
    Column("thread", "index of the thread") { $0.thread }
    Column("outside_ns", "of it, outside runs") { $0.outsideNs }
    callouts(\.callouts, count: \.calloutCount, ns: \.calloutNs, unexplained: \.unexplainedNs)
    Column("open", "the recording ended before it did") { $0.isOpen }
    Column("suspended_ns", "beside its duration") { $0.suspendedNs }
    Column("uncertain", "events were lost in it, or the recorder was late") { $0.isUncertain }
  }

  /// Who ran in a gap or busy interval.
  private static func callouts<Row>(
    _ list: @escaping @Sendable (Row) -> [SpanCalloutResult],
    count: @escaping @Sendable (Row) -> UInt64, ns: @escaping @Sendable (Row) -> UInt64,
    unexplained: @escaping @Sendable (Row) -> UInt64
  ) -> [Column<Row>] {
    [
      Column("callout_count", "callouts that ran in it") { count($0) },
      Column("callouts_ns", "time in which callouts or observers ran, each instant once") { ns($0) },
      Column("unexplained_ns", "time in which nothing recorded ran") { unexplained($0) },
      Column.rows(spanCallouts, list),
    ]
      + spanCallouts.columns.map { column in
        // In a table, the first of the list.
        Column(
          "callouts.0.\(column.name)", firstAbout[column.name] ?? column.about, in: .table,
          column.kind.optional
        ) { row in
          list(row).first.map(column.value) ?? .unknown
        }
      }
  }

  private static let firstAbout = ["kind": "of the callouts that took most of it by themselves"]
}
