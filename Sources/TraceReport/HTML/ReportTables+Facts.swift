import TraceAnalysis
import TraceFormat

extension ReportTables {
  /// Sources of version 0, from signal to callout, and those of version 1, which nobody signals.
  mutating func sources() -> Table {
    var table = Table(
      "sources", "Sources: from signal to callout",
      [
        ("source", ""),
        ("kind", "source0: signalled by the program. source1: a port or descriptor wakes the loop."),
        ("#signals", "CFRunLoopSourceSignal, as recorded; a source1 has none."), ("#callouts", ""),
        ("#merged", "Signals that found an earlier one unanswered: one callout serves both."),
        ("#unsignalled", "Callouts that no recorded signal asked for."),
      ] + Self.percentiles)
    for (place, source) in analysis.sources.enumerated() {
      let key = "sources[\(place)]"
      table.add(
        [
          .name(source.name, &names, isHead: true), .text(CalloutKind.source0.rawValue),
          .count(source.signals, "\(key).signals"),
          .count(source.callouts, "\(key).callouts"), .count(source.mergedSignals, "\(key).merged_signals"),
          .count(source.unsignalled, "\(key).unsignalled"),
        ] + percentiles(source.signalToCalloutNs, "\(key).signal_to_callout_ns"))
    }
    for callout in analysis.callouts where callout.kind == CalloutKind.source1.rawValue {
      table.add(
        [
          .name(callout.name, &names, isHead: true), .text(CalloutKind.source1.rawValue), .none(nil),
          .count(callout.count),
          .none(nil),
          .none(nil),
        ] + percentiles(Distribution(), nil))
    }
    return table
  }

  mutating func utilisation() -> Table {
    var table = Table(
      "utilisation", "Utilisation by thread",
      [
        ("thread", ""), ("#busy", "All that is not a wait, the time between runs too."), ("#waiting", ""),
        ("#share", "busy ÷ (busy + waiting)."),
        ("#busiest part", "Of the 120 equal parts of the span: how much of it was busy."),
      ])
    for (place, row) in analysis.utilisation.enumerated() {
      let key = "utilisation[\(place)]"
      let length = row.series.count > 1 ? row.series[1].startNs &- row.series[0].startNs : 1
      let busiest = row.series.max { $0.busyNs < $1.busyNs }
      table.add([
        .name(thread(row.thread), &names, isHead: true), .ns(row.busyNs, "\(key).busy_ns"),
        .ns(row.waitingNs, "\(key).waiting_ns"),
        .share(share(row.busyNs, of: row.busyNs &+ row.waitingNs), "\(key).utilisation"),
        busiest.map {
          Cell(
            text: "\(Units.percent(min($0.busyNs, length), of: length)) at \(Units.moment($0.startNs))",
            ns: $0.startNs, span: "\($0.startNs)-\($0.startNs &+ length)")
        } ?? .none(nil),
      ])
    }
    return table
  }

  mutating func life() -> Table {
    var table = Table(
      "lifecycle", "Life cycle, as the app told it",
      [
        ("phase", ""), ("#from", ""), ("#length", ""), ("#limit", "Of the profile."),
        ("#longest busy", "The longest listed time without a wait that began in it."),
      ])
    for (place, phase) in analysis.lifeCycle.phases.enumerated() {
      let key = "lifecycle.phases[\(place)]"
      table.add([
        .text(phase.phase.name, "\(key).phase"),
        .moment(phase.startNs, length: phase.durationNs, "\(key).start_ns"),
        .ns(phase.durationNs, "\(key).duration_ns"), .known(phase.limitNs, "\(key).limit_ns"),
        .ns(phase.longestBusyNs, "\(key).longest_busy_ns"),
      ])
    }
    return table
  }

  mutating func suspensions() -> Table {
    var table = Table(
      "suspensions", "Suspensions: the process did not run",
      [("#from", ""), ("#length", ""), ("evidence", "What was seen.")])
    for (place, suspension) in analysis.trace.suspensions.enumerated() {
      let key = "trace.suspensions[\(place)]"
      table.add([
        .moment(suspension.startNs, length: suspension.durationNs, "\(key).start_ns"),
        .ns(suspension.durationNs, "\(key).duration_ns"),
        .text(suspension.evidence.rawValue.with(" ", for: "_"), "\(key).evidence"),
      ])
    }
    if analysis.trace.suspensionsOmitted > 0 {
      table.rest = "\(analysis.trace.suspensionsOmitted) shorter ones are not listed."
    }
    return table
  }
}
