import TraceAnalysis

/// Tables of gaps and busy intervals, and the callouts in them.
package enum SpanTables {
  private static let callouts = ResultTable<SpanCalloutResult>(
    "callouts", "callouts with the most time of their own in the span, one row per kind and name"
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }
    Column("name", "") { $0.name }
    Column("count", "number of callouts that ran") { $0.count }
    Column("duration_ns", "total time in the span") { $0.durationNs }
    Column("self_ns", "part of duration_ns outside the callouts nested in them") { $0.selfNs }
      .headed("own time", "The time of the callout without the callouts nested in it.", at: 7, in: .page)
  }

  package static let gaps = ResultTable<Gap>("gaps", "the 1000 longest gaps above the threshold") {
    start().headed("at", "Seconds since the recording's origin.", at: 1, in: .page)
    length().headed(
      "length", "Time from one activity to the next, without waiting and suspension.", at: 2, in: .page)
    Column("after", "activity that the gap follows") { $0.after.name }
      .headed("after", "The activity that the gap follows.", at: 3, in: .page)
    Column("mode", "mode of the innermost run when the gap began") { $0.mode }
      .named("mode", "Mode of the innermost run when the gap began.", at: 4, in: .page)
    Column.thread { $0.thread }.headed("thread", at: 5, in: .page)
    ran()
    ending()
    gap
    Column("limit_ns", "limit of the profile") { $0.limitNs }.needing(.profile)
      .headed("limit", "The profile's limit for the gap.", at: 10, in: .page)
    Column(Heading("remarks", at: 11, in: .page)) { gap in
      [
        (gap.isOpen, "not over at the end"), (gap.isUncertain, "uncertain"),
        (gap.isOutside, "outside any run"),
      ].filter(\.0).map(\.1).joined(separator: ", ")
    }
  }

  /// The lengths of gaps inside runs.
  package static let gap = Column<Gap>(.gaps, "length of a gap inside runs", in: .comparison) {
    $0.isOutside ? nil : $0.durationNs
  }.compared(.spans).metric(as: "gap")

  package static let busy = ResultTable<BusyInterval>(
    "busy", "the 1000 longest busy intervals of 100 ms and above"
  ) {
    start().headed("at", "Seconds since the recording's origin.", at: 1, in: .page)
    length().headed(
      "length", "Time without a wait or the end of a poll run, and without suspension.", at: 2, in: .page)
    Column("class", "Apple's class for intervals of this length") { $0.busyClass?.name }
      .headed(
        "class", "Apple's class for intervals of this length.", at: 3,
        in: .page)
    Column("mode", "mode in which the interval began") { $0.mode }
      .named("mode", "Mode in which the interval began.", at: 4, in: .page)
    Column.thread { $0.thread }.headed("thread", at: 5, in: .page)
    Column("outside_ns", "part of duration_ns outside runs") { $0.outsideNs }
      .headed("outside runs", "Part of the length that was outside runs.", at: 9, in: .page)
    Column("longest_outside_ns", "longest stretch of time outside runs") { $0.longestOutsideNs }
    ran()
    ending()
    Column(.hangs, "length that certainly counts as a hang", in: .comparison) {
      $0.isUncertain ? nil : $0.hangLengthNs
    }.compared(.spans)
    busyLength
  }

  package static let busyLength = Column<BusyInterval>(
    "hang_ns", "length that counts as a hang", in: .comparison
  ) { $0.hangLengthNs }.metric(as: "busy")

  private static func start<Row: LongSpan>() -> Column<Row> {
    Column.start { $0.startNs }.moment { $0.durationNs &+ $0.suspendedNs }
  }

  private static func length<Row: LongSpan>() -> Column<Row> {
    Column("duration_ns", "duration without suspension") { $0.durationNs }
  }

  /// The columns for the callouts in a span; a table holds only the first callout of the list.
  private static func ran<Row: LongSpan>() -> [Column<Row>] {
    [
      Column("callout_count", "number of callouts that ran in the span") { $0.calloutCount }
        .headed("callouts", "Number of callouts that ran in the span.", at: 8, in: .page),
      Column("callouts_ns", "time in which callouts or observers ran; each instant counts once") {
        $0.calloutNs
      },
      Column("unexplained_ns", "time in which nothing that was recorded ran") { $0.unexplainedNs },
      Column.rows(callouts) { $0.callouts },
      Column(
        Heading(
          "callout", "The callout with the most time of its own, without the callouts nested in it.", at: 6,
          in: .page)
      ) { row in
        row.callouts.first.map { "\($0.kind) \($0.name)" } ?? "none was recorded"
      }.shown(as: .name),
    ]
      + callouts.columnsOfFirst(
        "kind of the callout with the most time of its own: timer, source0, source1, block …"
      ) { $0.callouts }
  }

  private static func ending<Row: LongSpan>() -> [Column<Row>] {
    [
      Column("open", "whether the recording ended before it was over") { $0.isOpen },
      Column("suspended_ns", "suspended time, in addition to duration_ns") { $0.suspendedNs }
        .headed("suspended", "Suspended time, in addition to the length.", at: 9, in: .page),
      Column("uncertain", "whether events were lost in it or the recorder was late") { $0.isUncertain },
    ]
  }
}
