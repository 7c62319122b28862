import ReportWriting
import SystemSupport
import TraceAnalysis
import TraceReplay
import TraceTables

extension AnalysisText {
  func findings(limit: Int = AnalysisText.shown, more: String = Hint.json) -> [String] {
    var lines: [String] = []
    let indent = String(repeating: " ", count: 17)
    for finding in analysis.findings.prefix(limit) {
      let head = TextTable.pad("  \(finding.severity.name)", 10, left: true) + finding.rule.rawValue + "  "
      let body = style.wrapped(words(finding), indent: indent)
      guard let first = body.first else { continue }
      lines.append(head + first.dropFirst(head.count))
      lines += body.dropFirst()
      lines += subjects(of: finding, indent, limit: limit)
      lines += places(of: finding, indent)
      if let worth = finding.worth { lines += style.wrapped("worth: \(worth.sentence)", indent: indent) }
      if let evidence = finding.evidence.first(where: { $0.startNs != nil }), let start = evidence.startNs {
        lines.append("\(indent)at \(Units.moment(start))")
      }
    }
    return lines + Hint.more(analysis.findings.count - limit, more)
  }

  /// Returns the places in the source that the subjects' lines do not show.
  private func places(of finding: Finding, _ indent: String) -> [String] {
    let shown = Set(finding.members.compactMap { $0.subjectPlace?.frame.place })
    return finding.places.filter { $0.frame.place.map { !shown.contains($0) } ?? true }.flatMap { place in
      style.wrapped(elided(place.text, limit: Sentence.nameLimit), indent: indent)
    }
  }

  /// Returns one line with a number for each of several subjects: its name and interval, and the place of its code.
  private func subjects(of finding: Finding, _ indent: String, limit: Int) -> [String] {
    let named = finding.members.filter { !$0.listedName.isEmpty && $0.headline != nil }
    let shown = named.prefix(limit)
    let width = shown.compactMap { $0.headline?.value.count }.max() ?? 0
    let lines = shown.map { member in
      let timer = member.timer.flatMap { id in analysis.timers.first { $0.id == id } }
      let details =
        (timer.map {
          $0.isRemainder ? "" : ", \($0.intervalNs == 0 ? "one-shot" : "every \($0.intervalText)")"
        } ?? "")
        + (member.subjectPlace?.frame.shortPlace.map { "  " + harmless($0, limit: 40) } ?? "")
      return indent + TextTable.pad(member.headline?.value ?? "", width, left: false) + "  "
        + elided(member.listedName, limit: max(style.width - indent.count - width - 2 - details.count, 12))
        + details
    }
    let left = named.count - shown.count
    return left > 0 ? lines + ["\(indent)… and \(Phrase.count(left, "more", "more"))"] : lines
  }

  func responsiveness() -> [String] {
    guard let input = analysis.inputDelay else { return [] }
    let delay = input.delay
    var lines = wrap(
      "wait of an event that arrives \(on(input.thread)) at a random moment: median \(Units.duration(delay.p50)), "
        + "p99 \(Units.duration(delay.p99)), longest \(Units.duration(delay.max))"
    )
    if let busy = analysis.utilisation.first(where: { $0.thread == input.thread }) {
      lines += wrap(
        "busy for \(Units.percent(busy.busyNs, of: busy.busyNs &+ busy.waitingNs)) of the time; "
          + "\(Phrase.count(input.hangs, "hang", "hangs")) of \(Units.duration(BusyClass.hangNs)) or more, \(Units.significant(input.hangRate)) s of hangs per hour"
      )
    }
    return lines
  }

  /// The callouts. If several threads have callouts of one name, their names include the thread.
  var callouts: [CalloutResult] {
    let rows = Dictionary(grouping: analysis.callouts) { "\($0.kind) \($0.name)" }
    return analysis.callouts.map {
      var callout = $0
      if (rows["\(callout.kind) \(callout.name)"] ?? []).count > 1 {
        callout.name = "\(written(callout.name)) (thread \(thread(callout.thread)))"
      }
      return callout
    }
  }

  func waits() -> [String] {
    var lines = table(
      LatencyTables.waits,
      LatencyTables.ofSources(analysis.sources) + LatencyTables.ofQueues(analysis.queues))
    let empty = analysis.modes.reduce(0) { $0 + ($1.emptyWakes ?? 0) }
    let wakes = analysis.modes.reduce(0) { $0 + $1.wakes }
    if empty > 0 {
      lines.append("  after \(empty) of \(Phrase.count(wakes, "wake-up", "wake-ups")), only observers ran")
    }
    return lines
  }

