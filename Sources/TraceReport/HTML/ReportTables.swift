import TraceAnalysis
import TraceReplay
import TraceFormat

/// The tables of a report. Keys are those of `analyze --format json`.
struct ReportTables {
  let analysis: Analysis
  var names: NameList
  private let threadNames: ThreadNames
  static let percentiles = [
    ("#p50", "Half of them are at most this long, within 0.5 %."), ("#p90", "Nine of ten, within 0.5 %."),
    ("#p99", "99 of 100, within 0.5 %."), ("#p99.9", "999 of 1000, within 0.5 %."), ("#max", "Exact."),
  ]

  init(analysis: Analysis, names: NameList) {
    self.analysis = analysis
    self.names = names
    threadNames = ThreadNames(analysis.trace.threads)
  }

  func thread(_ index: UInt32) -> String { threadNames[index] }

  /// `key`: of the distribution; nil = it stands nowhere else.
  func percentiles(_ distribution: Distribution, _ key: String?) -> [Cell] {
    let values = [
      ("p50", distribution.p50), ("p90", distribution.p90), ("p99", distribution.p99),
      ("p999", distribution.p999),
      ("max", distribution.max),
    ]
    return values.map { name, ns in .percentile(ns, of: distribution, key.map { "\($0).\(name)" }) }
  }

  // MARK: Modes

  mutating func modes() -> Table {
    var table = Table(
      "modes", "Modes: time, passes, and what a moment would have waited",
      [
        ("mode", "Of a loop, on a thread."), ("loop", ""), ("thread", ""),
        ("#time", "Time that belongs to the mode: each instant to the mode of the innermost run."),
        ("#busy", "Not waiting."), ("#waiting", "From BeforeWaiting to AfterWaiting."),
        ("#busy share", "busy ÷ (busy + waiting)."), ("#passes", "Complete ones."),
        ("#polls", "Passes that did not wait."), ("#wakes", "Waits that ended."),
        ("#for nothing", "Wakes after which nothing but observers ran."),
        ("#suspended", "The process did not run: beside the time."),
      ])
    for (place, mode) in analysis.modes.enumerated() {
      let key = "modes[\(place)]"
      table.add([
        .name(mode.mode, &names, isHead: true), .name(mode.loop, &names), .name(thread(mode.thread), &names),
        .ns(mode.timeNs, "\(key).time_ns"), .ns(mode.busyNs, "\(key).busy_ns"),
        .ns(mode.waitingNs, "\(key).waiting_ns"),
        .share(share(mode.busyNs, of: mode.busyNs &+ mode.waitingNs), "\(key).utilisation"),
        .count(mode.passes, "\(key).passes"), .count(mode.polls, "\(key).polls"),
        .count(mode.wakes, "\(key).wakes"), .known(count: mode.emptyWakes, "\(key).wakes_for_nothing"),
        .ns(mode.suspendedNs, "\(key).suspended_ns"),
      ])
    }
    return table
  }

  mutating func latencies() -> Table {
    var table = Table(
      "latencies", "Latencies by mode",
      [
        ("mode", ""), ("thread", ""),
        (
          "what",
          "Pass: without waiting, nested runs and suspension. Wake-to-callout: from "
            + "AfterWaiting to the first callout other than an observer."
        ), ("#count", ""),
        ("#min", "Exact."),
      ] + Self.percentiles)
    for (place, mode) in analysis.modes.enumerated() {
      let rows = [
        ("pass", mode.passNs, "pass_ns"), ("wake-to-callout", mode.wakeToCalloutNs, "wake_to_callout_ns"),
      ]
      for (title, distribution, name) in rows {
        let key = "modes[\(place)].\(name)"
        table.add(
          [
            .name(mode.mode, &names, isHead: true), .name(thread(mode.thread), &names), .text(title),
            .count(distribution.count, "\(key).count"),
            .percentile(distribution.min, of: distribution, "\(key).min"),
          ] + percentiles(distribution, key))
      }
    }
    for (title, distribution, key) in [
      ("block until begin", analysis.queues.blockWaitNs, "queues.block_wait_ns"),
      ("main-queue block until begin", analysis.queues.mainQueueWaitNs, "queues.main_queue_wait_ns"),
    ] where distribution.count > 0 {
      table.add(
        [
          .text("(all)"), .text("(all)"), .text(title), .count(distribution.count, "\(key).count"),
          .ns(distribution.min, "\(key).min"),
        ] + percentiles(distribution, key))
    }
    return table
  }

