import TraceAnalysis
import TraceReplay
import TraceTables

/// One trace's row.
struct SideRow {
  var subject: Subject
  var counts: [Measure: UInt64] = [:]
  /// Gaps and hangs, which are known or not like counts.
  var spans: [Measure: SpanCount] = [:]
  var distributions: [Measure: Distribution] = [:]
  var times: CalloutTimes?
  /// Of the trace and of modes.
  var hangs: HangTimes?

  init(_ subject: Subject) { self.subject = subject }

  /// With what the columns of a table say that it is compared by.
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
    var trace = SideRow(.trace, analysis.trace, RecordingTables.trace)
    trace.read(analysis.queues, CalloutTables.queues)
    trace.hangs = HangTimes()
    add(trace)
    for mode in analysis.modes {
      var row = SideRow(.session(thread: roles[mode.thread], mode: mode.mode), mode, LoopTables.modes)
      row.spans = Self.noSpans
      row.hangs = HangTimes()
      add(row)
    }
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
    for timer in analysis.timers {
      let identity = TimerIdentity(
        name: timer.name, site: timer.site, intervalNs: timer.intervalNs, modes: timer.modes.sorted())
      add(SideRow(.timer(identity), timer, TimerTables.timers))
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
  }

  private static let noSpans: [Measure: SpanCount] = [.gaps: SpanCount(), .hangs: SpanCount()]

  private mutating func count(
    _ measure: Measure, _ ns: UInt64, _ threshold: UInt64, _ relevant: RelevantDifference,
    _ thread: String, _ mode: String
  ) {
    guard ns >= relevant.closest(to: threshold) else { return }
    let subject = Subject.session(thread: thread, mode: mode)
    if places[subject] == nil {
      var row = SideRow(subject)
      row.spans = Self.noSpans
      row.hangs = HangTimes()
      add(row)
    }
    guard let place = places[subject] else { return }
    rows[place].spans[measure, default: SpanCount()].nearly &+= 1
    if ns >= threshold { rows[place].spans[measure, default: SpanCount()].count &+= 1 }
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
