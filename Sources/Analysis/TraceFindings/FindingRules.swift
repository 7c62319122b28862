import TraceResults

/// All rules, and the findings of an analysis.
package enum FindingRules {
  /// The rules in the order of their ids.
  package static let all: [FindingRule] = [
    .starvedByMode, .hang, .overLimit, .starvedByBusy, .starvedByNoRun, .starvedByItself, .lostWhileSuspended,
    .declaredStarvation, .defaultModeWhileTracking, .costsTracking, .spins, .nestedRuns, .mainQueueWaits,
    .slowSource, .costlyObservers, .unseenMode, .wakesForNothing, .taskExpired, .unprotectedBackground,
    .doubledMarks, .suspended, .lostEvents, .lateWakeUps, .overdueAtEnd, .outsideRuns, .slowWhileTracking,
    .slowLaunch, .stuckBehindExit, .emptyRuns, .backgroundTotal, .unservedWork, .waitsForItself, .abnormalEnd,
    .leakedItems, .blockedEventLoop, .shortHangs, .poolExhausted, .poolGrows, .actorContended, .neverResumed,
    .hitches, .loopNeverRan, .idleWork,
  ]

  private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

  /// Returns the rule with the id; nil if there is none. Every finding of an analysis has the id of a rule.
  package static func rule(_ id: RuleID) -> FindingRule? { byID[id] }

  /// Returns the findings sorted by severity. Within one severity, the first finding of every rule precedes the
  /// second finding of any rule; then the weight decides.
  package static func findings(in analysis: Analysis) -> [Finding] {
    let places = CodeOfFindings(analysis)
    return ranked(
      all.flatMap { rule in
        bounded(FindingGroups.grouped(weighed(places.placed(rule.findings(in: analysis))), rule.plural))
      })
  }

  private static func ranked(_ findings: [Finding]) -> [Finding] {
    var places: [Kind: Int] = [:]
    let placed = weighed(findings).map { finding in
      let kind = Kind(rule: finding.rule, severity: finding.severity)
      defer { places[kind, default: 0] += 1 }
      return (finding: finding, place: places[kind, default: 0])
    }
    // The index keeps the order of equal elements.
    return placed.enumerated().ordered {
      ($0.element.finding.severity, $0.element.place, $0.offset)
        < ($1.element.finding.severity, $1.element.place, $1.offset)
    }.map(\.element.finding)
  }

  private static func weighed(_ findings: [Finding]) -> [Finding] {
    findings.map { (finding: $0, text: $0.text) }.ordered {
      let (a, b) = ($0.finding, $1.finding)
      return (a.severity, b.weight, a.rule, a.findings, $0.text, a.timer ?? 0)
        < (b.severity, a.weight, b.rule, b.findings, $1.text, b.timer ?? 0)
    }.map(\.finding).longestFirst
  }

  fileprivate struct Kind: Hashable {
    var rule: RuleID
    var severity: Finding.Severity
    var label: String?
  }

  /// Limits the findings of each rule, so that they do not hide those of others. The rest becomes one finding that
  /// gives their number. The order of the groups is undefined.
  private static func bounded(_ findings: [Finding]) -> [Finding] {
    let kinds = Dictionary(grouping: findings) { Kind(rule: $0.rule, severity: $0.severity) }
    return kinds.values.flatMap { group -> [Finding] in
      // If only one finding would remain, it is listed instead of being summed up.
      guard group.count > FindingLimits.ofOneRule + 1 else { return group }
      return group.prefix(FindingLimits.ofOneRule) + [rest(Array(group.dropFirst(FindingLimits.ofOneRule)))]
    }
  }

  private static func rest(_ findings: [Finding]) -> Finding {
    let number = findings.map(\.findings).saturatedSum
    let subjects = FindingGroups.subjects(of: findings.flatMap(\.subjects))
    let about: Sentence =
      subjects.isEmpty ? "" : "; they are about \(Phrase.list(subjects, limit: 3, others: "other_subjects"))"
    var rest = Finding(
      findings[0].severity,
      "\(count: number, "findings") more findings of this rule are like those above\(about)",
      evidence: findings.prefix(4).flatMap { $0.evidence.prefix(1) }.filter { $0.startNs != nil },
      weight: findings.map(\.weight).min() ?? 0)
    rest.rule = findings[0].rule
    rest.title = findings[0].title
    rest.findings = number
    return rest
  }
}

extension [Finding] {
  /// The same order of rules, but among the findings of a rule whose headlines measure the same time, the longest time
  /// comes first. Rules are ranked by the time that is lost in all.
  fileprivate var longestFirst: [Finding] {
    let places = Dictionary(grouping: indices.filter { self[$0].headline?.timeNs != nil }) { place in
      FindingRules.Kind(
        rule: self[place].rule, severity: self[place].severity, label: self[place].headline?.label)
    }
    var ordered = self
    for places in places.values {
      let longest = places.ordered { self[$1].headline?.timeNs ?? 0 < self[$0].headline?.timeNs ?? 0 }
      for (place, from) in zip(places, longest) { ordered[place] = self[from] }
    }
    return ordered
  }
}
