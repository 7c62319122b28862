import TraceAnalysis
import TraceTables

/// Matches the rows of NEW with those of BASE.
///
/// Rows match if they agree in everything that a rebuild does not change: names without offsets, addresses and
/// closure numbers. If several rows agree, the numbers decide, or the order in the program. The remaining timers and
/// callouts match by weaker keys if that is not ambiguous: a timer was added to another mode, an interval changed, or
/// the code of a callout moved within its function.
struct RowAlignment {
  private let yardstick: Yardstick
  private let analyses: (base: Analysis, new: Analysis)

  init(_ yardstick: Yardstick, _ base: Analysis, _ new: Analysis) {
    self.yardstick = yardstick
    analyses = (base, new)
  }

  func align(_ base: [SideRow], _ new: [SideRow]) -> [ComparedRow] {
    let partner = RowMatching(base.map(\.subject), new.map(\.subject)).partner
    let taken = Set(partner.values)
    let rows =
      new.enumerated().map { number, row in compared(partner[number].map { base[$0] }, row, of: row.subject) }
      + base.indices.filter { !taken.contains($0) }.map { compared(base[$0], nil, of: base[$0].subject) }
    // Keeps NEW's order within a section; rows that only BASE has follow.
    return Subject.sections.flatMap { section in rows.filter { $0.subject.kind == section } }
  }

  /// Compares two rows; nil = that trace has no such row.
  private func compared(_ ofBase: SideRow?, _ ofNew: SideRow?, of subject: Subject) -> ComparedRow {
    let (base, new) = (ofBase ?? SideRow(subject), ofNew ?? SideRow(subject))
    let presence: Presence = ofBase == nil ? .new : ofNew == nil ? .base : .both
    var row = row(subject, presence, base, new)
    row.changes = subject.changes(from: base.subject)
    let isSeen =
      switch presence {
      case .both: true
      case .base: analyses.new.couldShow(subject)
      case .new: analyses.base.couldShow(subject)
      }
    if !isSeen {
      row.isUnknownElsewhere = true
      for i in row.counts.indices { row.counts[i].difference = min(row.counts[i].difference, .minor) }
    }
    return row
  }

  private func row(
    _ subject: Subject, _ presence: Presence, _ base: SideRow, _ new: SideRow
  ) -> ComparedRow {
    ComparedRow(
      subject: subject, presence: presence, changes: [],
      counts: ComparedColumns.counts.compactMap { measure, rule in
        let (a, b) = (base.count(measure), new.count(measure))
        guard a != nil || b != nil else { return nil }
        return ComparedCount(
          measure: measure, base: a, new: b, difference: difference(measure, by: rule, presence, base, new))
      },
      distributions: ComparedColumns.distributions.compactMap { measure, rule in
        let a = base.distributions[measure] ?? Distribution()
        let b = new.distributions[measure] ?? Distribution()
        guard a.count > 0 || b.count > 0 else { return nil }
        return ComparedDistribution(
          measure, isWork: rule == .work, a, b,
          rule == .work ? yardstick.relevant : yardstick.relevant.ofWaits)
      },
      times: base.times.flatMap { a in
        new.times.map { ComparedTimes(base: a, new: $0, difference: yardstick.times(a, $0)) }
      }, hangs: hangs(presence, base, new), gapTimes: gapTimes(base, new),
      frames: base.frames.flatMap { a in new.frames.map { yardstick.frames(a, $0) } })
  }

  private func gapTimes(_ base: SideRow, _ new: SideRow) -> ComparedSum? {
    guard let a = base.spans[.gaps], let b = new.spans[.gaps] else { return nil }
    let difference = yardstick.times(a, b)
    return difference == .none ? nil : ComparedSum(baseNs: a.timeNs, newNs: b.timeNs, difference: difference)
  }

  /// Compares the hangs of the trace or a mode. A single long hang adds only one to a count, so its length counts
  /// as well.
  private func hangs(_ presence: Presence, _ base: SideRow, _ new: SideRow) -> ComparedHangs? {
    guard base.hangs != nil || new.hangs != nil else { return nil }
    let (a, b) = (base.hangs ?? HangTimes(), new.hangs ?? HangTimes())
    guard a.count > 0, b.count > 0 else {
      // Without hangs on one side, the lengths say no more than the count.
      let count = yardstick.spans(base.spans[.hangs] ?? SpanCount(), new.spans[.hangs] ?? SpanCount())
      return ComparedHangs(base: a, new: b, longest: count, sum: count)
    }
    return ComparedHangs(
      base: a, new: b, longest: yardstick.single(a.longestNs, b.longestNs),
      sum: yardstick.sum(a.timeNs, b.timeNs))
  }

  /// Compares a count. A difference is minor if the count is unknown in one of the traces. A missing row counts as 0.
  private func difference(
    _ measure: Measure, by rule: ComparisonRule, _ presence: Presence, _ base: SideRow, _ new: SideRow
  ) -> Difference {
    guard presence != .both || base.count(measure) != nil && new.count(measure) != nil else { return .minor }
    let (a, b) = (base.count(measure) ?? 0, new.count(measure) ?? 0)
    return switch rule {
    case .recording: a == b ? .none : .minor
    // A long callout that ends just before or just after a due point changes the count by one.
    case .fault where max(a, b) - min(a, b) == 1: .minor
    case .fault(let whole):
      yardstick.faults(a, of: base.count(whole) ?? 0, b, of: new.count(whole) ?? 0)
    case .part(let whole): part(measure, of: whole, base, new)
    case .spans: yardstick.spans(base.spans[measure] ?? SpanCount(), new.spans[measure] ?? SpanCount())
    case .peak: yardstick.peaks(a, b)
    case .number, .work, .wait: yardstick.counts(a, b)
    }
  }

  /// Compares a count that is neither good nor bad, both as a share and in number.
  private func part(
    _ measure: Measure, of whole: Measure, _ base: SideRow, _ new: SideRow
  ) -> Difference {
    min(
      shares(measure, of: whole, base, new, least: Yardstick.share),
      yardstick.counts(base.count(measure) ?? 0, new.count(measure) ?? 0))
  }

  private func shares(
    _ measure: Measure, of whole: Measure, _ base: SideRow, _ new: SideRow, least: Double
  ) -> Difference {
    yardstick.shares(
      base.count(measure) ?? 0, of: base.count(whole) ?? 0, new.count(measure) ?? 0,
      of: new.count(whole) ?? 0,
      least: least)
  }
}

extension Subject {
  static let sections = ["trace", "mode", "timer", "callout", "source", "queue", "state"]
}

extension Analysis {
  var seesCallouts: Bool { trace.captureLevel.seesCallouts }

  /// Whether the recording would show the subject if it was there.
  fileprivate func couldShow(_ subject: Subject) -> Bool {
    switch subject {
    case .trace, .session: true
    case .timer, .source: seesCallouts
    case .callout(_, let kind, _): seesCallouts && (kind != CalloutKind.work.rawValue || work.isRecorded)
    case .queue: work.isRecorded
    // A session need not have visited a value.
    case .state: true
    }
  }
}
