import TraceResults

/// Combines findings of one rule that say the same about several subjects. The group gives their number, their sum
/// and advice for all of them.
enum FindingGroups {
  /// The wording of a rule for several subjects.
  struct Plural: Sendable {
    enum Number { case subjects, times }

    /// The words after the number, such as "timers starve".
    let words: String
    let counts: Number
    /// The advice for several subjects; empty = the advice for one.
    let remedy: Sentence

    static func subjects(_ words: String, remedy: Sentence = "") -> Plural {
      Plural(words: words, counts: .subjects, remedy: remedy)
    }
    /// Counts occurrences instead of subjects. Used for findings that state their occurrences and weigh by total time.
    static func times(_ words: String) -> Plural { Plural(words: words, counts: .times, remedy: "") }
  }

  private struct Kind: Hashable {
    var severity: Finding.Severity
    var cause: String
    var remedy: String
  }

  /// Groups `findings` of one rule, which are sorted with the worst first. Groups keep the order of their first
  /// findings.
  static func grouped(_ findings: [Finding], _ plural: Plural?) -> [Finding] {
    guard let plural else { return findings }
    var kinds: [Kind] = []
    var groups: [Kind: [Finding]] = [:]
    for finding in findings {
      let kind = Kind(severity: finding.severity, cause: finding.cause.text(), remedy: finding.remedy)
      if groups[kind] == nil { kinds.append(kind) }
      groups[kind, default: []].append(finding)
    }
    return kinds.compactMap { groups[$0] }.map { $0.count > 1 ? together($0, plural) : $0[0] }
  }

  private static func together(_ findings: [Finding], _ plural: Plural) -> Finding {
    let times = findings.map(\.times).saturatedSum
    let weight = findings.map(\.weight).saturatedSum
    let number = plural.counts == .times ? times : UInt64(findings.count)
    let sum = Sum(findings, weight, plural.counts)
    let facts: Sentence = sum.map { " (\($0.words)\(findings[0].cause))" } ?? findings[0].cause
    var group = Finding(
      findings[0].severity,
      "\(count: number, "number") \(plural.words)\(facts): \(Phrase.list(subjects(of: findings), limit: 3, others: "other_subjects"))",
      advice: advice(findings[0], plural), headline: sum?.headline,
      evidence: findings.prefix(4).flatMap { $0.evidence.filter { $0.startNs != nil }.prefix(1) },
      weight: weight, cause: findings[0].cause, times: times)
    group.rule = findings[0].rule
    group.title = "\(number) \(plural.words)"
    group.findings = findings.map(\.findings).saturatedSum
    group.members = findings
    group.places = CodeOfFindings.distinct(findings.flatMap(\.places))
    // Findings with one cause may also share one blocker.
    if findings.allSatisfy({ $0.blocker == findings[0].blocker }) { group.blocker = findings[0].blocker }
    return group
  }

  private static func advice(_ one: Finding, _ plural: Plural) -> Sentence {
    if !one.adviceForSeveral.isEmpty { return one.adviceForSeveral }
    return plural.remedy.isEmpty ? one.advice : plural.remedy
  }

  /// Returns the distinct names of the subjects in their order.
  static func subjects(of findings: [Finding]) -> [String] {
    var seen: Set<String> = [""]
    return findings.map(\.listedName).filter { seen.insert($0).inserted }
  }

  /// The sum of the headlines of several findings.
  private struct Sum {
    var words: Sentence
    var headline: Finding.Headline

    /// Returns nil if the headlines cannot be added up or compared.
    init?(_ findings: [Finding], _ weight: UInt64, _ number: Plural.Number) {
      let headlines = findings.compactMap(\.headline)
      guard headlines.count == findings.count, let label = headlines.first?.label else { return nil }
      let parts = headlines.compactMap(\.share)
      if parts.count == headlines.count {
        let (part, whole) = (parts.map(\.part).saturatedSum, parts.map(\.whole).saturatedSum)
        words = "\(count: part, "part") of \(count: whole, "whole") \(label)"
        headline = Finding.Headline(.part(part, of: whole), label)
        return
      }
      let times = headlines.compactMap(\.timeNs)
      guard times.count == headlines.count, let longest = times.max() else { return nil }
      switch number {
      case .times:
        words = "\(ns: weight, "in_all_ns") in all, at most \(ns: longest, "longest_ns") \(label)"
        headline = .time(weight, "\(label), in all")
      case .subjects:
        words = "at most \(ns: longest, "longest_ns") \(label)"
        headline = .time(longest, label)
      }
    }
  }
}
