import TraceAnalysis

/// The one sentence that answers "is something wrong?": subject, number, cause.
public struct Verdict: Sendable {
  /// At most 100 columns.
  public let lines: [String]
  public let isGood: Bool
  /// The number of it, and of what; nil when nothing is wrong.
  public let figure: Figure?

  public struct Figure: Sendable {
    public let value: String
    public let label: String
  }

  public init(_ analysis: Analysis) {
    if let starved = Verdict.starved(analysis) {
      lines = starved.lines
      isGood = false
      figure = starved.figure
    } else if let gap = analysis.gaps.filter({ !$0.isOutside }).max(by: { $0.durationNs < $1.durationNs }) {
      lines = Verdict.blocked(gap)
      isGood = false
      figure = Figure(value: Units.duration(gap.durationNs), label: "held")
    } else if analysis.loops.isEmpty {
      lines = ["Verdict: no run loop ran in this recording."]
      isGood = false
      figure = nil
    } else {
      lines = [
        "Verdict: nothing held a run loop above the gap threshold, and no timer starved in a wrong mode."
      ]
      isGood = true
      figure = nil
    }
  }

  /// The timer with most points skipped because the loop ran in a mode without it.
  private static func starved(_ analysis: Analysis) -> (lines: [String], figure: Figure)? {
    let candidates = analysis.timers.compactMap { timer in timer.ledger.map { (timer, $0) } }
      // A timer that is in no mode was taken out on purpose.
      .filter { !$0.0.modes.isEmpty && !$0.0.isDeferrable && $0.1.skippedBy[.wrongMode, default: 0] > 0 }
    guard
      let (timer, ledger) = candidates.max(by: {
        $0.1.skippedBy[.wrongMode, default: 0] < $1.1.skippedBy[.wrongMode, default: 0]
      }),
      let blame = ledger.wrongModeBy.max(by: { $0.count < $1.count })
    else { return nil }
    let name = harmless(timer.name, limit: 30)
    let mode = harmless(blame.mode, limit: 26)
    let lines = [
      "Verdict: timer \"\(name)\" skipped \(ledger.skipped) of \(ledger.due) fires: \(mode)",
      "  ran at \(blame.count) of these due points, and the timer (every \(Units.duration(timer.intervalNs))) is not in that mode.",
      "  Worst lateness \(Units.duration(ledger.latenessNs.max)). Remedy: add it to the common modes, unless it was meant to wait.",
    ]
    return (lines, Figure(value: "\(ledger.skipped) of \(ledger.due)", label: "fires skipped"))
  }

  private static func blocked(_ gap: Gap) -> [String] {
    let who =
      gap.callouts.first.map {
        "\($0.kind) \"\(harmless($0.name, limit: 30))\" took \(Units.duration($0.durationNs)) of it"
      } ?? "what ran in it was not recorded"
    return [
      "Verdict: the loop was held for \(Units.duration(gap.durationNs)) after \(gap.after.name), at \(Units.moment(gap.startNs)):",
      "  \(who).",
    ]
  }
}
