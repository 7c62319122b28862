import TraceResults

extension RuleID { package static let costsTracking: RuleID = "RL010" }

extension FindingRule {
  /// Reports the time that timers of the common modes take from tracking.
  static let costsTracking = FindingRule(
    .costsTracking, "timers take time from tracking", needs: [.callouts], basis: .timerCallouts,
    remedy: "Do heavy work in the default mode, or do it in smaller pieces while tracking."
  ) { analysis in
    let time = Tracking.timeNs(analysis)
    guard time >= FindingLimits.noticeableNs else { return nil }
    let prices = analysis.timers.map { ($0, Tracking.partNs($0.calloutNsByMode)) }
      .ordered { ($1.1, $0.0.id) < ($0.1, $1.0.id) }
    let price = prices.map(\.1).saturatedSum
    guard isAtLeast(price, 0.1, of: time), let worst = prices.first else { return nil }
    return Finding(
      .warning,
      "Timers took \(percent: price, of: time, "of_tracking_percent") of the \(ns: time, "tracking_ns") of tracking. Timer \(name: worst.0.name) took the most, \(ns: worst.1, "worst_ns")",
      headline: Finding.Headline(.other(Figure.percent("", price, of: time).text), "of tracking"),
      evidence: prices.filter { $0.1 > 0 }.prefix(4).map { timer, ns in
        .span(
          nil, ns, "while tracking", callout: timer.callout, names: timer.callout == nil ? [timer.name] : [])
      }, weight: price)
  }
}
