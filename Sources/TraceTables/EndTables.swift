import TraceAnalysis

/// Tables of the end of the recorded process.
package enum EndTables {
  package static let end = ResultTable<EndResult>("end", "how the recorded process ended") {
    Column("kind", EndResult.Kind.allCases.map(\.name).joined(separator: ", ")) { $0.kind.name }
    Column(Heading("end", "How the recorded process ended.", at: 1, in: .page)) { $0.text }
    Column("time_ns", "when; of a process that goes on, or whose end is unknown, when the recording ended") {
      $0.timeNs
    }
    .moment { _ in 1 }.headed("at", at: 2, in: .page)
    Column("status", "of exited") { $0.status }.headed("exit status", at: 3, in: .page)
    Column("signal", "its number, of signalled and stopped_by_recorder") { $0.signal }
    Column("signal_name", "") { $0.signalName }.headed("signal", at: 4, in: .page)
    Column("callouts_omitted", "of end_callouts, those not listed") { $0.calloutsOmitted }
  }

  package static let callouts = ResultTable<RunningCallout>(
    "end_callouts",
    "callouts that had not ended by then, by thread, the innermost first. Which thread made the process end is not known"
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }.headed("kind", at: 2)
    Column("name", "") { $0.name }.named("callout", at: 1)
    Column.thread { $0.thread }.headed("thread", at: 3)
    Column("depth", "callouts of its thread that ran inside it") { $0.depth }
      .headed("inside", "Callouts of its thread that ran inside it.", at: 6, in: .page)
    Column.start { $0.startNs }.moment { $0.durationNs }.headed("since", at: 4)
    Column("duration_ns", "from there to the end") { $0.durationNs }.headed("for", at: 5)
    Column("function", "whose function held the loop most, by stacks that were sampled in it") { $0.function }
      .named("function", "By sampled stacks.", at: 7, in: .page)
  }
}
