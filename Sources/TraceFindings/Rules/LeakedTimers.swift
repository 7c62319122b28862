import TraceResults

extension RuleID { public static let leakedTimers: RuleID = "RL034" }

extension FindingRule {
  /// Repeating timers of one place that keep coming, while almost none of them ends.
  static let leakedTimers = FindingRule(
    .leakedTimers, "timers of one place grow without end", plural: .subjects("places leak timers"),
    needs: [.callouts],
    remedy: "Invalidate each timer when what it was made for goes away, or share one timer among them.",
    of: TimersOfPlace.all
  ) { place, analysis in place.isLeak ? place.finding(analysis) : nil }
}

/// The repeating timers of one creation site on one thread, whatever their intervals. Without a site, of one name.
private struct TimersOfPlace {
  private let timers: [TimerResult]
  private let atQuarters: [UInt64]

  static func all(_ analysis: Analysis) -> [TimersOfPlace] {
    struct Place: Hashable {
      var place: String
      var thread: UInt32?
    }
    var order: [Place] = []
    var places: [Place: [TimerResult]] = [:]
    for timer in analysis.timers where timer.intervalNs > 0 && timer.life.atQuarters.count == 5 {
      let place = Place(place: timer.site.isEmpty ? timer.name : timer.site, thread: timer.thread)
      if places[place] == nil { order.append(place) }
      places[place, default: []].append(timer)
    }
    return order.compactMap { places[$0] }.map(TimersOfPlace.init)
  }

  private init(_ timers: [TimerResult]) {
    // The class with the most live timers names the place.
    self.timers = timers.sorted { ($1.life.live, $0.id) < ($0.life.live, $1.id) }
    atQuarters = (0..<5).map { quarter in timers.map { $0.life.atQuarters[quarter] }.saturatedSum }
  }

  private var live: UInt64 { atQuarters[4] }
  private var added: UInt64 { live &- min(live, atQuarters[0]) }

  /// Each quarter of the span adds its part, and almost none of the timers has ended.
  var isLeak: Bool {
    let ended = timers.map(\.life.ended).saturatedSum
    guard live >= FindingLimits.manyTimers, !isAtLeast(ended, 0.1, of: live) else { return false }
    return (1..<5).allSatisfy { quarter in
      let (before, after) = (atQuarters[quarter - 1], atQuarters[quarter])
      return after > before && isAtLeast(after &- before, 0.1, of: added)
    }
  }

  func finding(_ analysis: Analysis) -> Finding {
    let first = timers.map(\.life.firstNs).min() ?? 0
    let last = timers.map(\.life.lastNs).max() ?? 0
    let time = last &- min(first, last)
    let rate = Figure.rate("added_per_s", Double(added) / (Double(max(time, 1)) / 1e9))
    var finding = Finding(
      .warning,
      "\(count: live, "live_timers") timers like \(name: timers[0].name) (every \(ns: timers[0].intervalNs, "interval_ns")) live at the end, \(rate) more each second: \(count: timers.map(\.life.ended).saturatedSum, "ended_timers") of them ended",
      headline: Finding.Headline(.other(Figure.count("", live).text), "timers live"),
      evidence: [
        .span(first, time, "from the first to the last that was added"),
        .noting(
          "\(count: atQuarters[1], "live_1"), \(count: atQuarters[2], "live_2"), \(count: atQuarters[3], "live_3") and \(count: live, "live_4") live after each quarter of the span"
        ),
      ],
      weight: live, subject: timers[0].name)
    finding.timer = timers[0].id
    finding.thread = timers[0].thread
    return finding
  }
}
