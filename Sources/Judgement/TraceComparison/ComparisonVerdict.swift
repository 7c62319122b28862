import TraceAnalysis
import TraceReplay
import TraceTables

/// The result of a comparison in words.
package struct ComparisonVerdict: Sendable {
  package enum Outcome: String, Sendable {
    /// No run loop ran in one of the traces, so there is nothing to compare.
    case undecided
    /// No relevant difference.
    case same
    /// Relevant differences that are neither good nor bad: rows that only one trace has, and counts.
    case different
    case better, worse, mixed
  }

  /// Something that got better or worse.
  package struct Reason: Sendable {
    package var isWorse: Bool
    /// Without a full stop. Names are safe to print on a terminal.
    package var text: String
    /// The subject, without measured values: equal reasons of two comparisons have the same.
    package var check = ""
    /// The code in NEW that the finding behind the reason names; nil = not known.
    package var code: Finding.Place?
  }

  package var outcome: Outcome
  /// Findings by severity, then faults in both traces, then distributions; each group with the biggest first.
  package var reasons: [Reason]
  /// The first sentence.
  package var headline: String

  /// The reasons that are not in the headline. A mixed headline has the first reason of each kind, any other only the
  /// first.
  package var furtherReasons: [Reason] {
    var further = reasons
    for isWorse in [true, false] {
      if let said = further.firstIndex(where: { $0.isWorse == isWorse }) { further.remove(at: said) }
    }
    return further
  }

  init(
    rows: [ComparedRow], findings: [ComparedFinding], grouped: [ComparedFinding], gapThresholdNs: UInt64,
    _ yardstick: Yardstick, hasRuns: (base: Bool, new: Bool)
  ) {
    guard hasRuns.base, hasRuns.new else {
      outcome = .undecided
      reasons = []
      let which = hasRuns.base ? "NEW" : hasRuns.new ? "BASE" : "either trace"
      headline = "Nothing to compare: no run loop ran in \(which)."
      return
    }
    let reasons = Reasons(
      gapThresholdNs: gapThresholdNs, lengths: yardstick.lengths, relevant: yardstick.relevant
    ).of(rows, findings, grouped: grouped)
    self.reasons = reasons
    let worse = reasons.filter(\.isWorse)
    let better = reasons.filter { !$0.isWorse }
    switch (worse.first, better.first) {
    case (let first?, nil):
      outcome = .worse
      headline = "NEW is worse: \(first.text)."
    case (nil, let first?):
      outcome = .better
      headline = "NEW is better: \(first.text)."
    case (let bad?, let good?):
      outcome = .mixed
      // The reason that ranks first leads.
      headline =
        reasons.first?.isWorse == true
        ? "NEW is worse and better: \(bad.text); but \(good.text)."
        : "NEW is better and worse: \(good.text); but \(bad.text)."
    case (nil, nil):
      let relevant = rows.count { $0.difference == .relevant }
      outcome = relevant == 0 ? .same : .different
      let differs = !findings.isEmpty || rows.contains { $0.difference > .none }
      headline =
        outcome == .different
        ? "NEW is neither better nor worse, but \(relevant == 1 ? "1 row has a relevant difference" : "\(relevant) rows have relevant differences")."
        : differs ? "No relevant difference." : "No difference."
    }
  }
}

/// Finds what is better or worse in compared rows.
private struct Reasons {
  let gapThresholdNs: UInt64
  let lengths: (base: UInt64, new: UInt64)
  let relevant: RelevantDifference

  private struct Ranked {
    var reason: ComparisonVerdict.Reason
    /// Findings by severity: 0, 1; faults 2; distributions 3.
    var rank: Int
    var weight: Double

    init(_ isWorse: Bool, rank: Int, weight: Double, _ text: String) {
      reason = .init(isWorse: isWorse, text: text)
      self.rank = rank
      self.weight = weight
    }

    func checking(_ check: String, _ code: Finding.Place? = nil) -> Ranked {
      var named = self
      named.reason.check = check
      named.reason.code = code
      return named
    }
  }