  func lifeCycle() -> [String] {
    let life = analysis.lifeCycle
    guard !life.isEmpty else { return [] }
    var lines: [String] = []
    for span in life.phases.prefix(AnalysisText.shown) {
      let used =
        span.limitNs.map {
          ", longest busy interval \(Units.duration(span.longestBusyNs)), "
            + "\(Units.percent(span.longestBusyNs, of: $0)) of the limit of \(Units.duration($0))"
        } ?? ""
      lines += wrap(
        "\(TextTable.pad(span.phase.name, 12, left: true)) \(Units.duration(span.durationNs)) from \(Units.moment(span.startNs))\(used)"
      )
    }
    for stay in life.stays.prefix(4) {
      let clocks = [
        stay.wallNs.map { "wall clock \($0 < 0 ? "−" : "")\(Units.duration($0.magnitude))" },
        stay.bootNs.map { "boot time \(Units.duration($0))" },
      ]
      lines += wrap(
        "in the background for \(Units.duration(stay.durationNs)) from \(Units.moment(stay.startNs))"
          + clocks.compactMap { $0 }.map { ", \($0)" }.joined()
          + ", suspended for \(Units.duration(stay.suspendedNs))"
          + (stay.doubledMarks > 0
            ? "; \(Phrase.count(stay.doubledMarks, "mark", "marks")) repeated the previous mark" : "")
          + (stay.isOpen ? "; not over at the end" : ""))
      if let setNs = stay.clockSetNs {
        lines += wrap(
          "  the wall clock was set \(setNs < 0 ? "back" : "forward") by \(Units.duration(setNs.magnitude)) meanwhile: a time measured with that clock is wrong by as much"
        )
      }
    }
    for task in life.tasks.prefix(8) {
      let budget =
        task.budgetNs > 0 ? " of \(Units.duration(task.budgetNs)), \(Units.duration(task.leftNs)) left" : ""
      lines.append(
        "  task \"\(harmless(task.name))\" \(task.outcome.rawValue) after \(Units.duration(task.usedNs))\(budget)"
      )
    }
    if life.tasks.count > 1 {
      lines.append(
        "  \(life.tasks.count) tasks used \(Units.duration(life.tasksUsedNs)) in total; "
          + "at least one was open for \(Units.duration(life.tasksCoveredNs)) in the background")
    }
    for service in life.services.prefix(4) {
      lines += wrap(
        "service \"\(harmless(service.name))\" on for \(Units.duration(service.onNs)), "
          + "\(Units.significant(service.dutyCycle * 100)) % of the time, \(Phrase.count(service.starts, "start", "starts"))"
      )
    }
    if !life.unprotected.isEmpty {
      lines.append("  in the background without a task or service: \(Units.duration(life.unprotectedNs))")
    }
    for timer in life.timers.prefix(4) {
      lines.append(
        "  timer \"\(harmless(timer.name))\" lost \(Phrase.count(timer.lost, "fire", "fires")) to suspension: on return, add \(Units.duration(timer.compensationNs)) to a clock that counts them"
      )
    }
    return lines
  }

  /// Returns one line for each detector, and the hangs that it does not report, by reason.
  func detectors() -> [String] {
    let results = analysis.detectors
    guard results.contains(where: { $0.count > 0 }) else { return [] }
    return results.enumerated().flatMap { number, detector -> [String] in
      let kinds = Dictionary(grouping: detector.reports, by: \.what).map { ($0.key, $0.value.count) }.ordered
      {
        $0.0 < $1.0
      }
      let what = kinds.map { "\($0.1) \($0.0.with(" ", for: "_"))" }.joined(separator: ", ")
      let line =
        "  " + TextTable.pad(detector.name, 18, left: true)
        + (detector.count == 0 ? "no reports" : "\(detector.count): \(what)")
      return [line] + silence(number)
    }
  }

  /// Returns one line for each reason why a detector does not report hangs, with the longest of them.
  private func silence(_ detector: Int) -> [String] {
    let silent = analysis.incidents.filter { detector < $0.silence.count && $0.silence[detector] != nil }
    let reasons = Dictionary(grouping: silent) { $0.silence[detector] ?? "" }
    return reasons.ordered { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.flatMap { reason, hangs in
      let longest = hangs.max { $0.durationNs < $1.durationNs }
      let example = longest.map { hang in
        let who = hang.callout.map { ", \"\(harmless($0, limit: 32))\"" } ?? ""
        let suspended = hang.suspendedNs > 0 ? " (\(Units.duration(hang.suspendedNs)) suspended)" : ""
        return "\(Units.duration(hang.durationNs))\(suspended) at \(Units.moment(hang.startNs))\(who)"
      }
      let which = hangs.count == 1 ? "" : "\(hangs.count) hangs, the longest "
      return wrap("not reported: \(which)\(example ?? ""): \(reason)", indent: "    ")
    }
  }
}
