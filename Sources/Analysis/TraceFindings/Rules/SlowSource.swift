import TraceResults

extension RuleID { package static let slowSource: RuleID = "RL014" }

extension FindingRule {
  static let slowSource = FindingRule(
    .slowSource, "a source is served late",
    plural: .subjects(
      "sources are served late",
      remedy: "Wake the loop after signalling the sources, and run the loop in their modes."),
    needs: [.callouts],
    remedy: "Wake the loop after signalling the source, and run the loop in one of its modes.", of: \.sources
  ) { source, analysis in
    let delay = source.signalToCalloutNs
    guard delay.count > 0, delay.p99 >= FindingLimits.noticeableNs else { return nil }
    var finding = Finding(
      .warning,
      "Source \(name: source.name) was served up to \(ns: delay.max, "max_ns") after its signal (p99 \(ns: delay.p99, "p99_ns"), \(count: source.signals, "signals", "signal", "signals"))",
      advice: analysis.hasOnlyEventLoops ? EventLoopWords.servedLate : "",
      headline: .time(delay.max, "from signal to callout"),
      evidence: [.span(source.longestStartNs, delay.max, "from signal to callout")], weight: delay.max,
      subject: source.name)
    if analysis.hasOnlyEventLoops { finding.adviceForSeveral = EventLoopWords.servedLate }
    return finding
  }
}
