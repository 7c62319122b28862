import TraceAnalysis

/// A finding that one of the traces has and the other has not.
public struct ComparedFinding: Sendable {
  /// `.new` or `.base`.
  public var presence: Presence
  public var finding: Finding
  /// Minor: the finding crossed a limit of its rule, but what it measures is not relevantly different. Findings of
  /// severity info are minor, too.
  public var difference: Difference

  /// The same: by rule, severity and subject, whatever the numbers in its sentence.
  private struct Identity: Hashable {
    var rule: FindingRule
    var severity: Finding.Severity
    var subject: String

    init(_ finding: Finding) {
      rule = finding.rule
      severity = finding.severity
      subject = finding.subject
    }
  }

  static func differences(_ base: Analysis, _ new: Analysis, _ rows: [ComparedRow]) -> [ComparedFinding] {
    func compared(_ presence: Presence, _ findings: [Finding], _ other: Analysis) -> [ComparedFinding] {
      findings.map {
        let isRelevant = $0.severity < .info && isTold($0.rule, other) && isBacked($0, rows)
        return ComparedFinding(presence: presence, finding: $0, difference: isRelevant ? .relevant : .minor)
      }
    }
    return compared(.new, without(new.findings, base.findings), base)
      + compared(.base, without(base.findings, new.findings), new)
  }

  /// Whether the recording would have told.
  private static func isTold(_ rule: FindingRule, _ other: Analysis) -> Bool {
    let needsCallouts = FindingNeeds.callouts.contains(rule) || FindingNeeds.duePoints.contains(rule)
    return (other.seesCallouts || !needsCallouts) && (other.trace.hasHighStamps || rule != .costlyObservers)
  }

  /// Whether something that both traces have, and that the finding speaks of, is relevantly different. What cannot be
  /// told from the rows is.
  private static func isBacked(_ finding: Finding, _ rows: [ComparedRow]) -> Bool {
    func any(_ isAbout: (Subject) -> Bool, _ isDifferent: (ComparedRow) -> Bool) -> Bool {
      let about = rows.filter { isAbout($0.subject) }
      return about.isEmpty || about.contains { $0.presence != .both || isDifferent($0) }
    }
    func differs(_ row: ComparedRow, _ measure: CountMeasure) -> Bool {
      row.count(measure)?.difference == .relevant
    }
    func differs(_ row: ComparedRow, _ measure: DistributionMeasure) -> Bool {
      row.distribution(measure)?.difference == .relevant
    }
    return switch finding.rule {
    case .starvedByMode, .starvedByBusy, .starvedByNoRun, .starvedByItself:
      any({ $0.isTimer(finding.subject) }) { differs($0, .skipped) || !$0.changes.isEmpty }
    case .lateWakeUps:
      any({ $0.isTimer(finding.subject) }) { differs($0, .skipped) || differs($0, .lateness) }
    case .hang: any({ $0.kind == "mode" }) { differs($0, .hangs) }
    case .spins: any({ $0.isMode(finding.subject) }) { differs($0, .polls) || differs($0, .passes) }
    case .costsTracking:
      any(\.isTimerCallout) { row in
        row.times?.difference == .relevant || differs(row, .duration) || differs(row, .callouts)
      }
    case .slowWhileTracking:
      any({ $0.isCallout(finding.subject) }) { row in
        row.distribution(.duration) == nil || differs(row, .duration)
      }
    // Of the recording, not of the program.
    case .lostEvents: false
    default: true
    }
  }

  /// Those of `findings` that `others` has not, or has fewer of.
  private static func without(_ findings: [Finding], _ others: [Finding]) -> [Finding] {
    var left: [Identity: Int] = [:]
    for finding in others { left[Identity(finding), default: 0] += 1 }
    return findings.filter { finding in
      let identity = Identity(finding)
      guard let count = left[identity], count > 0 else { return true }
      left[identity] = count - 1
      return false
    }
  }
}

extension Subject {
  fileprivate func isTimer(_ name: String) -> Bool {
    if case .timer(let timer) = self { timer.name == name } else { false }
  }
  fileprivate var isTimerCallout: Bool {
    if case .callout(_, "timer", _) = self { true } else { false }
  }
  fileprivate func isMode(_ name: String) -> Bool {
    if case .session(_, let mode) = self { mode == name } else { false }
  }
  fileprivate func isCallout(_ name: String) -> Bool {
    if case .callout(_, _, let callout) = self { callout == name } else { false }
  }
}
