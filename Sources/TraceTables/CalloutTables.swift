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
    Column.distribution(.duration, "their times, where an analysis keeps them", in: .comparison) {
      $0.durationNs
    }
    .compared(.work)
    Column("open", "of them, under way at the end") { $0.open }
    Column("time_ns", "without runs that they started") { $0.timeNs }
    Column("self_ns", "of it, outside callouts inside them") { $0.selfNs }
    Column("longest_ns", "the longest") { $0.longestNs }
    Column("longest_start_ns", "when that began") { $0.longestStartNs }
    Column("worst_pass_ns", "the most that one pass spent in them") { $0.worstPassNs }
    Column("worst_pass_start_ns", "when that pass began") { $0.worstPassStartNs }
    Column("nested_ns", "inside runs that they started") { $0.nestedNs }
    Column.sums("time_ns_by_mode", "time_ns, by the mode that ran") {
      $0.timeNsByMode.map { ($0.mode, $0.ns) }
    }
  }

  package static let sources = ResultTable<SourceResult>(
    "sources", "one row per name", needs: .callouts("sources")
  ) {
    Column("name", "") { $0.name }
    Column(.signals, "how often they were signalled") { $0.signals }.compared(.number).metric()
    Column(.mergedSignals, "signals while one was pending already") { $0.mergedSignals }
      .compared(.part(of: .signals)).metric()
    Column(.callouts, "callouts that ran") { $0.callouts }.compared(.number)
    Column("unsignalled", "callouts without a signal in the recording") { $0.unsignalled }
      .compared(.part(of: .callouts))
    Column("negative", "callouts that began before their signal's stamp") { $0.negative }
    Column.distribution(.signalToCallout, "from the first signal to the callout") { $0.signalToCalloutNs }
      .compared(.wait).metric()
  }

  package static let queues = ResultTable<QueueResults>("queues", "what waited") {
    Column.distribution(.blockWait, "from a block's handing over to its begin") { $0.blockWaitNs }
      .compared(.wait).metric().needing(.callouts("blocks"))
    Column.distribution(.mainQueueWait, "the same, of the main queue's") { $0.mainQueueWaitNs }
      .compared(.wait).metric().needing(.callouts("main-queue blocks"))
  }
}
