import TraceResults

extension RuleID { package static let wakesForNothing: RuleID = "RL017" }

extension FindingRule {
  static let wakesForNothing = FindingRule(
    .wakesForNothing, "the loop wakes for nothing", plural: .subjects("modes wake for nothing"),
    needs: [.callouts],
    remedy: "Some code wakes the loop without work for it, or the work was not recorded.", of: \.modes
  ) { mode, _ in
    // RL011 already reports polling. The work of an event loop is not recorded one by one.
    guard !mode.isOfEventLoop, mode.polling.flatMap(SeverityTable.polls) == nil, let empty = mode.emptyWakes,
      empty > 100,
      isAtLeast(empty, 0.5, of: mode.wakes), mode.timeNs > 0,
      Double(empty) / (Double(mode.timeNs) / 1e9) > 10
    else { return nil }
    return Finding(
      .info,
      "\(count: empty, "wakes_for_nothing") of \(count: mode.wakes, "wakes", "wake-up", "wake-ups") in \(name: mode.mode) ran nothing but observers",
      headline: Finding.Headline(.part(empty, of: mode.wakes), "wake-ups for nothing"),
      weight: empty, subject: mode.mode)
  }
}
