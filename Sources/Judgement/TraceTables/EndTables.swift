import TraceAnalysis

/// Tables of the end of the recorded process.
package enum EndTables {
  package static let end = ResultTable<EndResult>("end", "how the recorded process ended") {
    Column("kind", EndResult.Kind.allCases.map(\.name).joined(separator: ", ")) { $0.kind.name }
    Column(Heading("end", "How the recorded process ended.", at: 1, in: .page)) { $0.text }
    Column("time_ns", "when the process ended; if it went on or its end is unknown, when the recording ended")
    {
      $0.timeNs
    }
    .moment { _ in 1 }.headed("at", at: 2, in: .page)
    Column("status", "exit status, if the kind is exited") { $0.status }.headed(
      "exit status", at: 3, in: .page)
    Column("signal", "number of the signal, if the kind is signalled or stopped_by_recorder") { $0.signal }
    Column("signal_name", "") { $0.signalName }.headed("signal", at: 4, in: .page)
    Column("callouts_omitted", "number of running callouts that end_callouts does not list") {
      $0.calloutsOmitted
    }
  }

  package static let callouts = ResultTable<RunningCallout>(
    "end_callouts",
    "callouts that were still running at the end, by thread, the innermost first; the recording does not show which thread ended the process"
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }.headed("kind", at: 2)
    Column("name", "") { $0.name }.named("callout", at: 1)
    Column.thread { $0.thread }.headed("thread", at: 3)
    Column("depth", "number of callouts that ran inside it on its thread") { $0.depth }
      .headed("nested", "Number of callouts that ran inside it on its thread.", at: 6, in: .page)
    Column.start { $0.startNs }.moment { $0.durationNs }.headed("since", at: 4)
    Column("duration_ns", "time from its start to the end") { $0.durationNs }.headed("duration", at: 5)
    Column(
      "function",
      "function that held the loop longest, by the stacks sampled in the callout; null = none was sampled"
    ) { $0.function }
    .named("function", "The function that held the loop longest, by sampled stacks.", at: 7, in: .page)
  }
}
