import TraceAnalysis

/// What the program marked.
package enum MarkTables {
  package static let marks = ResultTable<MarkResults.Mark>(
    "marks", "one row per mark of the program, in order of time"
  ) {
    Column("name", "as the program gave it") { $0.name }
    Column("time_ns", "since the trace's origin") { $0.timeNs }
    Column("thread", "index of the thread") { $0.thread }
  }

  package static let intervals = ResultTable<MarkResults.Interval>(
    "intervals", "one row per interval of the program, the longest 1000, in order of their starts"
  ) {
    Column("name", "as the program gave it") { $0.name }
    Column("start_ns", "since the trace's origin") { $0.startNs }
    Column("duration_ns", "without suspension") { $0.durationNs }
    Column("suspended_ns", "beside its duration") { $0.suspendedNs }
    Column("thread", "index of the thread that began it") { $0.thread }
    Column("end_thread", "index of the thread that ended it") { $0.endThread }
    Column("open", "not over at the end of the span") { $0.isOpen }
    Column("cut", "began before the span, whose beginning is its start") { $0.isCut }
  }

  package static let intervalNames = ResultTable<MarkResults.NamedIntervals>(
    "interval_names", "one row per name of intervals, most time first"
  ) {
    Column("name", "") { $0.name }
    Column("open", "not over at the end of the span") { $0.open }
    Column.distribution("duration_ns", "those that began and ended in the span") { $0.durationNs }
  }
}
