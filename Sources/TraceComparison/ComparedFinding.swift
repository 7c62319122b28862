import TraceAnalysis

/// A finding that one of the traces has and the other has not.
public struct ComparedFinding: Sendable {
  /// `.new` or `.base`.
  public var presence: Presence
  public var finding: Finding

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

  static func differences(_ base: [Finding], _ new: [Finding]) -> [ComparedFinding] {
    without(new, base).map { ComparedFinding(presence: .new, finding: $0) }
      + without(base, new).map { ComparedFinding(presence: .base, finding: $0) }
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
