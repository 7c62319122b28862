import TraceAnalysis

/// A finding that one of the traces has and the other has not, or has with another severity.
public struct ComparedFinding: Sendable {
  /// `.new` or `.base`; `.both` when its severity changed.
  public var presence: Presence
  /// As NEW has it, where it does.
  public var finding: Finding
  /// What it was in BASE, when its severity changed.
  public var former: Finding?
  /// Minor: the finding crossed a limit of its rule, but what it measures is not relevantly different. Findings of
  /// severity info are minor, too.
  public var difference: Difference

  /// New, or more severe.
  public var isWorse: Bool {
    former.map { finding.severity < $0.severity } ?? (presence == .new)
  }

  /// The same: by rule and subject, whatever the numbers in its sentence and wherever the next build puts the subject.
  private struct Identity: Hashable {
    var rule: RuleID
    var subject: BuildFreeName

    init(_ finding: Finding) {
      rule = finding.rule
      subject = BuildFreeName(finding.subject)
    }
  }

  static func differences(_ base: Analysis, _ new: Analysis, _ rows: [ComparedRow]) -> [ComparedFinding] {
    // What the other recording could not have told is no difference of the program.
    func difference(_ findings: [Finding], _ other: Analysis) -> Difference {
      findings.contains { finding in
        guard finding.severity < .info else { return false }
        guard let rule = FindingRules.rule(finding.rule) else { return true }
        return rule.needs.allSatisfy { $0.isMet(by: other) } && isBacked(finding, rule.basis, rows)
      } ? .relevant : .minor
    }
    let (changed, onlyNew, onlyBase) = matched(base.findings, new.findings)
    return changed.map {
      ComparedFinding(
        presence: .both, finding: $0.new, former: $0.base, difference: difference([$0.new, $0.base], base))
    } + onlyNew.map { ComparedFinding(presence: .new, finding: $0, difference: difference([$0], base)) }
      + onlyBase.map { ComparedFinding(presence: .base, finding: $0, difference: difference([$0], new)) }
  }

  /// Those whose severity changed, and those that one trace has alone. Of several with one identity those of one
  /// severity are the same first.
  private static func matched(
    _ base: [Finding], _ new: [Finding]
  ) -> (changed: [(base: Finding, new: Finding)], onlyNew: [Finding], onlyBase: [Finding]) {
    var left = base
    func take(_ isTaken: (Finding) -> Bool) -> Finding? {
      left.firstIndex(where: isTaken).map { left.remove(at: $0) }
    }
    let others = new.filter { finding in
      let identity = Identity(finding)
      return take { Identity($0) == identity && $0.severity == finding.severity } == nil
    }
    var changed: [(base: Finding, new: Finding)] = []
    let onlyNew = others.filter { finding in
      let identity = Identity(finding)
      guard let former = take({ Identity($0) == identity }) else { return true }
      changed.append((former, finding))
      return false
    }
    return (changed, onlyNew, left)
  }

  /// Whether something that both traces have, and that the finding speaks of, is relevantly different. What cannot be
  /// told from the rows is.
  private static func isBacked(
    _ finding: Finding, _ basis: FindingRule.Basis, _ rows: [ComparedRow]
  ) -> Bool {
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
    return switch basis {
    case .skippedFires:
      any({ $0.isTimer(finding.subject) }) { differs($0, .skipped) || !$0.changes.isEmpty }
    case .lateFires:
      any({ $0.isTimer(finding.subject) }) { differs($0, .skipped) || differs($0, .lateness) }
    case .hangs:
      any({ $0.kind == "mode" }) { differs($0, .hangs) || $0.hangs?.difference == .relevant }
    case .passes: any({ $0.isMode(finding.subject) }) { differs($0, .polls) || differs($0, .passes) }
    case .timerCallouts:
      any(\.isTimerCallout) { row in
        row.times?.difference == .relevant || differs(row, .duration) || differs(row, .callouts)
      }
    case .calloutDurations:
      any({ $0.isCallout(finding.subject) }) { row in
        row.distribution(.duration) == nil || differs(row, .duration)
      }
    case .recording: false
    case .itself: true
    }
  }
}

extension Subject {
  fileprivate func isTimer(_ name: String) -> Bool {
    if case .timer(let timer) = self { BuildFreeName(timer.name) == BuildFreeName(name) } else { false }
  }
  fileprivate var isTimerCallout: Bool {
    if case .callout(_, CalloutKind.timer.rawValue, _) = self { true } else { false }
  }
  fileprivate func isMode(_ name: String) -> Bool {
    if case .session(_, let mode) = self { mode == name } else { false }
  }
  fileprivate func isCallout(_ name: String) -> Bool {
    if case .callout(_, _, let callout) = self {
      BuildFreeName(callout) == BuildFreeName(name)
    } else {
      false
    }
  }
}
