import TraceAnalysis
import TraceReplay

/// One trace's row.
struct SideRow {
  var subject: Subject
  var counts: [CountMeasure: UInt64] = [:]
  /// Gaps and hangs, which are known or not like counts.
  var spans: [CountMeasure: SpanCount] = [:]
  var distributions: [DistributionMeasure: Distribution] = [:]
  var times: CalloutTimes?
  /// Of the trace and of modes.
  var hangs: HangTimes?

  func count(_ measure: CountMeasure) -> UInt64? { counts[measure] ?? spans[measure]?.count }

  /// Takes in another row of the same subject: a pool's threads, loops with the same timer.
  mutating func add(_ other: SideRow) {
    // A number that one of them does not know is not known of both.
    counts = counts.filter { other.counts[$0.key] != nil }.merging(
      other.counts.filter { counts[$0.key] != nil }
    ) {
      $0 &+ $1
    }
    spans.merge(other.spans) { SpanCount(count: $0.count &+ $1.count, nearly: $0.nearly &+ $1.nearly) }
    distributions.merge(other.distributions) { $0.merging($1) }
    if let others = other.hangs { hangs = (hangs ?? HangTimes()).adding(others) }
    if let mine = times, let others = other.times {
      times = CalloutTimes(
        count: mine.count &+ others.count, timeNs: mine.timeNs &+ others.timeNs,
        longestNs: max(mine.longestNs, others.longestNs))
    }
  }
}

/// An analysis as rows whose subjects differ, in the analysis' order.
struct SideRows {
  private(set) var rows: [SideRow] = []
  private var places: [Subject: Int] = [:]

  /// Spans are counted from the thresholds on, and from where they are only just below.
  init(_ analysis: Analysis, _ gapThresholdNs: UInt64, _ relevant: RelevantDifference) {
    let roles = ThreadRoles(analysis.trace.threads)
    var trace = SideRow(subject: .trace)
    trace.hangs = HangTimes()
    trace.counts = [.lostEvents: analysis.trace.lostEvents]
    trace.distributions = [
      .blockWait: analysis.queues.blockWaitNs, .mainQueueWait: analysis.queues.mainQueueWaitNs,
    ]
    add(trace)
    addSessions(analysis, roles)
    for gap in analysis.gaps where !gap.isOutside {
      count(.gaps, gap.durationNs, gapThresholdNs, relevant, roles[gap.thread], gap.mode)
    }
    for interval in analysis.busy {
      let length = interval.hangLengthNs
      if !interval.isUncertain {
        count(.hangs, length, BusyClass.hangNs, relevant, roles[interval.thread], interval.mode)
      }
      guard interval.isHangIfCertain else { continue }
      let hang =
        interval.isUncertain
        ? HangTimes(uncertain: 1) : HangTimes(count: 1, longestNs: length, timeNs: length)
      let mode = Subject.session(thread: roles[interval.thread], mode: interval.mode)
      for subject in [.trace, mode] {
        if let place = places[subject] { rows[place].hangs = (rows[place].hangs ?? HangTimes()).adding(hang) }
      }
    }
    for timer in analysis.timers { add(SideRows.row(timer)) }
    for callout in analysis.callouts {
      var row = SideRow(
        subject: .callout(thread: roles[callout.thread], kind: callout.kind, name: callout.name))
      row.counts = [.callouts: callout.count]
      row.times = CalloutTimes(
        count: callout.count, timeNs: callout.timeNs, longestNs: callout.longestNs)
      if let durations = callout.durationNs { row.distributions = [.duration: durations] }
      add(row)
    }
    for source in analysis.sources {
      var row = SideRow(subject: .source(name: source.name))
      row.counts = [
        .signals: source.signals, .mergedSignals: source.mergedSignals, .callouts: source.callouts,
        .unsignalled: source.unsignalled,
      ]
      row.distributions = [.signalToCallout: source.signalToCalloutNs]
      add(row)
    }
  }

  private mutating func addSessions(_ analysis: Analysis, _ roles: ThreadRoles) {
    for mode in analysis.modes {
      var row = SideRow(subject: .session(thread: roles[mode.thread], mode: mode.mode))
      row.counts = [.passes: mode.passes, .polls: mode.polls, .wakes: mode.wakes]
      row.spans = Self.noSpans
      row.hangs = HangTimes()
      row.counts[.emptyWakes] = mode.emptyWakes
      row.distributions = [.pass: mode.passNs, .wakeToCallout: mode.wakeToCalloutNs]
      add(row)
    }
  }

  private static let noSpans: [CountMeasure: SpanCount] = [.gaps: SpanCount(), .hangs: SpanCount()]

  private mutating func count(
    _ measure: CountMeasure, _ ns: UInt64, _ threshold: UInt64, _ relevant: RelevantDifference,
    _ thread: String, _ mode: String
  ) {
    guard ns >= relevant.closest(to: threshold) else { return }
    let subject = Subject.session(thread: thread, mode: mode)
    if places[subject] == nil {
      add(SideRow(subject: subject, spans: Self.noSpans, hangs: HangTimes()))
    }
    guard let place = places[subject] else { return }
    rows[place].spans[measure, default: SpanCount()].nearly &+= 1
    if ns >= threshold { rows[place].spans[measure, default: SpanCount()].count &+= 1 }
  }

  private static func row(_ timer: TimerResult) -> SideRow {
    var row = SideRow(
      subject: .timer(
        TimerIdentity(
          name: timer.name, site: timer.site, intervalNs: timer.intervalNs, modes: timer.modes.sorted())))
    row.counts = [.fired: timer.fired, .manual: timer.manual]
    if let ledger = timer.ledger {
      row.counts[.due] = ledger.due
      row.counts[.skipped] = ledger.skipped
      row.counts[.skippedByScheduler] = ledger.skippedBy[.scheduler, default: 0]
      row.counts[.withdrawn] = ledger.withdrawn
      row.counts[.pending] = ledger.pending
      row.distributions[.lateness] = ledger.latenessNs
    }
    return row
  }

  private mutating func add(_ row: SideRow) {
    if let place = places[row.subject] {
      rows[place].add(row)
    } else {
      places[row.subject] = rows.count
      rows.append(row)
    }
  }
}
