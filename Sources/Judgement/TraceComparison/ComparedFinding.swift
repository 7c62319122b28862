import TraceAnalysis
import TraceTables

/// A finding that only one trace has, or that both have with different severities.
package struct ComparedFinding: Sendable {
  /// `.new` or `.base`; `.both` if its severity changed.
  package var presence: Presence
  /// The finding in NEW, or in BASE if NEW does not have it.
  package var finding: Finding
  /// The finding in BASE, if its severity changed.
  package var former: Finding?
  /// Minor if the finding crossed a limit of its rule, but what it measures is not relevantly different. Findings of
  /// severity info are always minor.
  package var difference: Difference

  /// Whether the finding is new or more severe.
  package var isWorse: Bool {
    former.map { finding.severity < $0.severity } ?? (presence == .new)
  }

  /// Combines the findings of a group into a single one if the whole group appeared or disappeared. A fix for several
  /// timers then reads as one.
  static func grouped(
    _ findings: [ComparedFinding], _ base: Analysis, _ new: Analysis
  ) -> [ComparedFinding] {
    var findings = findings
    for (presence, analysis) in [(Presence.base, base), (.new, new)] {
      for group in analysis.findings where !group.members.isEmpty {
        let texts = Set(group.members.map(\.text))
        let places = findings.indices.filter { place in
          let compared = findings[place]
          return compared.presence == presence && compared.finding.rule == group.rule
            && texts.contains(compared.finding.text)
        }
        guard places.count == group.members.count, let first = places.first,
          places.allSatisfy({ findings[$0].difference == findings[first].difference })
        else { continue }
        findings[first].finding = group
        for place in places.dropFirst().reversed() { findings.remove(at: place) }
      }
    }
    return findings
  }

  /// Identifies a finding by rule and subject, without the numbers in its sentence and the parts of the subject's
  /// name that a rebuild changes.
  private struct Identity: Hashable {
    var rule: RuleID
    var subject: BuildFreeName

    init(_ finding: Finding) {
      rule = finding.rule
      subject = BuildFreeName(finding.subject)
    }
  }

  static func differences(
    _ base: Analysis, _ new: Analysis, _ rows: [ComparedRow], _ relevant: RelevantDifference
  ) -> [ComparedFinding] {
    let named = rows.map { (row: $0, name: $0.subject.names.name.map(BuildFreeName.init)) }
    // A finding that the other recording could not have shown does not count as a difference between the programs.
    func difference(_ findings: [Finding], _ other: Analysis) -> Difference {
      findings.contains { finding in
        guard finding.severity < .info, !finding.isAboutQueues || other.work.isRecorded else { return false }
        guard let rule = FindingRules.rule(finding.rule) else { return true }
        return rule.needs.allSatisfy { $0.isMet(by: other) } && isBacked(finding, rule.basis, named, relevant)
      } ? .relevant : .minor
    }
    let (changed, onlyNew, onlyBase) = matched(
      base.findings.flatMap(\.subjects), new.findings.flatMap(\.subjects))
    return changed.map {
      ComparedFinding(
        presence: .both, finding: $0.new, former: $0.base, difference: difference([$0.new, $0.base], base))
    } + onlyNew.map { ComparedFinding(presence: .new, finding: $0, difference: difference([$0], base)) }
      + onlyBase.map { ComparedFinding(presence: .base, finding: $0, difference: difference([$0], new)) }
  }

  /// Returns the findings whose severity changed, and those that only one trace has. If several findings have one
  /// identity, those with equal severities are matched first.
  private static func matched(
    _ base: [Finding], _ new: [Finding]
  ) -> (changed: [(base: Finding, new: Finding)], onlyNew: [Finding], onlyBase: [Finding]) {
    var left = base.map { (identity: Identity($0), finding: $0) }
    func take(_ finding: Finding, _ isTaken: (Finding) -> Bool) -> Finding? {
      let identity = Identity(finding)
      return left.firstIndex { $0.identity == identity && isTaken($0.finding) }.map {
        left.remove(at: $0).finding
      }
    }
    let others = new.filter { finding in take(finding) { $0.severity == finding.severity } == nil }
    var changed: [(base: Finding, new: Finding)] = []
    let onlyNew = others.filter { finding in
      guard let former = take(finding, { _ in true }) else { return true }
      changed.append((former, finding))
      return false
    }
    return (changed, onlyNew, left.map(\.finding))
  }

  private typealias NamedRow = (row: ComparedRow, name: BuildFreeName?)

  /// Returns whether a row that the finding is about differs relevantly between the traces. Also true if the rows
  /// cannot decide that.
  private static func isBacked(
    _ finding: Finding, _ basis: FindingRule.Basis, _ rows: [NamedRow], _ relevant: RelevantDifference
  ) -> Bool {
    func any(
      _ kind: String, _ isAbout: (NamedRow) -> Bool = { _ in true }, _ isDifferent: (ComparedRow) -> Bool
    ) -> Bool {
      let about = rows.filter { $0.row.subject.kind == kind && isAbout($0) }
      return about.isEmpty || about.contains { $0.row.presence != .both || isDifferent($0.row) }
    }
    func differs(_ row: ComparedRow, _ measure: Measure) -> Bool {
      (row.count(measure)?.difference ?? row.distribution(measure)?.difference) == .relevant
    }
    func hangsDiffer(_ mode: ComparedRow) -> Bool {
      differs(mode, .hangs) || mode.hangs?.difference == .relevant
    }
    let subject = BuildFreeName(finding.subject)
    let isNamed = { (row: NamedRow) in row.name == subject }
    return switch basis {
    case .skippedFires: any("timer", isNamed) { differs($0, .skipped) || !$0.changes.isEmpty }
    case .lateFires: any("timer", isNamed) { differs($0, .skipped) || differs($0, .lateness) }
    case .hitches: any("timer", isNamed) { $0.frames == nil || $0.frames?.difference == .relevant }
    case .hangs: any("mode") { hangsDiffer($0) }
    case .gaps: any("mode") { hangsDiffer($0) || differs($0, .gaps) || differs($0, .pass) }
    case .passes:
      any("mode", { $0.row.subject.names.mode == finding.subject }) {
        differs($0, .polls) || differs($0, .passes)
      }
    case .timerCallouts:
      any("callout", { $0.row.subject.names.kind == CalloutKind.timer.rawValue }) { row in
        row.times?.difference == .relevant || differs(row, .duration) || differs(row, .callouts)
      }
    case .calloutDurations:
      any("callout", isNamed) { $0.distribution(.duration) == nil || differs($0, .duration) }
    case .blockWaits:
      relevant.stretch < RelevantDifference.noticedStretch
        || (finding.isAboutQueues
          ? any("queue", isNamed) { differs($0, .wait) || differs($0, .call) }
          : any("trace") { differs($0, .blockWait) || differs($0, .mainQueueWait) })
    case .recording: false
    case .itself: true
    }
  }
}
