/// Something to act on, in plain words, with its evidence. docs/findings.md has each rule.
public struct Finding: Sendable {
  public enum Severity: Int, Sendable, Comparable, CaseIterable {
    case error, warning, info
    public var name: String { "\(self)" }
    public static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }
  }

  /// `RL001` …
  public var rule: FindingRule
  public var severity: Severity
  /// Subject, number, cause.
  public var text: String
  /// What usually helps; empty = nothing to do.
  public var remedy: String
  public var evidence: [Evidence]
  /// For ranking within a severity: time lost, nanoseconds.
  public var weight: UInt64
  /// The name of the timer, callout, mode, source or thread that it is about; empty = the trace. With the rule it says
  /// which findings of two traces are the same.
  public var subject = ""
  /// `TimerResult.id`, where it is about one timer class: several may have one name.
  public var timer: Int?

  public struct Evidence: Sendable {
    /// Nil = of the whole span.
    public var startNs: UInt64?
    public var durationNs: UInt64?
    public var callout: String?
    public var note: String
  }
}