  func of(
    _ rows: [ComparedRow], _ findings: [ComparedFinding], grouped: [ComparedFinding]
  ) -> [ComparisonVerdict.Reason] {
    let findings = findings.filter { $0.difference == .relevant }
    // A timer's fault is left out if a finding about the timer reports it.
    func isReported(_ row: ComparedRow, _ fault: Ranked) -> Bool {
      guard case .timer(let timer) = row.subject else { return false }
      return findings.contains { $0.finding.subject == timer.name && $0.isWorse == fault.reason.isWorse }
    }
    var found = rows.flatMap { row in
      let all = faults(row).filter { !isReported(row, $0) } + distributions(row) + tails(row) + times(row)
      return all.map { $0.checking(row.subject.label) }
    }
    found += grouped.filter { $0.difference == .relevant }.map { compared in
      let (finding, id) = (compared.finding, compared.finding.rule.rawValue)
      return Ranked(
        compared.isWorse, rank: compared.worstSeverity == .error ? 0 : 1, weight: Double(finding.weight),
        "finding \(id) is \(compared.change): \(finding.brief)"
      ).checking(
        finding.subject.isEmpty ? id : "\(id) \(harmless(finding.subject))",
        compared.isWorse ? finding.places.first : nil)
    }
    return found.ordered { ($0.rank, $1.weight, $0.reason.text) < ($1.rank, $0.weight, $1.reason.text) }.map(
      \.reason)
  }

  // MARK: Faults

  private func faults(_ row: ComparedRow) -> [Ranked] {
    [skipped(row), hitches(row), spans(row, .gaps, gaps(1), gaps(2)), gapTimes(row)].compactMap(\.self)
      + hangs(row)
  }

  /// Reports the total time of gaps if their number changed in the other direction.
  private func gapTimes(_ row: ComparedRow) -> Ranked? {
    guard case .session = row.subject, let times = row.gapTimes, times.difference == .relevant else {
      return nil
    }
    let isWorse = times.newNs > times.baseNs
    let counts = row.count(.gaps).map { " (\($0.new ?? 0) of them, was \($0.base ?? 0))" } ?? ""
    return Ranked(
      isWorse, rank: 2, weight: abs(Double(times.newNs) - Double(times.baseNs)),
      "all \(gaps(2)) of \(row.subject.label) together are \(isWorse ? "longer" : "shorter"): "
        + "\(Units.duration(times.newNs)), was \(Units.duration(times.baseNs))\(counts)")
  }

  /// Returns the number of hangs with the longest one. The longest and the total are reasons of their own if the
  /// number does not show them.
  private func hangs(_ row: ComparedRow) -> [Ranked] {
    guard case .session = row.subject, let hangs = row.hangs else { return [] }
    func times(_ base: UInt64, _ new: UInt64) -> String {
      func text(_ ns: UInt64) -> String { ns == 0 ? "none" : Units.duration(ns) }
      return "\(text(new)), was \(text(base))"
    }
    // A change is not reported if uncertain hangs could cancel it.
    func isCertain(_ isWorse: Bool) -> Bool { (isWorse ? hangs.base : hangs.new).uncertain == 0 }
    let longest = times(hangs.base.longestNs, hangs.new.longestNs)
    var found: [Ranked] = []
    if var count = spans(row, .hangs, "hang", "hangs"), isCertain(count.reason.isWorse) {
      count.reason.text += "; longest: \(longest)"
      found.append(count)
    }
    for (difference, base, new, what) in [
      (hangs.longest, hangs.base.longestNs, hangs.new.longestNs, ("the longest hang that", "is")),
      (hangs.sum, hangs.base.timeNs, hangs.new.timeNs, ("all hangs that", "together are")),
    ] where difference == .relevant && isCertain(new > base) {
      let isWorse = new > base
      if found.contains(where: { $0.reason.isWorse == isWorse }) { continue }
      found.append(
        Ranked(
          isWorse, rank: 2, weight: abs(Double(new) - Double(base)),
          "\(what.0) began in \(row.subject.label) \(what.1) \(isWorse ? "longer" : "shorter"): \(times(base, new))"
        ))
    }
    return found
  }

  private func gaps(_ count: Int) -> String {
    "\(count == 1 ? "gap" : "gaps") of \(Units.duration(gapThresholdNs)) or more"
  }

