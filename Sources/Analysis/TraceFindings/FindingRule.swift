import TraceResults

/// A rule: a pure function from results to findings, with its description. docs/reference/findings.md describes each rule.
package struct FindingRule: Sendable {
  /// The data that a recording must hold before the absence of a finding means anything.
  package enum Need: String, Sendable, CaseIterable {
    /// The due points of all timers.
    case duePoints = "due points"
    case callouts
    /// Work of queues other than the main queue.
    case queues
    case highStamps = "high stamps"
    case profile
    /// The length of every busy interval that may be a hang.
    case hangLengths = "hang lengths"

    package func isMet(by analysis: Analysis) -> Bool {
      switch self {
      case .duePoints, .callouts: analysis.trace.captureLevel.seesCallouts
      case .queues: analysis.work.isRecorded
      case .highStamps: analysis.trace.hasHighStamps
      case .profile: analysis.profile != nil
      case .hangLengths: !analysis.hasDoubtfulHangs
      }
    }
  }

  /// The results on which a finding rests. A comparison reports a changed finding only if these results differ.
  package enum Basis: Sendable {
    /// Skipped fires of the timer that the finding is about.
    case skippedFires
    /// Skipped and late fires of that timer.
    case lateFires
    /// Hitches of that timer.
    case hitches
    /// Hangs of any mode.
    case hangs
    /// Gaps, passes and hangs of any mode.
    case gaps
    /// Passes of the mode that the finding is about, and those that did not wait.
    case passes
    /// Time and number of the callouts of all timers.
    case timerCallouts
    /// Durations of the callout that the finding is about.
    case calloutDurations
    /// Waits of blocks, which a lack of processor time lengthens.
    case blockWaits
    /// Properties of the recording, not of the program.
    case recording
    /// Numbers that no other row of a comparison measures.
    case itself
  }

  package let id: RuleID
  /// The title, a few words long.
  package let title: String
  package let needs: Set<Need>
  package let basis: Basis
  /// Nil = the findings are reported one by one.
  let plural: FindingGroups.Plural?
  private let find: @Sendable (Analysis) -> [Finding]

  /// Creates a rule about one subject at a time. `plural` is the wording for several subjects. `remedy` is the advice
  /// for findings that give none themselves; empty = nothing to do.
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

  /// Creates a rule about the trace as a whole.
  init(
    _ id: RuleID, _ title: String, needs: Set<Need> = [], basis: Basis = .itself, remedy: Sentence = "",
    find: @escaping @Sendable (Analysis) -> Finding?
  ) {
    self.init(id, title, needs: needs, basis: basis, remedy: remedy, of: { [$0] }) { find($1) }
  }

  /// Creates a rule about one timer class at a time, for the classes whose due points are in the recording. `cause`
  /// is a cause of the ledger. `remedies` is the advice for several timers. `isAboutModes`: the rule does not apply to
  /// timers of event loops.
  static func timer(
    _ id: RuleID, _ title: String, of cause: Cause? = nil, plural: String, basis: Basis = .itself,
    remedy: Sentence = "",
    remedies: Sentence = "", isAboutModes: Bool = false,
    find: @escaping @Sendable (TimerResult, TimerLedgerResult, Analysis) -> Finding?
  ) -> FindingRule {
    FindingRule(
      id, title, plural: .subjects("timers \(plural)", remedy: remedies), needs: [.duePoints], basis: basis,
      remedy: remedy,
      // Indices, because a copy of a timer's results costs more than most rules.
      of: { analysis in analysis.timers.indices.filter { analysis.timers[$0].ledger != nil } }
    ) { index, analysis in
      let timer = analysis.timers[index]
      guard let ledger = timer.ledger, var found = find(timer, ledger, analysis) else { return nil }
      if isAboutModes, timer.thread.flatMap(analysis.eventLoop(of:)) != nil { return nil }
      if let cause { found.evidence += ledger.stretch(cause) }
      // A timer that may wait is never a fault.
      if timer.isDeferrable { found.severity = .info }
      found.subject = timer.name
      found.timer = timer.id
      found.thread = timer.thread
      found.heldUpBy = cause
      return found
    }
  }

  /// Returns the rule's findings, with its id and title.
  package func findings(in analysis: Analysis) -> [Finding] { find(analysis) }
}
