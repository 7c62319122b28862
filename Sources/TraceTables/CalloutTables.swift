import TraceAnalysis

/// Tables of callouts, sources and waits in queues.
package enum CalloutTables {
  package static let callouts = ResultTable<CalloutResult>(
    "callouts", "one row per kind, name and thread, most time first", needs: .callouts("callouts")
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }.headed("kind", at: 3)
    Column("name", "") { $0.name }.named("callout", at: 1)
    StackTables.code {
      $0.function
    } madeBy: {
      $0.maker
    }
    Column.source("File and line of its function, or of the code that made it.", at: 2) {
      $0.function?.file == nil ? $0.maker : $0.function
    }
    Column.thread { $0.thread }.headed("thread", at: 4, in: .page)
    count
    Column.distribution(.duration, "their times, where an analysis keeps them", in: .comparison) {
      $0.durationNs
    }
    .compared(.work)
    Column("open", "of them, under way at the end") { $0.open }
    time
    Column("self_ns", "of it, outside callouts inside them") { $0.selfNs }
    longest
    Column("longest_start_ns", "when that began") { $0.longestStartNs }
      .moment { $0.longestNs }.headed("at", "When the longest began.", at: 8, in: .page)
    Column("worst_pass_ns", "the most that one pass spent in them") { $0.worstPassNs }
      .headed("worst pass", "The most that one pass spent in them.", at: 9)
    Column("worst_pass_start_ns", "when that pass began") { $0.worstPassStartNs }
    Column("nested_ns", "inside runs that they started") { $0.nestedNs }
      .headed("nested", "Inside runs that they started.", at: 10, in: .page)
    Column.sums("time_ns_by_mode", "time_ns, by the mode that ran") {
      $0.timeNsByMode.map { ($0.mode, $0.ns) }
    }
  }

  package static let count = Column<CalloutResult>("count", "callouts that ran") { $0.count }
    .compared(.number, as: .callouts)
    .headed("count", "That ran, including those under way at the end.", at: 5)
  package static let time = Column<CalloutResult>("time_ns", "without runs that they started") { $0.timeNs }
    .headed("time", "Without runs that they started.", at: 6)
  package static let longest = Column<CalloutResult>("longest_ns", "the longest") { $0.longestNs }
    .headed("longest", at: 7)

  package static let sources = ResultTable<SourceResult>(
    "sources", "one row per name", needs: .callouts("sources")
  ) {
    Column("name", "") { $0.name }.named("source", at: 1, in: .page)
    Column(
      Heading(
        "kind", "source0: signalled by the program. source1: a port or descriptor wakes the loop.", at: 2,
        in: .page)
    ) { _ in CalloutKind.source0.rawValue }
    Column(.signals, "how often they were signalled") { $0.signals }.compared(.number).metric()
      .headed("signals", "CFRunLoopSourceSignal, as recorded; a source1 has none.", at: 2, in: .page)
    Column(.mergedSignals, "signals while one was pending already") { $0.mergedSignals }
      .compared(.part(of: .signals)).metric()
      .headed(
        "merged", "Signals that found an earlier one unanswered: one callout serves both.", at: 4, in: .page)
    Column(.callouts, "callouts that ran") { $0.callouts }.compared(.number)
      .headed("callouts", at: 3, in: .page)
    Column("unsignalled", "callouts without a signal in the recording") { $0.unsignalled }
      .compared(.part(of: .callouts))
      .headed("unsignalled", "Callouts that no recorded signal asked for.", at: 5, in: .page)
    Column("negative", "callouts that began before their signal's stamp") { $0.negative }
    Column.distribution(.signalToCallout, "from the first signal to the callout") { $0.signalToCalloutNs }
      .compared(.wait).metric().headed("", at: 6, in: .page)
  }

  package static let queues = ResultTable<QueueResults>("queues", "what waited") {
    Column.distribution(.blockWait, "from a block's handing over to its begin") { $0.blockWaitNs }
      .compared(.wait).metric().needing(.callouts("blocks"))
    Column.distribution(.mainQueueWait, "the same, of the main queue's") { $0.mainQueueWaitNs }
      .compared(.wait).metric().needing(.callouts("main-queue blocks"))
    Column(.unserved, "pieces of work that waited 250 ms or more and never ran; null = events were lost") {
      $0.unserved
    }.compared(.fault(of: .queued)).metric().needing(.callouts("blocks and sources"))
    Column(.queued, "", in: .comparison) { $0.queued }.compared(.number)
      .needing(.callouts("blocks and sources"))
  }
}