  private func skipped(_ row: ComparedRow) -> Ranked? {
    guard case .timer(let timer) = row.subject, let counts = row.count(.skipped),
      counts.difference == .relevant
    else { return nil }
    let (base, new) = (counts.base ?? 0, counts.new ?? 0)
    let due = row.count(.due)
    let (baseDue, newDue) = (due?.base ?? 0, due?.new ?? 0)
    let isWorse = isShareMore(new, newDue, than: base, baseDue)
    let name = "timer \"\(harmless(timer.name))\""
    let text =
      switch row.presence {
      case .new: "\(name) is new and skipped \(new) of its \(newDue) fires"
      case .base: "\(name), which skipped \(base) of its \(baseDue) fires, is gone"
      case .both:
        "\(name) skipped \(share(base, new, isWorse: isWorse)) of its fires (\(new) of \(newDue), was \(base) of \(baseDue))"
      }
    let distance = Double(new > base ? new - base : base - new)
    let scheduler = row.count(.skippedByScheduler)
    let late = abs(Double(scheduler?.new ?? 0) - Double(scheduler?.base ?? 0))
    let cause =
      late > distance / 2 ? ", most of them with the cause scheduler: nothing recorded explains them" : ""
    return Ranked(
      isWorse, rank: 2, weight: distance * Double(max(timer.intervalNs ?? 1, 1)), text + cause)
  }

  private func hitches(_ row: ComparedRow) -> Ranked? {
    guard let frames = row.frames, frames.difference == .relevant, let base = frames.base.ratio,
      let new = frames.new.ratio
    else { return nil }
    func text(_ ratio: Double, _ time: HitchTime) -> String {
      "\(Units.rate(ratio)) (\(time.band.name), \(Phrase.count(time.hitches, "hitch", "hitches")))"
    }
    let active = Double(max(frames.base.activeNs, frames.new.activeNs))
    return Ranked(
      frames.isWorse, rank: 2, weight: abs(new - base) / 1000 * active,
      "frames of \(row.subject.label) are overdue for \(frames.isWorse ? "more" : "less") of the time: "
        + "\(text(new, frames.new)), was \(text(base, frames.base))")
  }

  /// Returns `3 more`, or `a larger share` if the recordings differ so much in length that the counts suggest the
  /// opposite.
  private func share(_ base: UInt64, _ new: UInt64, isWorse: Bool) -> String {
    if isWorse { return new > base ? "\(new - base) more" : "a larger share" }
    return new < base ? "\(base - new) fewer" : "a smaller share"
  }

  private func spans(_ row: ComparedRow, _ measure: Measure, _ one: String, _ many: String) -> Ranked? {
    guard case .session = row.subject, let counts = row.count(measure), counts.difference == .relevant
    else { return nil }
    let (base, new) = (counts.base ?? 0, counts.new ?? 0)
    let distance = new > base ? new - base : base - new
    let change = "\(distance) \(new > base ? "more" : "fewer") \(distance == 1 ? one : many)"
    // A hang may continue in other modes.
    let text =
      measure == .hangs ? "\(change) began in \(row.subject.label)" : "\(row.subject.label) has \(change)"
    let weight = Double(distance) * Double(measure == .hangs ? BusyClass.hangNs : gapThresholdNs)
    return Ranked(new > base, rank: 2, weight: weight, "\(text) (\(new), was \(base))")
  }

  // MARK: Times

  /// Reports many short callouts whose times differ relevantly only in total.
  private func times(_ row: ComparedRow) -> [Ranked] {
    guard let times = row.times, times.difference == .relevant,
      row.distribution(.duration)?.difference != .relevant
    else { return [] }
    let isWorse = isShareMore(times.new.timeNs, lengths.new, than: times.base.timeNs, lengths.base)
    return [
      Ranked(
        isWorse, rank: 3, weight: abs(Double(times.new.timeNs) - Double(times.base.timeNs)),
        "all callouts of \(row.subject.label) together take \(isWorse ? "more" : "less") of the time: "
          + "\(Units.percent(times.new.timeNs, of: lengths.new)), was \(Units.percent(times.base.timeNs, of: lengths.base))"
      )
    ]
  }

  // MARK: Distributions

