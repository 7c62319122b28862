import TraceResults

extension RuleID { package static let starvedByMode: RuleID = "RL001" }

extension FindingRule {
  /// Reports a timer that waits because the loop runs in a mode without it, unless it was declared deferrable.
  static let starvedByMode = FindingRule.timer(
    .starvedByMode, "timer starves in a mode that it is not in", of: .wrongMode,
    plural: "starve in a mode that they are not in", basis: .skippedFires, isAboutModes: true
  ) { timer, ledger, _ in
    guard !timer.isDeferrable, let starved = WrongMode(timer, ledger) else { return nil }
    return starved.finding(starved.severity, starved.sentence, isAdvised: true)
  }
}

/// The fires that a timer missed in modes that it is not in.
struct WrongMode {
  private typealias Blame = (mode: String, count: UInt64)

  private let timer: TimerResult
  private let ledger: TimerLedgerResult
  private let points: UInt64
  /// The modes, most missed fires first.
  private let modes: [Blame]
  private static let modesNamed = 3

  init?(_ timer: TimerResult, _ ledger: TimerLedgerResult) {
    points = ledger.skipped(.wrongMode)
    guard points > 0, !timer.modes.isEmpty else { return nil }
    self.timer = timer
    self.ledger = ledger
    modes = ledger.wrongModeBy.ordered { ($1.count, $0.mode) < ($0.count, $1.mode) }
  }

  func finding(_ severity: Finding.Severity, _ sentence: Sentence, isAdvised: Bool = false) -> Finding {
    let evidence =
      modes.prefix(4).map { mode -> Finding.Evidence in
        .noting("\(count: mode.count, "skipped_in_mode") skipped while \(name: mode.mode) ran")
      } + [
        .span(
          nil, ledger.ledgerNs[.wrongMode, default: 0],
          "lateness of the other fires, from modes without the timer",
          figures: [.count("skipped_in_all", points)])
      ]
    var finding = Finding(
      severity, sentence, advice: isAdvised ? advice() : "", headline: ledger.headline(points),
      evidence: evidence,
      weight: timer.timeNs(of: points),
      cause: modes.isEmpty
        ? ""
        : " while the loop ran \(Phrase.list(modes.map(\.mode).ordered(), limit: 3, others: "other_modes_in_all", conjunction: "or"))"
    )
    if isAdvised { finding.adviceForSeveral = advice(ofSeveral: true) }
    return finding
  }

  /// Such as "… missed 14 of 45 fires while the loop ran "A", which it is not in"; for several modes "… ran "A" (10)
  /// and "B" (4)".
  var sentence: Sentence {
    guard let first = modes.first else {
      return "\(timer.said) \(ledger.missed(points)) in modes that it is not in"
    }
    let head: Sentence = "\(timer.said) \(ledger.missed(points)) while the loop ran"
    guard modes.count > 1 else {
      let isIn = timer.modes.contains(first.mode)
      return "\(head) \(name: first.mode), which it \(isIn ? "was not in at that time" : "is not in")"
    }
    let named = modes.prefix(Self.modesNamed)
    var parts = named.enumerated().map { number, mode -> Sentence in
      "\(name: mode.mode) (\(count: mode.count, "skipped_in_mode_\(number + 1)"))"
    }
    let others = points &- min(points, named.map(\.count).saturatedSum)
    if others > 0 { parts.append("other modes (\(count: others, "skipped_in_other_modes"))") }
    let isIn = modes.contains { timer.modes.contains($0.mode) }
    return "\(head) \(parts.listed()), \(isIn ? "when the timer was not in them" : "which it is not in")"
  }

  /// A timer of short-lived modes waits by design, but a timer of the default or common modes should always fire. It
  /// starves in any mode that it is not in, for example during tracking or a dialog.
  var severity: Finding.Severity {
    guard timer.isCommon || timer.modes.contains(ModeName.default) else { return .info }
    return ledger.severity(.wrongMode)
  }

  /// Returns advice that the program does not already follow. `ofSeveral` selects the wording for several similar
  /// timers.
  func advice(ofSeveral: Bool = false) -> Sentence {
    guard let first = modes.first else { return "" }
    let it = ofSeveral ? "them" : "it"
    if timer.modes.contains(first.mode) {
      return
        "\(ofSeveral ? "They were" : "It was") added to that mode later. Add \(it) before the loop runs in that mode."
    }
    if timer.isCommon {
      return ofSeveral
        ? "They are in the common modes, but \(name: first.mode) is not one of them. Make it a common mode, or add the timers to it."
        : "It is in the common modes, but \(name: first.mode) is not one of them. Make it a common mode, or add the timer to it."
    }
    let meant: Sentence = ofSeveral ? "If they should" : "If it should"
    if timer.modes.contains(ModeName.default) {
      if timer.commonModesOfLoop?.contains(first.mode) == false {
        return
          "\(meant) fire then, add \(it) to \(name: first.mode). That mode is not a common mode of the loop."
      }
      return ModeName.isTracking(first.mode)
        ? "Add \(it) to the common modes, or declare \(it) deferrable if \(ofSeveral ? "they" : "it") may wait."
        : "\(meant) fire then, add \(it) to \(name: first.mode), or to the common modes if that mode is one of them."
    }
    return "\(meant) fire then, add \(it) to \(name: first.mode)."
  }
}
