import CallStacks

/// Something to act on, in plain words, with its evidence. docs/reference/findings.md describes each rule.
public struct Finding: Sendable {
  /// The severity of a finding. Errors come before warnings, and warnings before information.
  public enum Severity: String, Sendable, Comparable, CaseIterable {
    case error, warning, info
    package var name: String { rawValue }
    /// Returns whether `a` is more severe.
    public static func < (a: Severity, b: Severity) -> Bool { a != b && (a == .error || b == .info) }
  }

  /// The rule that found it. The title comes from the same rule.
  public package(set) var rule: RuleID = ""
  /// A few words, the same for all findings of the rule.
  public package(set) var title = ""
  /// The severity, from the share of missed fires and the time that is lost.
  public var severity: Severity
  /// Subject, number and cause, without a full stop, so that it can be part of another sentence. `evidence` holds
  /// each of its numbers and names.
  package var sentence: Sentence
  /// The usual remedy; empty = nothing to do, or the rule's own advice.
  package var advice: Sentence
  /// The advice for a finding about several subjects; empty = `advice` applies.
  package var adviceForSeveral: Sentence = ""
  /// The main number and what it measures; the verdict shows it large.
  package var headline: Headline?
  /// The spans and numbers on which the finding rests.
  public var evidence: [Evidence]
  /// Lost time in nanoseconds, for ranking within a severity.
  package var weight: UInt64
  /// The name of the timer, callout, mode, source or thread that the finding is about; empty = the trace. Findings of
  /// two traces are the same if rule and subject are equal.
  public var subject = ""
  /// Whether the subject is only a thread, because no callout is known.
  package var isAboutThread = false
  /// The name of the function, or else of the callout, that held the subject up. Empty = nothing in particular, or
  /// the subject itself.
  package var blocker = ""
  /// The number of the rule's findings that this one combines: more than 1 when it covers several subjects.
  package var findings: UInt64 = 1
  /// `TimerResult.id`, if the finding is about one timer class: several classes may share a name.
  package var timer: Int?
  /// Whether it is about work of queues other than the main queue.
  package var isAboutQueues = false
  /// The thread on which it happened, if there is one.
  package var thread: UInt32?
  /// The ledger's cause that the finding is about; nil = none, or several.
  package var heldUpBy: Cause?
  /// The cause that held the subject up. Findings of a rule that are combined share it. Part of a sentence, after the
  /// amount; empty = nothing special.
  package var cause: Sentence
  /// How often it happened, if the rule counts that.
  package var times: UInt64
  /// Code from sampled stacks that the rule names, the most important first.
  package var sampled: [Place] = []
  /// The places of the code that the finding names; files and lines as the trace holds them.
  package var places: [Place] = []
  /// A prediction of what the suggested change would do; nil = not predicted.
  package var worth: Worth?
  /// For a finding about several subjects: one finding for each subject, the worst first. Empty = it is about one
  /// subject, or it sums up more subjects than are listed.
  package var members: [Finding] = []

  /// The findings about one subject each.
  package var subjects: [Finding] { members.isEmpty ? [self] : members }

  /// The name in a list of subjects: that of the function that held a thread, if it is known, else the subject.
  package var listedName: String {
    guard isAboutThread, let function = sampled.first(where: { $0.role == .function }) else { return subject }
    return function.frame.name
  }

  /// The place of the function that it is about; nil = not known.
  package var subjectPlace: Place? { places.first { $0.role == .function || $0.role == .late } }

  /// The finding as a sentence.
  public var text: String { "\(sentence.text())." }
  /// The usual remedy, as one or more sentences; empty = nothing to do.
  public var remedy: String { advice.text() }

  /// Code that a finding names.
  package struct Place: Sendable, Hashable {
    package enum Role: String, Sendable {
      /// A function that ran, or the function that a timer calls.
      case function
      /// The code that created the timer, source or block.
      case maker
      /// The code that ran the loop in the mode that the finding names.
      case runner
      /// The code that held the lock or queue for which the thread waited.
      case holder
      /// The caller of the place before it.
      case caller
      /// The function of a timer that something else made late.
      case late

      var words: String {
        switch self {
        case .function: "in"
        case .maker: "made by"
        case .runner: "run by"
        case .holder: "held by"
        case .caller: "called by"
        case .late: "late timer"
        }
      }
    }

    package var role: Role
    /// A frame whose file is known.
    package var frame: StackFrame

    package init(_ role: Role, _ frame: StackFrame) {
      self.role = role
      self.frame = frame
    }

    /// Returns `in tick() main.swift:41`, or `made by main main.swift:50`.
    package var text: String { "\(role.words) \(frame.sourcePlace)" }
  }

  package struct Headline: Sendable {
    package enum Amount: Sendable {
      case time(UInt64)
      /// A count out of a total.
      case part(UInt64, of: UInt64)
      /// A text for an amount that cannot be added up.
      case other(String)
    }

    package var amount: Amount
    package var label: String

    package var value: String {
      switch amount {
      case .time(let ns): Units.duration(ns)
      case .part(let part, let whole): "\(part) of \(whole)"
      case .other(let text): text
      }
    }

    /// Nil if the amount is not a time.
    package var timeNs: UInt64? { if case .time(let ns) = amount { ns } else { nil } }
    /// Nil if the amount is not part of a total.
    package var share: (part: UInt64, whole: UInt64)? {
      if case .part(let part, let whole) = amount { (part, whole) } else { nil }
    }

    package init(_ amount: Amount, _ label: String) {
      self.amount = amount
      self.label = label
    }

    package static func time(_ ns: UInt64, _ label: String) -> Headline { Headline(.time(ns), label) }
  }

  /// A span of the recording, and what it shows.
  public struct Evidence: Sendable {
    /// Nil = the evidence covers the whole span.
    public var startNs: UInt64?
    /// The length of the span; nil = it has none.
    public var durationNs: UInt64?
    package var callout: String?
    /// The observation in the span.
    public var note: String
    /// The numbers of the note; each name occurs once.
    public var figures: [Figure] = []
    /// Names from the trace that the note mentions.
    package var names: [String] = []

    package static func span(
      _ startNs: UInt64?, _ durationNs: UInt64, _ note: String, callout: String? = nil,
      figures: [Figure] = [], names: [String] = []
    ) -> Evidence {
      Evidence(
        startNs: startNs, durationNs: durationNs, callout: callout, note: note, figures: figures, names: names
      )
    }

    /// Returns evidence with the sentence as its note, and with the numbers and names of that sentence.
    package static func noting(
      _ sentence: Sentence, durationNs: UInt64? = nil, callout: String? = nil
    ) -> Evidence {
      Evidence(
        durationNs: durationNs, callout: callout, note: sentence.text(), figures: sentence.figures,
        names: sentence.names)
    }
  }

  /// Creates a finding. The figures and names of its sentences are added to the first piece of evidence.
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
