import TraceResults

extension RuleID { package static let overLimit: RuleID = "RL003" }

extension FindingRule {
  /// Compares gaps with the profile's limits.
  static let overLimit = FindingRule(
    .overLimit, "a gap is near or over the profile's limit",
    plural: .subjects("gaps are near or over the profile's limit"), needs: [.profile],
    remedy: "Move that work off the thread, or split it into smaller pieces.", of: \.gaps
  ) { gap, analysis in
    guard let profile = analysis.profile, let limit = gap.limitNs, !gap.isUncertain, !gap.isOutside,
      analysis.countsAsHeld(gap), !analysis.mayHaveLeft(gap),
      gap.durationNs >= min(limit, profile.stutterNs ?? limit)
        || profile.isWatchdog && isAtLeast(gap.durationNs, 0.25, of: limit)
    else { return nil }
    let isOver = gap.durationNs >= limit
    let stutterNs = isOver ? nil : profile.stutterNs.flatMap { gap.durationNs >= $0 ? $0 : nil }
    let tier: Sentence = stutterNs.map { ", and a stutter (\(ns: $0, "stutter_ns") or more)" } ?? ""
    let stall = analysis.stall(of: gap)
    let lack = stall?.processorLack
    let then: Sentence = isOver ? stall?.atLimit?.sentence ?? "" : ""
    let who: Sentence = gap.callouts.first.map { " in \(Phrase.callout($0.kind, $0.name))" } ?? ""
    let after: Sentence =
      [ModeName.noRunLoop, ModeName.eventLoop].contains(gap.mode) ? "" : " after \(gap.after.name)"
    return Finding(
      isOver ? .error : stutterNs != nil || isAtLeast(gap.durationNs, 0.5, of: limit) ? .warning : .info,
      "A gap of \(ns: gap.durationNs, "gap_ns")\(after)\(who) is \(percent: gap.durationNs, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that profile \(name: profile.name) allows\(tier)\(then)\(lack?.sentence ?? "")",
      advice: lack == nil ? "" : ProcessorShare.advice,
      headline: .time(gap.durationNs, "in one gap"),
      evidence: [
        .span(gap.startNs, gap.durationNs, "gap", callout: gap.callouts.first.map { "\($0.kind) \($0.name)" })
      ], weight: gap.durationNs, subject: gap.callouts.first?.name ?? gap.after.name)
  }
}
