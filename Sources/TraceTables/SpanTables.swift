import TraceAnalysis

/// Tables of gaps and busy intervals, and the callouts in them.
package enum SpanTables {
  private static let callouts = ResultTable<SpanCalloutResult>(
    "callouts", "those that took most of it by themselves, one row per kind and name"
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }
    Column("name", "") { $0.name }
    Column("count", "how many of them ran") { $0.count }
    Column("duration_ns", "their time") { $0.durationNs }
    Column("self_ns", "of it, outside callouts inside them") { $0.selfNs }
      .headed("by itself", "Its time outside callouts inside it.", at: 7, in: .page)
  }

  package static let gaps = ResultTable<Gap>("gaps", "the longest 1000 gaps above the threshold") {
    start().headed("at", "Seconds since the recording's origin.", at: 1, in: .page)
    length().headed(
      "length", "From one activity to the next, waiting excluded, suspension subtracted.", at: 2, in: .page)
    Column("after", "the activity that it follows") { $0.after.name }
      .headed("after", "The activity that it follows.", at: 3, in: .page)
    Column("mode", "of the innermost run") { $0.mode }
      .named("mode", "Of the innermost run when it began.", at: 4, in: .page)
    Column.thread { $0.thread }.headed("thread", at: 5, in: .page)
    ran()
    ending()
    gap
    Column("limit_ns", "of the profile") { $0.limitNs }.needing(.profile)
      .headed("limit", "Of the profile.", at: 10, in: .page)
    Column(Heading("remarks", at: 11, in: .page)) { gap in
      [
        (gap.isOpen, "still going at the end"), (gap.isUncertain, "uncertain"),
        (gap.isOutside, "outside any run"),
      ].filter(\.0).map(\.1).joined(separator: ", ")
    }
  }

  /// The lengths of gaps inside runs.
  package static let gap = Column<Gap>(.gaps, "its length, inside runs", in: .comparison) {
    $0.isOutside ? nil : $0.durationNs
  }.compared(.spans).metric(as: "gap")

  package static let busy = ResultTable<BusyInterval>(
    "busy", "the longest 1000 busy intervals of 100 ms and above"
  ) {
    start().headed("at", "Seconds since the recording's origin.", at: 1, in: .page)
    length().headed(
      "length", "Without a wait or the end of a poll run, suspension subtracted.", at: 2, in: .page)
    Column("class", "Apple's") { $0.busyClass?.name }
      .headed(
        "class", "As Apple calls intervals of its length.", at: 3,
        in: .page)
    Column("mode", "in which it began") { $0.mode }
      .named("mode", "In which it began.", at: 4, in: .page)
    Column.thread { $0.thread }.headed("thread", at: 5, in: .page)
    Column("outside_ns", "of it, outside runs") { $0.outsideNs }
      .headed("outside runs", "Part of it.", at: 9, in: .page)
    Column("longest_outside_ns", "of that, the longest stretch") { $0.longestOutsideNs }
    ran()
    ending()
    Column(.hangs, "how long it counts as a hang, for certain", in: .comparison) {
      $0.isUncertain ? nil : $0.hangLengthNs
    }.compared(.spans)
    busyLength
  }

  package static let busyLength = Column<BusyInterval>(
    "hang_ns", "how long it counts as a hang", in: .comparison
  ) { $0.hangLengthNs }.metric(as: "busy")

  private static func start<Row: LongSpan>() -> Column<Row> {
    Column.start { $0.startNs }.moment { $0.durationNs &+ $0.suspendedNs }
  }

  private static func length<Row: LongSpan>() -> Column<Row> {
    Column("duration_ns", "suspension left out") { $0.durationNs }
  }

  /// The columns for the callouts in a span; a table holds only the first callout of the list.
  private static func ran<Row: LongSpan>() -> [Column<Row>] {
    [
      Column("callout_count", "callouts that ran in it") { $0.calloutCount }
        .headed("callouts", "That ran in it.", at: 8, in: .page),
      Column("callouts_ns", "time in which callouts or observers ran, each instant once") { $0.calloutNs },
      Column("unexplained_ns", "time in which nothing recorded ran") { $0.unexplainedNs },
      Column.rows(callouts) { $0.callouts },
      Column(
        Heading("callout", "What took most of it by itself, callouts inside it left out.", at: 6, in: .page)
      ) { row in
        row.callouts.first.map { "\($0.kind) \($0.name)" } ?? "none was recorded"
      }.shown(as: .name),
    ] + callouts.ofFirst("of the callouts that took most of it by themselves") { $0.callouts }
  }

  private static func ending<Row: LongSpan>() -> [Column<Row>] {
    [
      Column("open", "the recording ended before it did") { $0.isOpen },
      Column("suspended_ns", "beside its duration") { $0.suspendedNs }
        .headed("suspended", "Beside the length.", at: 9, in: .page),
      Column("uncertain", "events were lost in it, or the recorder was late") { $0.isUncertain },
    ]
  }
}
