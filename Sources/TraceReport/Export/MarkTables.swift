import TraceAnalysis

/// Tables of what the program marked: a row a mark, an interval, a name of intervals.
enum MarkTables {
  static let marks = ExportColumns<MarkResults.Mark>(
    .marks, "one row per mark of the program, in order of time",
    [
      ExportColumn("name", "as the program gave it") { .text($0.name) },
      ExportColumn("time_ns", "since the trace's origin") { .integer($0.timeNs) },
      ExportColumn("thread", "index of the thread") { .integer(UInt64($0.thread)) },
    ])

  static let intervals = ExportColumns<MarkResults.Interval>(
    .intervals, "one row per interval of the program, the longest 1000, in order of their starts",
    [
      ExportColumn("name", "as the program gave it") { .text($0.name) },
      ExportColumn("start_ns", "since the trace's origin") { .integer($0.startNs) },
      ExportColumn("duration_ns", "without suspension") { .integer($0.durationNs) },
      ExportColumn("suspended_ns", "beside its duration") { .integer($0.suspendedNs) },
      ExportColumn("thread", "index of the thread that began it") { .integer(UInt64($0.thread)) },
      ExportColumn("end_thread", "index of the thread that ended it") {
        ExportCell($0.endThread.map { UInt64($0) })
      },
      ExportColumn("open", "not over at the end of the span") { .truth($0.isOpen) },
      ExportColumn("cut", "began before the span, whose beginning is its start") { .truth($0.isCut) },
    ])

  static let intervalNames = ExportColumns<MarkResults.NamedIntervals>(
    .intervalNames, "one row per name of intervals, most time first",
    [
      ExportColumn("name", "") { .text($0.name) },
      ExportColumn("open", "not over at the end of the span") { .integer($0.open) },
    ] + ResultTables.distribution("duration_ns", "those that began and ended in the span") { $0.durationNs })
}
