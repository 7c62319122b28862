import TraceAnalysis

/// The answer in plain words.
public struct ComparisonVerdict: Sendable {
  public enum Outcome: String, Sendable {
    case same
    /// Numbers differ, none that is good or bad.
    case different
    case better, worse, mixed
  }

  /// One thing that got better or worse.
  public struct Reason: Sendable {
    public var isWorse: Bool
    /// Without a full stop; names are harmless.
    public var text: String
  }

  public var outcome: Outcome
  /// Faults before distributions before findings, the biggest first.
  public var reasons: [Reason]
  /// The first sentence.
  public var headline: String

  /// What the headline has not said: of a mixed verdict it has the first of each kind, else the first.
  public var furtherReasons: [Reason] {
    var further = reasons
    for isWorse in [true, false] {
      if let said = further.firstIndex(where: { $0.isWorse == isWorse }) { further.remove(at: said) }
    }
    return further
  }

  init(
    rows: [ComparedRow], findings: [ComparedFinding], gapThresholdNs: UInt64, lengths: (UInt64, UInt64)
  ) {
    let reasons = Reasons(gapThresholdNs: gapThresholdNs, lengths: lengths).of(rows, findings)
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
      headline = "NEW is worse and better: \(bad.text); but \(good.text)."
    case (nil, nil):
      let differing = rows.count(where: \.differs)
      outcome = differing == 0 && findings.isEmpty ? .same : .different
      headline =
        outcome == .same
        ? "no difference: the counts are equal, and no distribution moved by more than chance or by an effect that matters."
        : "NEW is neither better nor worse, but \(differing == 1 ? "1 row differs" : "\(differing) rows differ") in what is neither."
    }
  }
}

/// Finds what is better or worse in compared rows.
private struct Reasons {
  let gapThresholdNs: UInt64
  let lengths: (UInt64, UInt64)

  private struct Ranked {
    var reason: ComparisonVerdict.Reason
    /// Faults 0, distributions 1, findings 2.
    var rank: Int
    var weight: Double
  }

  func of(_ rows: [ComparedRow], _ findings: [ComparedFinding]) -> [ComparisonVerdict.Reason] {
    var found = rows.flatMap { faults($0) + distributions($0) }
    found += findings.filter { $0.finding.severity < .info }.map {
      Ranked(
        reason: .init(
          isWorse: $0.presence == .new,
          text: "finding \($0.finding.rule.rawValue) is \($0.presence == .new ? "new" : "gone"): "
            + $0.finding.text.trimmingFullStop), rank: 2, weight: Double($0.finding.weight))
    }
    return found.sorted { ($0.rank, $1.weight, $0.reason.text) < ($1.rank, $0.weight, $1.reason.text) }.map(
      \.reason)
  }

  // MARK: Faults

  private func faults(_ row: ComparedRow) -> [Ranked] {
    [skipped(row), spans(row, .hangs, "hang", "hangs"), spans(row, .gaps, gaps(1), gaps(2))].compactMap(
      \.self)
  }

  private func gaps(_ count: Int) -> String {
    "\(count == 1 ? "gap" : "gaps") of \(Units.duration(gapThresholdNs)) and more"
  }

  private func skipped(_ row: ComparedRow) -> Ranked? {
    guard case .timer(let timer) = row.subject, let counts = row.count(.skipped) else { return nil }
    let (base, new) = (counts.base ?? 0, counts.new ?? 0)
    // What one of the traces does not know is no difference.
    if row.presence == .both, counts.base == nil || counts.new == nil { return nil }
    let due = row.count(.due)
    let (baseDue, newDue) = (due?.base ?? 0, due?.new ?? 0)
    guard base != new, isMore(new, newDue, than: base, baseDue) == (new > base) else { return nil }
    let name = "timer \"\(harmless(timer.name))\""
    let text =
      switch row.presence {
      case .new: "\(name) is new, and skipped \(new) of its \(newDue) fires"
      case .base: "\(name) is gone, which skipped \(base) of its \(baseDue) fires"
      case .both:
        "\(name) skipped \(new > base ? new - base : base - new) \(new > base ? "more" : "fewer") of its fires "
          + "(\(new) of \(newDue), before \(base) of \(baseDue))"
      }
    let distance = Double(new > base ? new - base : base - new)
    return Ranked(
      reason: .init(isWorse: new > base, text: text), rank: 0,
      weight: distance * Double(max(timer.intervalNs, 1)))
  }

  private func spans(_ row: ComparedRow, _ measure: CountMeasure, _ one: String, _ many: String) -> Ranked? {
    guard case .session = row.subject, let counts = row.count(measure) else { return nil }
    let (base, new) = (counts.base ?? 0, counts.new ?? 0)
    guard base != new,
      !differByMuch(lengths) || isMore(new, lengths.1, than: base, lengths.0) == (new > base)
    else { return nil }
    let distance = new > base ? new - base : base - new
    return Ranked(
      reason: .init(
        isWorse: new > base,
        text:
          "\(row.subject.label) has \(distance) \(new > base ? "more" : "fewer") \(distance == 1 ? one : many) "
          + "(\(new), before \(base))"), rank: 0,
      weight: Double(distance) * Double(measure == .hangs ? AnalysisLimits.hangNs : gapThresholdNs))
  }

  /// By share, not by count: a longer recording has more of everything.
  private func isMore(_ part: UInt64, _ whole: UInt64, than other: UInt64, _ otherWhole: UInt64) -> Bool {
    Double(part) * Double(max(otherWhole, 1)) > Double(other) * Double(max(whole, 1))
  }

  // MARK: Distributions

  private func distributions(_ row: ComparedRow) -> [Ranked] {
    row.distributions.filter(\.isChange).compactMap { compared in
      guard let test = compared.test else { return nil }
      return Ranked(
        reason: .init(
          isWorse: compared.isWorse, text: "\(name(compared.measure, row)) \(moved(compared, test))"),
        rank: 1, weight: abs(test.delta) * Double(max(compared.base.sum, compared.new.sum)))
    }
  }

  private func name(_ measure: DistributionMeasure, _ row: ComparedRow) -> String {
    switch measure {
    case .pass: "passes of \(row.subject.label)"
    case .wakeToCallout: "wake-to-callout in \(row.subject.label)"
    case .lateness: "lateness of \(row.subject.label)"
    case .signalToCallout: "signal-to-callout of \(row.subject.label)"
    case .blockWait: "the wait of blocks"
    case .mainQueueWait: "the wait of main-queue blocks"
    }
  }

  /// By the percentile that moved most.
  private func moved(_ compared: ComparedDistribution, _ test: RankTest) -> String {
    let percentiles: [(name: String, key: KeyPath<Distribution, UInt64>)] = [
      ("median", \.p50), ("p90", \.p90), ("p99", \.p99),
    ]
    func ratio(_ key: KeyPath<Distribution, UInt64>) -> Double {
      let (a, b) = (Double(compared.base[keyPath: key]), Double(compared.new[keyPath: key]))
      return max(a, b) <= 0 ? 1 : min(a, b) / max(a, b)
    }
    // The median where it moved at all.
    let shown = ratio(\.p50) < 0.99 ? percentiles[0] : percentiles.min { ratio($0.key) < ratio($1.key) }!
    return "\(compared.measure == .pass ? "are" : "is") \(compared.isWorse ? "longer" : "shorter"): "
      + "\(shown.name) \(Units.duration(compared.new[keyPath: shown.key])), "
      + "before \(Units.duration(compared.base[keyPath: shown.key])) (\(test.effect.name) effect)"
  }
}

extension String {
  fileprivate var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
