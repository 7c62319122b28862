import TraceFormat

/// Turns an analysis into findings: pure functions of its numbers.
enum FindingRules {
  /// Ranked by severity, then by weight.
  static func findings(in analysis: Analysis) -> [Finding] {
    var found: [Finding] = []
    for timer in analysis.timers { found += TimerRules.findings(timer, in: analysis) }
    found += TimerRules.priceOfTracking(analysis)
    found += HangRules.findings(in: analysis)
    found += LoopRules.findings(in: analysis)
    found += LifeRules.findings(in: analysis)
    return ranked(bounded(ranked(found)))
  }

  private static func ranked(_ findings: [Finding]) -> [Finding] {
    struct Place: Comparable {
      var finding: Finding
      var text: String

      static func == (a: Place, b: Place) -> Bool { !(a < b) && !(b < a) }
      static func < (a: Place, b: Place) -> Bool {
        let (first, second) = (a.finding, b.finding)
        if first.severity != second.severity { return first.severity < second.severity }
        if first.weight != second.weight { return first.weight > second.weight }
        if first.rule != second.rule { return first.rule.rawValue < second.rule.rawValue }
        if first.findings != second.findings { return first.findings < second.findings }
        return (a.text, first.timer ?? 0) < (b.text, second.timer ?? 0)
      }
    }
    return findings.map { Place(finding: $0, text: $0.text) }.sorted().map(\.finding)
  }

  /// Many findings of one rule hide those of others: the rest of them is one, which says of how many it speaks.
  private static func bounded(_ ranked: [Finding]) -> [Finding] {
    struct Kind: Hashable {
      var rule: FindingRule
      var severity: Finding.Severity
    }
    var kinds: [Kind] = []
    var groups: [Kind: [Finding]] = [:]
    for finding in ranked {
      let kind = Kind(rule: finding.rule, severity: finding.severity)
      if groups[kind] == nil { kinds.append(kind) }
      groups[kind, default: []].append(finding)
    }
    return kinds.flatMap { kind -> [Finding] in
      let group = groups[kind] ?? []
      // One more is no rest.
      guard group.count > FindingLimits.ofOneRule + 1 else { return group }
      return group.prefix(FindingLimits.ofOneRule) + [rest(Array(group.dropFirst(FindingLimits.ofOneRule)))]
    }
  }

  private static func rest(_ findings: [Finding]) -> Finding {
    var subjects: [String] = []
    for finding in findings where !finding.subject.isEmpty && !subjects.contains(finding.subject) {
      subjects.append(finding.subject)
    }
    let named = subjects.prefix(3).map { subject -> Sentence in "\(name: subject)" }
    let others = UInt64(subjects.count - named.count)
    let list = others > 0 ? named + ["\(count: others, "other_subjects", "other", "others")"] : named
    let about: Sentence = list.isEmpty ? "" : ", about \(list.listed())"
    var rest = Finding(
      findings[0].rule, findings[0].severity,
      "\(count: UInt64(findings.count), "findings") more findings of this rule are like those above\(about).",
      evidence: findings.prefix(4).flatMap { $0.evidence.prefix(1) }.filter { $0.startNs != nil },
      weight: findings.map(\.weight).min() ?? 0)
    rest.findings = UInt64(findings.count)
    return rest
  }
}

/// `part` is `share` of `whole` or more. In floating point: products of a damaged file's numbers overflow.
func isAtLeast(_ part: UInt64, _ share: Double, of whole: UInt64) -> Bool {
  Double(part) >= share * Double(whole)
}

/// Pieces of sentences.
enum Say {
  static func count(_ number: UInt64, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// A whole recording's, or of the part of it that was asked for.
  static func end(_ analysis: Analysis) -> Sentence {
    analysis.trace.toNs >= analysis.trace.durationNs ? "the recording ended" : "the span ended"
  }

  static func callout(_ kind: String, _ name: String) -> Sentence { "\(kind) \(name: name)" }

  /// Of a loop's thread.
  static func thread(_ index: UInt32, _ analysis: Analysis) -> Sentence {
    guard let thread = analysis.trace.threads.first(where: { $0.index == index }) else {
      return "\(count: UInt64(index), "thread")"
    }
    if thread.isMain { return "main" }
    return thread.name.isEmpty ? "\(count: UInt64(index), "thread")" : "\(name: thread.name)"
  }
}

extension Finding.Evidence {
  /// With a note whose numbers and names it holds.
  static func noting(
    _ sentence: Sentence, startNs: UInt64? = nil, durationNs: UInt64? = nil, callout: String? = nil
  ) -> Finding.Evidence {
    Finding.Evidence(
      startNs: startNs, durationNs: durationNs, callout: callout, note: sentence.text(),
      figures: sentence.figures, names: sentence.names)
  }
}
