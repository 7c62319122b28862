import TraceAnalysis
import TraceReplay
import TraceTables

/// Measures gaps or busy intervals. Only the longest are listed, and some times are uncertain, so the result may be a
/// range.
struct SpanMeasurement<Span: LongSpan> {
  let trace: GatedTrace
  let measure: GateRule.Measure
  /// The least and the most time that counts for each span; nil = the span does not count. The time is not longer than
  /// the span.
  let time: (Span) -> ClosedRange<UInt64>?
  /// Why the least and the most may differ.
  let doubt: String

  /// Creates a measurement of the lengths of spans. `length`: nil = the span does not count. `what`: a name for one
  /// span.
  init(trace: GatedTrace, measure: GateRule.Measure, length: Column<Span>, what: String) {
    self.init(
      trace: trace, measure: measure,
      doubt: "\(what) is uncertain: the recorder itself was late during it"
    ) { span in
      length.count(span).map { span.isUncertain ? 0...$0 : $0...$0 }
    }
  }

  init(
    trace: GatedTrace, measure: GateRule.Measure, doubt: String,
    time: @escaping (Span) -> ClosedRange<UInt64>?
  ) {
    self.trace = trace
    self.measure = measure
    self.doubt = doubt
    self.time = time
  }

  func reading(_ listed: [Span], omitted: Int) throws(Undecidable) -> Reading {
    // Throws if no loop of the selection ran. An import of hangs alone has no loops.
    let hasLoops = !trace.numbers.modes.isEmpty || listed.isEmpty
    if hasLoops { _ = try trace.modes(mode: measure[.mode], thread: measure[.thread]) }
    let threads = try trace.threads(measure[.thread])
    func isAsked(_ mode: String, _ thread: UInt32) -> Bool {
      (measure[.mode] == nil || mode == measure[.mode]) && (threads?.contains(thread) ?? true)
    }
    let analysis = trace.numbers
    let asked = listed.filter { isAsked($0.mode, $0.thread) }.compactMap(time)
    let atStart = analysis.busyAtStart.filter { isAsked($0.mode, $0.thread) }.map(\.durationNs).max() ?? 0
    let doesBreakOff = analysis.busyAtBreak.contains { isAsked($0.mode, $0.thread) }
    // The maximum length of spans that are not listed.
    let unseen = omitted > 0 ? listed.map(\.durationNs).min() ?? 0 : trace.spansFromNs - 1
    let reading =
      measure.aggregate == .count
      ? count(asked, omitted: unseen >= (measure.atLeastNs ?? 0) ? omitted : 0)
      : longest(asked, unseen: unseen)
    guard hasLoops else {
      return Reading(
        from: reading.low, to: .infinity, because: "the trace holds hangs only, without run loops")
    }
    return reading.beyond(
      measure.aggregate == .count, atStart: atStart >= (measure.atLeastNs ?? 1) ? atStart : 0, doesBreakOff)
  }

  private func count(_ found: [ClosedRange<UInt64>], omitted: Int) -> Reading {
    let least = measure.atLeastNs ?? 1
    return Reading(
      from: Double(found.count { $0.lowerBound >= least }),
      to: Double(found.count { $0.upperBound >= least } + omitted),
      because: omitted > 0 ? "there are more than \(AnalysisLimits.listed), so not all are listed" : doubt
    )
  }

  private func longest(_ found: [ClosedRange<UInt64>], unseen: UInt64) -> Reading {
    guard let most = found.map(\.upperBound).max() else {
      return Reading(
        from: 0, to: Double(unseen),
        because: "none is \(Units.duration(unseen &+ 1)) or longer, and shorter ones are not listed")
    }
    let certain = found.map(\.lowerBound).max() ?? 0
    // Spans that are not listed may have more of the time than listed ones, which are longer.
    let possible = measure.metric == .processor ? max(most, unseen) : most
    return Reading(from: Double(certain), to: Double(possible), because: doubt)
  }
}

extension Reading {
  /// Widens the reading by spans that the recording, or the selected part of it, contains only partly.
  fileprivate func beyond(_ isCount: Bool, atStart: UInt64, _ doesBreakOff: Bool) -> Reading {
    if doesBreakOff {
      return Reading(
        from: low, to: isCount ? high + 1 : .infinity,
        because: "the recording breaks off while a thread was busy: how long it stayed busy is not known")
    }
    let highest = isCount ? high + (atStart > 0 ? 1 : 0) : max(high, Double(atStart))
    guard highest > high else { return self }
    return Reading(
      from: low, to: highest,
      because:
        "a thread was busy when the span began, and for \(Units.duration(atStart)) after that: this interval began before the span"
    )
  }
}
