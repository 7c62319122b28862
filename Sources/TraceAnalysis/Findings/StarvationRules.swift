/// A timer that waits because the loop runs in a mode without it.
extension TimerRules {
  /// RL001, or RL008 where it is declared.
  static func wrongMode(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.wrongMode, default: 0]
    let modes = ledger.wrongModeBy.sorted { ($1.count, $0.mode) < ($0.count, $1.mode) }
    let wrongNs = ledger.ledgerNs[.wrongMode, default: 0]
    let evidence =
      modes.prefix(4).map { mode -> Finding.Evidence in
        .noting("\(count: mode.count, "skipped_in_mode") skipped while \(name: mode.mode) ran")
      } + [
        Finding.Evidence(
          durationNs: wrongNs, note: "lateness of those that fired, spent in modes without the timer",
          figures: [.count("skipped_in_all", points)])
      ]
    let missed = sentence(timer, ledger, modes, points)
    let headline = Finding.Headline(value: "\(points) of \(ledger.due)", label: "fires missed")
    if timer.isDeferrable {
      return Finding(
        .declaredStarvation, .info, "\(missed), as declared.", headline: headline, evidence: evidence,
        weight: weight(timer, points))
    }
    return Finding(
      .starvedByMode, severity(timer, ledger), "\(missed).", advice: advice(timer, modes), headline: headline,
      evidence: evidence, weight: weight(timer, points))
  }

  private typealias Blame = (mode: String, count: UInt64)

  /// "… missed 14 of 45 fires while the loop ran "A", and 5 more while it ran "B", which it is not in".
  private static func sentence(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ modes: [Blame], _ points: UInt64
  ) -> Sentence {
    let due: Sentence = "\(count: ledger.due, "due") \(ledger.due == 1 ? "fire" : "fires")"
    guard let first = modes.first else {
      return "\(name(timer)) missed \(count: points, "skipped") of \(due) in modes that it is not in"
    }
    let isIn = timer.modes.contains(first.mode)
    let head: Sentence =
      "\(name(timer)) missed \(count: first.count, "skipped") of \(due) while the loop ran \(name: first.mode)"
    let others = points &- first.count
    switch modes.count {
    case 1:
      return "\(head), which it \(isIn ? "was not in then" : "is not in")"
    case 2:
      return
        "\(head), and \(count: others, "skipped_in_other_modes") while it ran \(name: modes[1].mode), without the timer"
    default:
      return
        "\(head), and \(count: others, "skipped_in_other_modes") while it ran \(count: UInt64(modes.count - 1), "other_modes") other modes, without the timer"
    }
  }

  /// A timer of modes meant for moments waits by design; of one that is meant to fire always, people notice when fires
  /// are missing while they touch the screen.
  private static func severity(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding.Severity {
    let isOfCommonModes = timer.isCommon || timer.modes.contains(ModeName.default)
    let tracking = ledger.wrongModeBy.filter { ModeName.isTracking($0.mode) }.reduce(0) { $0 &+ $1.count }
    guard isOfCommonModes, tracking > 0 else { return .info }
    if isAtLeast(tracking, FindingLimits.muchOfDue, of: ledger.due) { return .error }
    if tracking == 1 { return .info }
    return weight(timer, tracking) >= FindingLimits.noticedNs ? .error : .warning
  }

  /// Nothing that is so already.
  private static func advice(_ timer: TimerResult, _ modes: [Blame]) -> Sentence {
    guard let first = modes.first else { return "" }
    if timer.modes.contains(first.mode) {
      return "It came into that mode later: add it before the loop runs there."
    }
    if timer.isCommon {
      return
        "It is in the common modes, and \(name: first.mode) is none of them: make it one, or add the timer to it."
    }
    if timer.modes.contains(ModeName.default) {
      return ModeName.isTracking(first.mode)
        ? "Add it to the common modes, or declare it deferrable if it is meant to wait."
        : "If it is meant to fire meanwhile, add it to \(name: first.mode), or to the common modes if that is one."
    }
    return "If it is meant to fire meanwhile, add it to \(name: first.mode)."
  }
}
