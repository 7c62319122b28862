import TraceResults

/// A rule: a pure function from results to findings, and what others need to know about it. docs/findings.md describes
/// each.
public struct FindingRule: Sendable {
  /// What a recording must hold for a finding's absence to mean something.
  public enum Need: String, Sendable, CaseIterable {
    /// Of all timers.
    case duePoints = "due points"
    case callouts
    case highStamps = "high stamps"
    case profile
    /// No busy interval that may be a hang, and whose length is not known.
    case hangLengths = "hang lengths"

    public func isMet(by analysis: Analysis) -> Bool {
      switch self {
      case .duePoints, .callouts: analysis.trace.captureLevel != .activities
      case .highStamps: analysis.trace.hasHighStamps
      case .profile: analysis.profile != nil
      case .hangLengths: !analysis.hasDoubtfulHangs
      }
    }
  }

  /// The results that a finding rests on. A comparison takes one for a difference only where they differ.
  public enum Basis: Sendable {
    /// Skipped fires of the timer that it is about.
    case skippedFires
    /// Skipped and late fires of that timer.
    case lateFires
    /// Hangs of any mode.
    case hangs
    /// Passes of the mode that it is about, and those that did not wait.
    case passes
    /// Time and number of all timers' callouts.
    case timerCallouts
    /// Durations of the callout that it is about.
    case calloutDurations
    /// The recording, not the program.
    case recording
    /// What no other row of a comparison measures.
    case itself
  }

  public let id: RuleID
  /// A few words.
  public let title: String
  public let needs: Set<Need>
  public let basis: Basis
  /// Nil: its findings are told one by one.
  let plural: FindingGroups.Plural?
  private let find: @Sendable (Analysis) -> [Finding]

  /// A rule about one subject at a time. `plural`: what it says of several at once. `remedy`: what usually helps, of findings
  /// that do not say it themselves; empty = nothing to do.
  init<Subject>(
    _ id: RuleID, _ title: String, plural: FindingGroups.Plural? = nil, needs: Set<Need> = [],
    basis: Basis = .itself, remedy: Sentence = "", of subjects: @escaping @Sendable (Analysis) -> [Subject],
    find: @escaping @Sendable (Subject, Analysis) -> Finding?
  ) {
    self.id = id
    self.title = title
    self.needs = needs
    self.basis = basis
    self.plural = plural
    self.find = { analysis in
      subjects(analysis).compactMap { subject in
        guard var finding = find(subject, analysis) else { return nil }
        finding.rule = id
        if finding.title.isEmpty { finding.title = title }
        if finding.advice.isEmpty { finding.advice = remedy }
        return finding
      }
    }
  }

  /// A rule about the trace as a whole.
  init(
    _ id: RuleID, _ title: String, needs: Set<Need> = [], basis: Basis = .itself, remedy: Sentence = "",
    find: @escaping @Sendable (Analysis) -> Finding?
  ) {
    self.init(id, title, needs: needs, basis: basis, remedy: remedy, of: { [$0] }) { find($1) }
  }

  /// A rule about one timer class at a time, of those whose due points are in the recording. `cause`: of the ledger.
  /// `remedies`: what helps several.
  static func timer(
    _ id: RuleID, _ title: String, of cause: Cause? = nil, plural: String, basis: Basis = .itself,
    remedy: Sentence = "",
    remedies: Sentence = "",
    find: @escaping @Sendable (TimerResult, TimerLedgerResult, Analysis) -> Finding?
  ) -> FindingRule {
    FindingRule(
      id, title, plural: .subjects("timers \(plural)", remedy: remedies), needs: [.duePoints], basis: basis,
      remedy: remedy,
      of: \.timers
    ) { timer, analysis in
      guard let ledger = timer.ledger, var found = find(timer, ledger, analysis) else { return nil }
      found.subject = timer.name
      found.timer = timer.id
      found.thread = timer.thread
      found.heldUpBy = cause
      return found
    }
  }

  /// With the rule's name on them.
  public func findings(in analysis: Analysis) -> [Finding] { find(analysis) }
}