  /// Returns the distributions that may be reasons. Where callouts take longer, longer passes of them are none.
  private func judged(_ row: ComparedRow) -> [ComparedDistribution] {
    guard let duration = row.distribution(.duration), duration.difference == .relevant else {
      return row.distributions
    }
    return row.distributions.filter { $0.measure != .pass || $0.isWorse != duration.isWorse }
  }

  private func distributions(_ row: ComparedRow) -> [Ranked] {
    judged(row).filter { $0.differenceByRanks == .relevant }.compactMap { compared in
      guard let test = compared.relevantTest else { return nil }
      return Ranked(
        compared.isWorse, rank: 3,
        weight: abs(test.delta) * Double(max(compared.base.sum, compared.new.sum)),
        "\(name(compared.measure, row)) \(moved(compared, test))")
    }
  }

  /// Reports the long values if the distributions do not report the same change.
  private func tails(_ row: ComparedRow) -> [Ranked] {
    judged(row).compactMap { compared in
      guard compared.hasOtherTail, let tail = compared.tailTest,
        compared.isOfTail || tail.isWorse != compared.isWorse
      else { return nil }
      func long(_ count: UInt64, of values: Distribution) -> String { "\(count) of \(values.count)" }
      return Ranked(
        tail.isWorse, rank: 3,
        weight: max(tail.shareInBase, tail.shareInNew) * Double(max(compared.base.sum, compared.new.sum)),
        "\(name(compared.measure, row)) \(verb(compared.measure)) long \(tail.isWorse ? "more" : "less") often: "
          + "\(long(tail.longInNew, of: compared.new)) reach \(Units.duration(tail.thresholdNs)), "
          + "instead of \(long(tail.longInBase, of: compared.base)); p99 \(Units.duration(compared.new.p99)), "
          + "was \(Units.duration(compared.base.p99))")
    }
  }

  private func verb(_ measure: Measure) -> String {
    switch measure {
    case .pass, .run: "are"
    case .duration: "takes"
    default: "is"
    }
  }

  private func name(_ measure: Measure, _ row: ComparedRow) -> String {
    switch measure {
    case .pass:
      if case .callout = row.subject {
        "passes with \(row.subject.label)"
      } else {
        "passes of \(row.subject.label)"
      }
    case .wakeToCallout: "\(measure.title) in \(row.subject.label)"
    case .duration: row.subject.label
    case .wait: "wait for \(row.subject.label)"
    case .call: "wait of threads for \(row.subject.label)"
    case .run: "slices of \(row.subject.label)"
    default: row.subject == .trace ? "the \(measure.title)" : "\(measure.title) of \(row.subject.label)"
    }
  }

  /// Describes a change by the first of some percentiles that is relevantly different.
  private func moved(_ compared: ComparedDistribution, _ test: RankTest) -> String {
    let isWorse = compared.isWorse
    let telling = Percentile.telling(compared, relevant, isWorse: isWorse)
    let verb =
      switch compared.measure {
      case .pass, .run: "are \(isWorse ? "longer" : "shorter")"
      case .duration: "takes \(isWorse ? "longer" : "less time")"
      default: "is \(isWorse ? "longer" : "shorter")"
      }
    // Pairs of values differ, but no percentile shows it. Numbers would contradict the words.
    guard let (name, base, new) = telling else {
      return "\(verb) more often than not (\(test.effect.name) effect)"
    }
    // A difference in rarer values alone may come from other work on the machine.
    let medians =
      name == "median"
      ? "" : "; medians \(Units.duration(compared.new.p50)) and \(Units.duration(compared.base.p50))"
    return
      "\(verb): \(name) \(Units.duration(new)), was \(Units.duration(base))\(medians) (\(test.effect.name) effect)"
  }
}

extension ComparedFinding {
  /// The greater severity of the two findings.
  fileprivate var worstSeverity: Finding.Severity {
    min(finding.severity, former?.severity ?? finding.severity)
  }

  /// The change of the finding: `new`, `gone`, `an error, was a warning`.
  package var change: String {
    guard let former else { return presence == .new ? "new" : "gone" }
    return "\(finding.severity.withArticle), was \(former.severity.withArticle)"
  }
}

extension Finding.Severity {
  fileprivate var withArticle: String {
    switch self {
    case .error: "an error"
    case .warning: "a warning"
    case .info: "information only"
    }
  }
}