  // MARK: Timers

  mutating func timers() -> Table {
    var table = Table(
      "timers", "Timers: what became of their due points",
      [
        ("timer", "A creation site, interval and modes."), ("modes", "In which it is."),
        ("#objects", "Timers of the class."), ("#every", "Its interval."),
        ("#due", "= fired + skipped + withdrawn + pending."), ("#fired", "Callouts that the loop began."),
        ("#skipped", "Grid points that the loop dropped."),
        ("#withdrawn", "Due points that were moved or invalidated before they fired."),
        ("#pending", "Overdue at the end."),
        ("#mean late", "Of fires: the callout's begin less the due point."),
      ] + Self.percentiles.map { ($0.0 + " late", $0.1) } + [
        ("#callout time", "Of its callouts, in all modes."), ("#longest callout", ""),
      ])
    let places = Dictionary(
      analysis.timers.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { a, _ in a })
    for timer in analysis.timers.mostStarvedFirst {
      let key = "timers[\(places[timer.id] ?? 0)]"
      let ledger = timer.ledger
      let modes = timer.isCommon ? "common modes" : timer.modes.joined(separator: ", ")
      let late = ledger?.latenessNs
      table.add(
        [
          .name(timer.name, &names, isHead: true),
          .name(modes.isEmpty ? "in none" : modes, &names),
          .count(timer.objects, "\(key).objects"),
          timer.intervalNs > 0
            ? .ns(timer.intervalNs, "\(key).interval_ns") : ledger == nil ? .none(nil) : .text("once"),
          .known(count: ledger?.due, "\(key).due"), .count(timer.fired, "\(key).fired"),
          .known(count: ledger?.skipped, "\(key).skipped"),
          .known(count: ledger?.withdrawn, "\(key).withdrawn"),
          .known(count: ledger?.pending, "\(key).pending"),
          late.flatMap { $0.count > 0 ? .ns($0.sum / $0.count) : nil } ?? .none(nil),
        ] + percentiles(late ?? Distribution(), "\(key).lateness_ns") + [
          .ns(timer.calloutNsByMode.reduce(0) { $0 &+ $1.ns }),
          .ns(timer.longestCalloutNs, "\(key).longest_callout_ns"),
        ])
    }
    return table
  }

  mutating func causes() -> Table {
    var table = Table(
      "causes", "Lateness of timers by cause: fires by time, skipped points by number",
      [("timer", ""), ("#late in all", "The sum over its fires.")]
        + Cause.allCases.map { ("#" + $0.words, $0.meaning) })
    let places = Dictionary(
      analysis.timers.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { a, _ in a })
    for timer in analysis.timers.mostStarvedFirst {
      guard let ledger = timer.ledger, ledger.latenessNs.sum > 0 || ledger.skipped > 0 else { continue }
      let key = "timers[\(places[timer.id] ?? 0)]"
      table.add(
        [.name(timer.name, &names, isHead: true), .ns(ledger.latenessNs.sum, "\(key).lateness_ns.sum")]
          + Cause.allCases.map {
            let time = ledger.ledgerNs[$0, default: 0]
            let skipped = ledger.skippedBy[$0, default: 0]
            var cell = Cell.ns(time, ledger.ledgerNs[$0] == nil ? nil : "\(key).ledger_ns.\($0.name)")
            if skipped > 0 { cell.text += " + \(Cell.grouped(skipped)) skipped" }
            if time == 0, skipped == 0 { cell.text = "" }
            return cell
          })
    }
    return table
  }

  // MARK: Gaps and callouts

