import CallStacks

/// Something to act on, in plain words, with its evidence. docs/findings.md has each rule.
public struct Finding: Sendable {
  public enum Severity: String, Sendable, Comparable, CaseIterable {
    case error, warning, info
    public var name: String { rawValue }
    public static func < (a: Severity, b: Severity) -> Bool { a != b && (a == .error || b == .info) }
  }

  /// Of the rule that found it, as is the title.
  public package(set) var rule: RuleID = ""
  public package(set) var title = ""
  public var severity: Severity
  /// Subject, number, cause; without the full stop, so that it can be part of another. Each number and name of it is in
  /// `evidence`.
  public var sentence: Sentence
  /// What usually helps; empty = nothing to do, or what the rule advises.
  public var advice: Sentence
  /// The same for several subjects at once; empty = it is the same.
  package var adviceForSeveral: Sentence = ""
  /// The number that it is about, and of what; the verdict shows it large.
  public var headline: Headline?
  public var evidence: [Evidence]
  /// For ranking within a severity: time lost, nanoseconds.
  public var weight: UInt64
  /// The name of the timer, callout, mode, source or thread that it is about; empty = the trace. With the rule it says
  /// which findings of two traces are the same.
  public var subject = ""
  /// Who held its subject up, as a name: a function, else a callout. Empty = nobody in particular, or the subject itself.
  public package(set) var blocker = ""
  /// How many findings of its rule it is: more than 1 when it speaks of several subjects.
  public var findings: UInt64 = 1
  /// `TimerResult.id`, where it is about one timer class: several may have one name.
  public var timer: Int?
  /// The thread that it happened on, where it is about one.
  public package(set) var thread: UInt32?
  /// The cause of the ledger that it is about; nil = of none, or of several.
  public package(set) var heldUpBy: Cause?
  /// What held it up: findings of a rule have it in common where they are one. Part of a
  /// sentence, behind how much it was; empty = nothing special.
  public var cause: Sentence
  /// How often it happened, where the rule counts that.
  public var times: UInt64
  /// Where the code is that it names; files and lines as the trace holds them.
  public package(set) var places: [Place] = []
  /// Of a finding about several subjects: those about one each, the worst first. Empty = it is about one, or sums up those
  /// that there are too many of.
  public package(set) var members: [Finding] = []

  /// About one subject each.
  public var subjects: [Finding] { members.isEmpty ? [self] : members }

  public var text: String { "\(sentence.text())." }
  public var remedy: String { advice.text() }

  /// Code that a finding names.
  public struct Place: Sendable, Hashable {
    public enum Role: String, Sendable {
      /// A function that ran, or that a timer calls.
      case function
      /// Who made the timer, source or block.
      case maker
    }

    public var role: Role
    /// With a file.
    public var frame: StackFrame

    package init(_ role: Role, _ frame: StackFrame) {
      self.role = role
      self.frame = frame
    }

    /// `in tick() main.swift:41`, or `made by main main.swift:50`.
    public var text: String { "\(role == .maker ? "made by" : "in") \(frame.sourcePlace)" }
  }

  public struct Headline: Sendable {
    public enum Amount: Sendable {
      case time(UInt64)
      /// So many of so many.
      case part(UInt64, of: UInt64)
      /// Of nothing that could be added up.
      case other(String)
    }

    public var amount: Amount
    public var label: String

    public var value: String {
      switch amount {
      case .time(let ns): Units.duration(ns)
      case .part(let part, let whole): "\(part) of \(whole)"
      case .other(let text): text
      }
    }

    /// Nil: it is no time.
    public var timeNs: UInt64? { if case .time(let ns) = amount { ns } else { nil } }
    /// Nil: it is no part of anything.
    public var share: (part: UInt64, whole: UInt64)? {
      if case .part(let part, let whole) = amount { (part, whole) } else { nil }
    }

    package init(_ amount: Amount, _ label: String) {
      self.amount = amount
      self.label = label
    }

    package static func time(_ ns: UInt64, _ label: String) -> Headline { Headline(.time(ns), label) }
  }

  public struct Evidence: Sendable {
    /// Nil = of the whole span.
    public var startNs: UInt64?
    public var durationNs: UInt64?
    public var callout: String?
    public var note: String
    /// Numbers by name, each name once.
    public var figures: [Figure] = []
    /// Names from the trace.
    public var names: [String] = []

    package static func span(
      _ startNs: UInt64?, _ durationNs: UInt64, _ note: String, callout: String? = nil,
      figures: [Figure] = [], names: [String] = []
    ) -> Evidence {
      Evidence(
        startNs: startNs, durationNs: durationNs, callout: callout, note: note, figures: figures, names: names
      )
    }

    /// With a note whose numbers and names it holds.
    package static func noting(
      _ sentence: Sentence, durationNs: UInt64? = nil, callout: String? = nil
    ) -> Evidence {
      Evidence(
        durationNs: durationNs, callout: callout, note: sentence.text(), figures: sentence.figures,
        names: sentence.names)
    }
  }

  /// What the sentences say is added to the first piece of evidence.
  package init(
    _ severity: Severity, _ sentence: Sentence, advice: Sentence = "",
    headline: Headline? = nil, evidence: [Evidence] = [], weight: UInt64, subject: String = "",
    cause: Sentence = "", times: UInt64 = 1
  ) {
    self.severity = severity
    self.sentence = sentence
    self.advice = advice
    self.headline = headline
    self.evidence = evidence
    self.weight = weight
    self.subject = subject
    self.cause = cause
    self.times = times
    let figures = sentence.figures + advice.figures
    let names = sentence.names + advice.names
    guard !figures.isEmpty || !names.isEmpty else { return }
    if evidence.isEmpty { self.evidence.append(Evidence(note: "")) }
    for figure in figures where !self.evidence[0].figures.contains(figure) {
      self.evidence[0].figures.append(figure)
    }
    for name in names where !self.evidence[0].names.contains(name) { self.evidence[0].names.append(name) }
  }
}
