import TraceAnalysis

/// Callouts, sources, and what waited in queues.
package enum CalloutTables {
  package static let callouts = ResultTable<CalloutResult>(
    "callouts", "one row per kind, name and thread, most time first", needs: .callouts("callouts")
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }
    Column("name", "") { $0.name }
    Column("thread", "index of the thread") { $0.thread }
    Column("count", "callouts that ran") { $0.count }.compared(.number, as: .callouts)
      .page(1, "count", "That ran, those under way at the end among them.")
    Column.distribution(.duration, "their times, where an analysis keeps them", in: .comparison) {
      $0.durationNs
    }
    .compared(.work)
    Column("open", "of them, under way at the end") { $0.open }
    Column("time_ns", "without runs that they started") { $0.timeNs }
      .page(2, "time", "Without runs that they started.")
    Column("self_ns", "of it, outside callouts inside them") { $0.selfNs }
    Column("longest_ns", "the longest") { $0.longestNs }.page(3, "longest")
    Column("longest_start_ns", "when that began") { $0.longestStartNs }
      .page(4, "at", "When the longest began.") { $0.longestNs }
    Column("worst_pass_ns", "the most that one pass spent in them") { $0.worstPassNs }
      .page(5, "worst pass", "The most that one pass spent in them.")
    Column("worst_pass_start_ns", "when that pass began") { $0.worstPassStartNs }
    Column("nested_ns", "inside runs that they started") { $0.nestedNs }
      .page(6, "nested", "Inside runs that they started.")
    Column.sums("time_ns_by_mode", "time_ns, by the mode that ran") {
      $0.timeNsByMode.map { ($0.mode, $0.ns) }
    }
  }

  package static let sources = ResultTable<SourceResult>(
    "sources", "one row per name", needs: .callouts("sources")
  ) {
    Column("name", "") { $0.name }
    Column(.signals, "how often they were signalled") { $0.signals }.compared(.number).metric()
      .page(1, "signals", "CFRunLoopSourceSignal, as recorded; a source1 has none.")
    Column(.mergedSignals, "signals while one was pending already") { $0.mergedSignals }
      .compared(.part(of: .signals)).metric()
      .page(3, "merged", "Signals that found an earlier one unanswered: one callout serves both.")
    Column(.callouts, "callouts that ran") { $0.callouts }.compared(.number).page(2, "callouts")
    Column("unsignalled", "callouts without a signal in the recording") { $0.unsignalled }
      .compared(.part(of: .callouts))
      .page(4, "unsignalled", "Callouts that no recorded signal asked for.")
    Column("negative", "callouts that began before their signal's stamp") { $0.negative }
    Column.distribution(.signalToCallout, "from the first signal to the callout") { $0.signalToCalloutNs }
      .compared(.wait).metric().page(5, "")
  }

  package static let queues = ResultTable<QueueResults>("queues", "what waited") {
    Column.distribution(.blockWait, "from a block's handing over to its begin") { $0.blockWaitNs }
      .compared(.wait).metric().needing(.callouts("blocks"))
    Column.distribution(.mainQueueWait, "the same, of the main queue's") { $0.mainQueueWaitNs }
      .compared(.wait).metric().needing(.callouts("main-queue blocks"))
  }
}
