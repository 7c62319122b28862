import TraceAnalysis
import TraceFormat

extension AnalysisText {
  func findings() -> [String] {
    var lines: [String] = []
    for finding in analysis.findings.prefix(AnalysisText.shown) {
      let head = "  \(finding.severity.name)".padding(10) + finding.rule.rawValue + "  "
      let body = AnalysisText.wrap(
        finding.text + (finding.remedy.isEmpty ? "" : " " + finding.remedy), indent: "                 ")
      guard let first = body.first else { continue }
      lines.append(head + first.dropFirst(head.count))
      lines += body.dropFirst()
      if let evidence = finding.evidence.first(where: { $0.startNs != nil }), let start = evidence.startNs {
        lines.append("                 at \(Units.moment(start))")
      }
    }
    let left = analysis.findings.count - AnalysisText.shown
    return left > 0 ? lines + ["  … and \(left) more; --format json has all"] : lines
  }

  func responsiveness() -> [String] {
    guard let input = analysis.inputDelay else { return [] }
    let delay = input.delay
    var lines = AnalysisText.wrap(
      "an event that arrived at any moment on thread \(thread(input.thread)) would have waited "
        + "p50 \(Units.duration(delay.p50)), p99 \(Units.duration(delay.p99)), max \(Units.duration(delay.max))"
    )
    if let busy = analysis.utilisation.first(where: { $0.thread == input.thread }) {
      lines += AnalysisText.wrap(
        "busy \(Units.percent(busy.busyNs, of: busy.busyNs &+ busy.waitingNs)) of the time; "
          + "\(input.hangs) hangs of more than 250 ms, \(Units.significant(input.hangRate)) s of hanging an hour"
      )
    }
    return lines
  }

  func callouts() -> [String] {
    var table = TextTable(["callout", "kind", "count", "time", "longest", "worst pass"], leftColumns: 2)
    for row in analysis.callouts {
      table.add([
        harmless(row.name), row.kind, "\(row.count)", Units.duration(row.timeNs),
        Units.duration(row.longestNs),
        Units.duration(row.worstPassNs),
      ])
    }
    return table.isEmpty ? [] : cut(table.lines(style: style), limit: 8)
  }

  func waits() -> [String] {
    var table = TextTable(["from", "", "count", "p50", "p90", "p99", "p99.9", "max"], leftColumns: 2)
    for source in analysis.sources where source.signalToCalloutNs.count > 0 {
      table.add(
        [
          "signal of " + harmless(source.name, limit: 28), "to its callout",
          "\(source.signalToCalloutNs.count)",
        ]
          + percentiles(source.signalToCalloutNs))
    }
    for (name, wait) in [
      ("block queued", analysis.queues.blockWaitNs), ("main-queue block", analysis.queues.mainQueueWaitNs),
    ] where wait.count > 0 {
      table.add([name, "to its begin", "\(wait.count)"] + percentiles(wait))
    }
    var lines = table.isEmpty ? [] : cut(table.lines(style: style))
    let empty = analysis.modes.reduce(0) { $0 + ($1.emptyWakes ?? 0) }
    let wakes = analysis.modes.reduce(0) { $0 + $1.wakes }
    if empty > 0 { lines.append("  \(empty) of \(wakes) wake-ups ran nothing but observers") }
    return lines
  }

  func lifeCycle() -> [String] {
    let life = analysis.lifeCycle
    guard !life.isEmpty else { return [] }
    var lines: [String] = []
    for span in life.phases.prefix(AnalysisText.shown) {
      let used =
        span.limitNs.map {
          ", busy for up to \(Units.duration(span.longestBusyNs)), "
            + "\(Units.percent(span.longestBusyNs, of: $0)) of \(Units.duration($0))"
        } ?? ""
      lines.append(
        "  \(span.phase.name.padding(12)) \(Units.duration(span.durationNs)) from \(Units.moment(span.startNs))\(used)"
      )
    }
    for stay in life.stays.prefix(4) {
      let clocks = [
        stay.wallNs.map { "wall clock \(Units.duration(UInt64(max($0, 0))))" },
        stay.bootNs.map { "boot time \(Units.duration($0))" },
      ]
      lines += AnalysisText.wrap(
        "in the background for \(Units.duration(stay.durationNs)) from \(Units.moment(stay.startNs))"
          + clocks.compactMap { $0 }.map { ", \($0)" }.joined()
          + ", suspended for \(Units.duration(stay.suspendedNs))"
          + (stay.doubledMarks > 0 ? "; told \(stay.doubledMarks) times too often" : "")
          + (stay.isOpen ? "; not over at the end" : ""))
    }
    for task in life.tasks.prefix(8) {
      let budget =
        task.budgetNs > 0 ? " of \(Units.duration(task.budgetNs)), \(Units.duration(task.leftNs)) left" : ""
      lines.append(
        TextTable.cut(
          "  task \"\(harmless(task.name))\" \(task.outcome.rawValue) after \(Units.duration(task.usedNs))\(budget)",
          100))
    }
    if life.tasks.count > 1 {
      lines.append(
        "  \(life.tasks.count) tasks used \(Units.duration(life.tasksUsedNs)) in all, "
          + "and covered \(Units.duration(life.tasksCoveredNs)) of the background")
    }
    for service in life.services.prefix(4) {
      lines.append(
        "  service \"\(harmless(service.name))\" on for \(Units.duration(service.onNs)), "
          + "\(Units.significant(service.dutyCycle * 100)) % of the time, \(service.starts) starts")
    }
    if !life.unprotected.isEmpty {
      lines.append("  in the background with neither task nor service: \(Units.duration(life.unprotectedNs))")
    }
    for timer in life.timers.prefix(4) {
      lines.append(
        TextTable.cut(
          "  timer \"\(harmless(timer.name))\" lost \(timer.lost) fires: add \(Units.duration(timer.compensationNs)) on return",
          100))
    }
    return lines
  }

  /// One line a detector, and where they disagree, why.
  func detectors() -> [String] {
    let results = analysis.detectors
    guard results.contains(where: { $0.count > 0 }) else { return [] }
    var lines: [String] = []
    for detector in results {
      let kinds = Dictionary(grouping: detector.reports, by: \.what).map { ($0.key, $0.value.count) }.sorted {
        $0.0 < $1.0
      }
      let what = kinds.map { "\($0.1) \($0.0.with(" ", for: "_"))" }.joined(separator: ", ")
      lines.append(
        "  " + detector.rule.rawValue.padding(18)
          + (detector.count == 0 ? "nothing" : "\(detector.count): \(what)"))
    }
    for incident in analysis.incidents.filter({ $0.silence.contains { $0 != nil } }).prefix(6) {
      let who = incident.callout.map { ", \"\(harmless($0, limit: 32))\"" } ?? ""
      let suspended = incident.suspendedNs > 0 ? " (\(Units.duration(incident.suspendedNs)) suspended)" : ""
      lines.append(
        TextTable.cut(
          "  \(Units.duration(incident.durationNs))\(suspended) at \(Units.moment(incident.startNs))\(who): silent are",
          100))
      for (detector, reason) in zip(results, incident.silence) {
        if let reason { lines.append("    " + detector.rule.rawValue.padding(18) + reason) }
      }
    }
    return lines
  }
}

extension String {
  /// At least so wide.
  func padding(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
