import TraceAnalysis
import TraceReplay
import TraceTables

/// One trace's row.
struct SideRow {
  var subject: Subject
  var counts: [Measure: UInt64] = [:]
  /// Gaps and hangs. Like counts, they may be unknown.
  var spans: [Measure: SpanCount] = [:]
  var distributions: [Measure: Distribution] = [:]
  var times: CalloutTimes?
  /// For the trace and for modes.
  var hangs: HangTimes?
  /// For timers with judged frames, and for values of the state that splits the results.
  var frames: FrameHitches?

  init(_ subject: Subject) { self.subject = subject }

  /// Creates a row with the values of the table's columns that are compared.
  init<Row>(_ subject: Subject, _ row: Row, _ table: ResultTable<Row>) {
    self.init(subject)
    read(row, table)
  }

  mutating func read<Row>(_ row: Row, _ table: ResultTable<Row>) {
    for column in table.columns where column.comparison != nil {
      if let read = column.distribution {
        distributions[column.measure] = read(row)
      } else {
        counts[column.measure] = column.count(row)
      }
    }
  }

  func count(_ measure: Measure) -> UInt64? { counts[measure] ?? spans[measure]?.count }

  /// Adds another row of the same subject: threads of a pool, loops with the same timer, queues without a name.
  mutating func add(_ other: SideRow) {
    // A number that is unknown in one of the rows is unknown in the combined row.
    counts = counts.reduce(into: [:]) { combined, count in
      guard let more = other.counts[count.key] else { return }
      combined[count.key] =
        ComparedColumns.peaks.contains(count.key)
        ? max(count.value, more) : count.value.saturated(adding: more)
    }
    spans.merge(other.spans) { $0.adding($1) }
    distributions.merge(other.distributions) { $0.merging($1) }
    if let others = other.hangs { hangs = (hangs ?? HangTimes()).adding(others) }
    if let others = other.frames { frames = frames?.adding(others) ?? others }
    if let mine = times, let others = other.times {
      times = CalloutTimes(
        count: mine.count.saturated(adding: others.count),
        timeNs: mine.timeNs.saturated(adding: others.timeNs),
        longestNs: max(mine.longestNs, others.longestNs))
    }
  }
}

/// The rows of an analysis, one per subject, in the analysis's order.
struct SideRows {
  private(set) var rows: [SideRow] = []
  private var places: [Subject: Int] = [:]

  /// Creates the rows. Spans at or above their threshold are counted; those just below are counted separately.
  init(_ analysis: Analysis, _ gapThresholdNs: UInt64, _ relevant: RelevantDifference) {
    let roles = ThreadRoles(analysis.trace.threads)
    var trace = SideRow(.trace, analysis.trace, RecordingTables.trace)
    trace.read(analysis.queues, CalloutTables.queues)
    trace.hangs = HangTimes()
    add(trace)
    for mode in analysis.modes {
      let subject = Subject.session(thread: roles[mode.thread], mode: mode.mode)
      add(Self.withoutSpans(SideRow(subject, mode, LoopTables.modes)))
    }
    count(SpanTables.gaps, analysis.gaps, from: gapThresholdNs, relevant, roles)
    count(SpanTables.busy, analysis.busy, from: BusyClass.hangNs, relevant, roles)
    for interval in analysis.busy where interval.isHangIfCertain {
      let length = interval.hangLengthNs
      let hang =
        interval.isUncertain
        ? HangTimes(uncertain: 1) : HangTimes(count: 1, longestNs: length, timeNs: length)
      for subject in [.trace, Self.session(interval, roles)] {
        if let place = places[subject] { rows[place].hangs = (rows[place].hangs ?? HangTimes()).adding(hang) }
      }
    }
    for timer in analysis.timers {
      let identity = TimerIdentity(
        name: timer.name, site: timer.site,
        intervalNs: timer.isVarying || timer.isRemainder ? nil : timer.intervalNs,
        modes: timer.modes.ordered())
      var row = SideRow(.timer(identity), timer, TimerTables.timers)
      row.frames = FrameHitches(of: timer, in: analysis.frames)
      add(row)
    }
    for callout in analysis.callouts {
      var row = SideRow(
        .callout(thread: roles[callout.thread], kind: callout.kind, name: callout.name), callout,
        CalloutTables.callouts)
      row.times = CalloutTimes(
        count: callout.count, timeNs: callout.timeNs, longestNs: callout.longestNs)
      add(row)
    }
    for source in analysis.sources {
      add(SideRow(.source(name: source.name), source, CalloutTables.sources))
    }
    for queue in analysis.work.queues {
      let name = queue.hasName ? queue.name : ""
      add(SideRow(.queue(name: name, kind: queue.kind?.name ?? ""), queue, WorkTables.queues))
    }
    for source in analysis.split?.frames ?? [] where source.isJudged && source.hitchTime.activeNs > 0 {
      var row = SideRow(.state(name: source.state, value: source.value))
      row.frames = FrameHitches(source)
      add(row)
    }
  }

  /// Returns the row with zero spans, as opposed to unknown ones.
  private static func withoutSpans(_ row: SideRow) -> SideRow {
    var row = row
    row.spans = [.gaps: SpanCount(), .hangs: SpanCount()]
    row.hangs = HangTimes()
    return row
  }

  private static func session(_ span: some LongSpan, _ roles: ThreadRoles) -> Subject {
    .session(thread: roles[span.thread], mode: span.mode)
  }

  /// Counts the spans at or above the threshold, and those just below it, by column.
  private mutating func count<Span: LongSpan>(
    _ table: ResultTable<Span>, _ spans: [Span], from threshold: UInt64, _ relevant: RelevantDifference,
    _ roles: ThreadRoles
  ) {
    for column in table.columns where column.comparison == .spans {
      for span in spans {
        guard let ns = column.count(span), ns >= relevant.closest(to: threshold) else { continue }
        let subject = Self.session(span, roles)
        if places[subject] == nil { add(Self.withoutSpans(SideRow(subject))) }
        guard let place = places[subject] else { continue }
        let isCounted = ns >= threshold
        let isCertain = Double(ns) >= Double(threshold) * relevant.stretch
        let counted = SpanCount(
          count: isCounted ? 1 : 0, nearly: 1, certain: isCertain ? 1 : 0, timeNs: isCounted ? ns : 0)
        rows[place].spans[column.measure] =
          rows[place].spans[column.measure, default: SpanCount()].adding(counted)
      }
    }
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