  mutating func gaps() -> Table {
    var table = Table(
      "gaps", "Gaps: where a loop was held",
      [
        ("#at", "Seconds since the recording's origin."),
        ("#length", "From one activity to the next, waiting excluded, suspension subtracted."),
        ("after", "The activity that it follows."), ("mode", "Of the innermost run when it began."),
        ("thread", ""), ("callout", "What took most of it by itself, callouts inside it left out."),
        ("#by itself", "Its time outside callouts inside it."), ("#callouts", "That ran in it."),
        ("#suspended", "Beside the length."),
        ("#limit", "Of the profile."), ("remarks", ""), ("stack", "Where the program stood."),
      ])
    let ordered = analysis.gaps.enumerated().sorted { $0.element.durationNs > $1.element.durationNs }
    for (place, gap) in ordered {
      let key = "gaps[\(place)]"
      let remarks =
        [
          gap.isOpen ? "still going at the end" : nil, gap.isUncertain ? "uncertain" : nil,
          gap.isOutside ? "outside any run" : nil,
        ]
        .compactMap { $0 }.joined(separator: ", ")
      let first = gap.callouts.first
      table.add([
        .moment(gap.startNs, length: gap.durationNs &+ gap.suspendedNs, "\(key).start_ns"),
        .ns(gap.durationNs, "\(key).duration_ns"), .text(gap.after.name, "\(key).after"),
        .name(gap.mode, &names), .name(thread(gap.thread), &names),
        .name(first.map { "\($0.kind) \($0.name)" } ?? "none was recorded", &names),
        first.map { .ns($0.selfNs, "\(key).callouts[0].self_ns") } ?? .none(nil),
        .count(gap.calloutCount, "\(key).callout_count"), .ns(gap.suspendedNs, "\(key).suspended_ns"),
        .known(gap.limitNs, "\(key).limit_ns"), .text(remarks), .text("no stacks recorded"),
      ])
    }
    if analysis.gapsOmitted > 0 { table.rest = "\(analysis.gapsOmitted) shorter ones are not listed." }
    return table
  }

  mutating func callouts() -> Table {
    let limit = 100
    var table = Table(
      "callouts", "Callouts, by time",
      [
        ("callout", ""), ("kind", ""), ("thread", ""),
        ("#count", "That ran, those under way at the end among them."),
        ("#time", "Without runs that they started."), ("#longest", ""),
        ("#at", "When the longest began."), ("#worst pass", "The most that one pass spent in them."),
        ("#nested", "Inside runs that they started."),
      ])
    for (place, callout) in analysis.callouts.enumerated().prefix(limit) {
      let key = "callouts[\(place)]"
      table.add([
        .name(callout.name, &names, isHead: true), .text(callout.kind),
        .name(thread(callout.thread), &names),
        .count(callout.count, "\(key).count"), .ns(callout.timeNs, "\(key).time_ns"),
        .ns(callout.longestNs, "\(key).longest_ns"),
        .moment(callout.longestStartNs, length: callout.longestNs, "\(key).longest_start_ns"),
        .ns(callout.worstPassNs, "\(key).worst_pass_ns"), .ns(callout.nestedNs, "\(key).nested_ns"),
      ])
    }
    if analysis.callouts.count > limit {
      table.rest =
        "\(analysis.callouts.count - limit) with less time are not in this table; analyze --format json has all."
    }
    return table
  }
}

extension Cause {
  var words: String { name.with(" ", for: "_") }

  /// When it holds; the first that holds counts.
  var meaning: String {
    switch self {
    case .suspended: "The process did not run, by recorded evidence."
    case .unknown: "Events were lost, or the recording cannot tell."
    case .notRunning: "No run of the timer's loop was active."
    case .ownCallout: "The timer's own callout was on the stack."
    case .wrongMode: "The innermost run's mode lacks the timer."
    case .busy: "A callout or observer was running."
    case .tolerance: "Within the timer's tolerance."
    case .scheduler: "The rest: the loop was waiting, and the wake-up came late."
    }
  }
}

extension [TimerResult] {
  var mostStarvedFirst: [TimerResult] {
    sorted {
      ($0.ledger?.skipped ?? 0, $0.fired, $1.name) > ($1.ledger?.skipped ?? 0, $1.fired, $0.name)
    }
  }
}
