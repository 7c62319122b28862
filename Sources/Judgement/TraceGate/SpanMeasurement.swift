import TraceAnalysis
import TraceReplay
import TraceTables

/// Measures gaps or busy intervals. Only the longest are listed, and some are uncertain, so the result may be a
/// range.
struct SpanMeasurement<Span: LongSpan> {
  let trace: GatedTrace
  let measure: GateRule.Measure
  /// The length that counts for each span; nil = it does not count.
  let length: Column<Span>
  /// A name for one span.
  let what: String

  private typealias Found = (ns: UInt64, isUncertain: Bool)

  func reading(_ listed: [Span], omitted: Int) throws(Undecidable) -> Reading {
    // Throws if no loop of the selection ran. An import of hangs alone has no loops.
    let hasLoops = !trace.numbers.modes.isEmpty || listed.isEmpty
    if hasLoops { _ = try trace.modes(mode: measure[.mode], thread: measure[.thread]) }
    let threads = try trace.threads(measure[.thread])
    func isAsked(_ mode: String, _ thread: UInt32) -> Bool {
      (measure[.mode] == nil || mode == measure[.mode]) && (threads?.contains(thread) ?? true)
    }
    let analysis = trace.numbers
    let asked = listed.filter { isAsked($0.mode, $0.thread) }.compactMap { span in
      length.count(span).map { ($0, span.isUncertain) }
    }
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

  private func count(_ found: [Found], omitted: Int) -> Reading {
    let long = found.filter { $0.ns >= measure.atLeastNs ?? 0 }
    let certain = long.count { !$0.isUncertain }
    return Reading(
      from: Double(certain), to: Double(long.count + omitted),
      because: omitted > 0 ? "there are more than \(AnalysisLimits.listed), so not all are listed" : uncertain
    )
  }

  private func longest(_ found: [Found], unseen: UInt64) -> Reading {
    let certain = found.filter { !$0.isUncertain }.map(\.ns).max()
    let any = found.map(\.ns).max()
    guard let any else {
      return Reading(
        from: 0, to: Double(unseen),
        because: "none is \(Units.duration(unseen &+ 1)) or longer, and shorter ones are not listed")
    }
    return Reading(from: Double(certain ?? 0), to: Double(any), because: uncertain)
  }

  private var uncertain: String { "\(what) is uncertain: the recorder itself was late during it" }
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
