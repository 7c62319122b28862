import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceTables

/// The tables of a report. Keys are those of `analyze --format json`.
struct ReportTables {
  let analysis: Analysis
  var names: NameList
  private let threadNames: ThreadNames
  static let percentiles = DistributionColumns.all.pageColumns.compactMap(\.heading).map {
    ("#\($0.title)", $0.tip)
  }

  init(analysis: Analysis, names: NameList) {
    self.analysis = analysis
    self.names = names
    threadNames = ThreadNames(analysis.trace.threads)
  }

  func thread(_ index: UInt32) -> String { threadNames[index] }

  /// `key`: of the distribution; nil = it stands nowhere else.
  func percentiles(_ distribution: Distribution, _ key: String?) -> [Cell] {
    DistributionColumns.all.pageColumns.map { Cell.of($0, distribution, key) }
  }

  // MARK: Modes

  mutating func modes() -> Table {
    var table = Table(
      LoopTables.modes, "Modes: time, passes, and what a moment would have waited",
      [("mode", "Of a loop, on a thread."), ("loop", ""), ("thread", "")])
    for (place, mode) in analysis.modes.enumerated() {
      table.add(
        [
          .name(mode.mode, &names, isHead: true), .name(mode.loop, &names),
          .name(thread(mode.thread), &names),
        ], LoopTables.modes, mode, at: place)
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
      TimerTables.timers, "Timers: what became of their due points",
      [
        ("timer", "A creation site, interval and modes."), ("modes", "In which it is."),
        ("#objects", "Timers of the class."), ("#every", "Its interval."),
      ])
    let places = Dictionary(
      analysis.timers.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { a, _ in a })
    for timer in analysis.timers.mostStarvedFirst {
      let place = places[timer.id] ?? 0
      let key = "timers[\(place)]"
      let modes = timer.isCommon ? "common modes" : timer.modes.joined(separator: ", ")
      table.add(
        [
          .name(timer.name, &names, isHead: true),
          .name(modes.isEmpty ? "in none" : modes, &names),
          .count(timer.objects, "\(key).objects"),
          timer.intervalNs > 0
            ? .ns(timer.intervalNs, "\(key).interval_ns") : timer.ledger == nil ? .none(nil) : .text("once"),
        ], TimerTables.timers, timer, at: place)
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
      CalloutTables.callouts, "Callouts, by time", [("callout", ""), ("kind", ""), ("thread", "")])
    for (place, callout) in analysis.callouts.enumerated().prefix(limit) {
      table.add(
        [
          .name(callout.name, &names, isHead: true), .text(callout.kind),
          .name(thread(callout.thread), &names),
        ], CalloutTables.callouts, callout, at: place)
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
