import TraceResults

extension RuleID { public static let spins: RuleID = "RL011" }

extension FindingRule {
  static let spins = FindingRule(
    .spins, "the loop spins without waiting",
    plural: .subjects(
      "modes spin without waiting",
      remedy: "Run them with time limits above zero, or let sources or timers wake them."), basis: .passes,
    remedy: "Run it with a time limit above zero, or let a source or timer wake it.", of: \.modes
  ) { mode, _ in
    guard mode.polls > 1000, isAtLeast(mode.polls, 0.9, of: mode.passes), mode.timeNs > 0 else {
      return nil
    }
    let rate = Double(mode.polls) / (Double(mode.timeNs) / 1e9)
    guard rate > 1000 else { return nil }
    let figure = Figure.rate("polls_per_s", rate)
    return Finding(
      .warning,
      "\(count: mode.polls, "polls") of \(count: mode.passes, "passes", "pass", "passes") in \(name: mode.mode) did not wait: \(figure) a second",
      headline: Finding.Headline(.other(figure.text), "passes per second"), weight: mode.busyNs,
      subject: mode.mode)
  }
}
