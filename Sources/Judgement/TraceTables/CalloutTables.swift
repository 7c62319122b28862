import TraceAnalysis

/// Tables of callouts, sources and waits in queues.
package enum CalloutTables {
  package static let callouts = ResultTable<CalloutResult>(
    "callouts", "callouts, one row per kind, name and thread, longest total time first",
    needs: .callouts("callouts")
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }.headed("kind", at: 3)
    Column("name", "") { $0.name }.named("callout", at: 1)
    StackTables.code {
      $0.function
    } madeBy: {
      $0.maker
    }
    Column.source(
      "File and line of the callout's function or, if that file is unknown, of the code that created it.",
      at: 2
    ) {
      $0.function?.file == nil ? $0.maker : $0.function
    }
    Column.thread { $0.thread }.headed("thread", at: 4, in: .page)
    count
    Column.distribution(.duration, "times of the callouts, if the analysis keeps them", in: .comparison) {
      $0.durationNs
    }
    .compared(.work)
    Column.distribution(
      .pass, "lengths of an event loop's passes in which the callouts ran", in: .comparison
    ) {
      $0.passNs
    }
    .compared(.work)
    Column("open", "callouts that were still running at the end") { $0.open }
    time
    Column("self_ns", "part of time_ns outside the callouts nested in them") { $0.selfNs }
    longest
    Column("longest_start_ns", "start of the longest callout") { $0.longestStartNs }
      .moment { $0.longestNs }.headed("at", "Start of the longest callout.", at: 8, in: .page)
    Column("worst_pass_ns", "longest time that one pass spent in these callouts") { $0.worstPassNs }
      .headed("worst pass", "The longest time that one pass spent in these callouts.", at: 9)
    Column("worst_pass_start_ns", "start of that pass") { $0.worstPassStartNs }
    Column("nested_ns", "time inside the runs that the callouts started") { $0.nestedNs }
      .headed("nested", "Time inside the runs that the callouts started.", at: 10, in: .page)
    Column("nested_count", "callouts that started runs") { $0.nestedCount }
    Column("longest_nested_ns", "longest time that one callout spent inside the runs that it started") {
      $0.longestNestedNs
    }
    Column.sums("time_ns_by_mode", "time_ns by the mode that was running") {
      $0.timeNsByMode.map { ($0.mode, $0.ns) }
    }
    account
  }

  /// The columns about the time on a processor. All are null without samples.
  private static let account: [Column<CalloutResult>] = [
    Column("sampled_count", "sampled gaps that such a callout filled; null = none, like the columns below") {
      $0.account?.gaps
    },
    Column("sampled_ns", "length of these gaps") { $0.account?.gapsNs },
    Column("covered_ns", "part of sampled_ns between the first and the last reading in each gap") {
      $0.account?.coveredNs
    },
    Column("cpu_ns", "part of covered_ns on a processor") { $0.account?.cpuNs }
      .headed(
        "on a processor", "Time on a processor, in the sampled part of the callouts.", at: 11,
        isOptional: true),
    Column("waited_ns", "part of covered_ns in which the thread was ready to run but had no processor") {
      $0.account?.waitedNs
    }
    .headed(
      "ready", "Time in which the thread was ready but had no processor, in the sampled part.", at: 12,
      isOptional: true),
    Column("blocked_ns", "part of covered_ns in which the thread slept or waited for something else") {
      $0.account?.blockedNs
    }
    .headed(
      "blocked", "Time in which the thread slept or waited for something else, in the sampled part.", at: 13,
      isOptional: true),
    Column("cpu_at_most_ns", "most that the time on a processor can be in sampled_ns") {
      $0.account?.cpuAtMostNs
    },
    Column("waited_at_most_ns", "most that the time without a processor can be in sampled_ns") {
      $0.account?.waitedAtMostNs
    },
    Column.sums("waits_ns_by_cause", "time that the samples of waits represent, by cause") {
      $0.account.map { $0.waitsNs.map { ($0.key.words, $0.value) } }
    },
  ]

  package static let count = Column<CalloutResult>("count", "callouts that ran") { $0.count }
    .compared(.number, as: .callouts)
    .headed("count", "Callouts that ran, including those still running at the end.", at: 5)
  package static let time = Column<CalloutResult>(
    "time_ns", "total time, without the runs that the callouts started"
  ) { $0.timeNs }
  .headed("time", "Total time, without the runs that the callouts started.", at: 6)
  package static let longest = Column<CalloutResult>("longest_ns", "time of the longest callout") {
    $0.longestNs
  }
  .headed("longest", at: 7)

  package static let sources = ResultTable<SourceResult>(
    "sources", "run-loop sources, one row per name", needs: .callouts("sources")
  ) {
    Column("name", "") { $0.name }.named("source", at: 1, in: .page)
    Column(
      Heading(
        "kind", "source0: the program signals it. source1: a port or descriptor wakes the loop.", at: 2,
        in: .page)
    ) { _ in CalloutKind.source0.rawValue }
    Column(.signals, "number of signals") { $0.signals }.compared(.number).metric()
      .headed("signals", "Recorded calls to CFRunLoopSourceSignal. A source1 has none.", at: 2, in: .page)
    Column(.mergedSignals, "signals that arrived while an earlier one was pending") { $0.mergedSignals }
      .compared(.part(of: .signals)).metric()
      .headed(
        "merged", "Signals that arrived while an earlier one was pending. One callout serves both.", at: 4,
        in: .page)
    Column(.callouts, "callouts that ran") { $0.callouts }.compared(.number)
      .headed("callouts", at: 3, in: .page)
    Column("unsignalled", "callouts without a signal in the recording") { $0.unsignalled }
      .compared(.part(of: .callouts))
      .headed("unsignalled", "Callouts without a recorded signal.", at: 5, in: .page)
    Column("negative", "callouts whose start is stamped before their signal") { $0.negative }
    Column.distribution(.signalToCallout, "time from the first signal to the callout") {
      $0.signalToCalloutNs
    }
    .compared(.wait).metric().headed("", at: 6, in: .page)
  }

  package static let queues = ResultTable<QueueResults>(
    "queues", "waits of queued blocks, and queued work that never ran"
  ) {
    Column.distribution(.blockWait, "time from the queuing of a block to its start") {
      $0.isRecorded ? $0.blockWaitNs : nil
    }
    .compared(.wait).metric().needing(.callouts("blocks"))
    Column.distribution(.mainQueueWait, "time from the queuing of a main-queue block to its start") {
      $0.isRecorded ? $0.mainQueueWaitNs : nil
    }
    .compared(.wait).metric().needing(.callouts("main-queue blocks"))
    Column(.unserved, "pieces of work that waited 250 ms or more and never ran; null = not known") {
      $0.unserved
    }.compared(.fault(of: .queued)).metric().needing(.callouts("blocks and sources"))
    Column(.queued, "", in: .comparison) { $0.queued }.compared(.number)
      .needing(.callouts("blocks and sources"))
  }
}
