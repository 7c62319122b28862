import TraceAnalysis
import TraceFormat

/// An analysis as text for people, at most 100 columns wide.
public struct AnalysisText {
  /// Rows of a table before the rest is summed up in a line; JSON has all.
  static let shown = 12

  let analysis: Analysis
  private let verdict: Verdict
  let style: TextStyle

  /// `verdict`: of the whole trace, when `analysis` has only some of its rows.
  public init(_ analysis: Analysis, verdict: Verdict? = nil, style: TextStyle) {
    self.analysis = analysis
    self.verdict = verdict ?? Verdict(analysis)
    self.style = style
  }

  /// The report, line by line.
  public func lines(file: String, gapThresholdNs: UInt64) -> [String] {
    var out = [style.strong(TextTable.cut(harmless(file, limit: 200), 100))]
    if !analysis.trace.clean { out.append(style.alarm("NOT WHOLE: see the last section")) }
    out += AnalysisText.wrap(facts(), indent: "")
    out.append("")
    out += verdict.lines.map { TextTable.cut($0, 100) }.enumerated().map { number, line in
      number > 0 ? line : verdict.isGood ? style.good(line) : style.alarm(line)
    }
    out += section("Findings", findings())
    out += section("Modes", modes())
    out += section("Pass duration and wake-to-callout", latencies())
    out += section("Responsiveness", responsiveness())
    out += section("Timers", timers())
    out += section("Due points, by the mode that they came in", points())
    out += section("Lateness of timers, by cause", lateness())
    out += section("Gaps of \(Units.duration(gapThresholdNs)) and above", gaps())
    out += section("Busy intervals", busy())
    out += section("What stall monitors would report", detectors())
    out += section("Callouts, by time", callouts())
    out += section("Waits", waits())
    out += section("Intervals of the program", intervals())
    out += section("Marks of the program", marks())
    out += section("Life cycle", lifeCycle())
    out += section("What this recording cannot tell", analysis.notes.flatMap { AnalysisText.wrap($0) })
    return out
  }

  func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", style.strong(title)] + lines
  }

  func facts() -> String {
    let trace = analysis.trace
    let span = trace.toNs - trace.fromNs
    return "\(Units.duration(span)), \(trace.events) events, \(trace.lostEvents) lost, "
      + "capture level \(trace.captureLevel.name), time unit \(trace.timeUnitNs) ns"
      + (trace.suspendedNs > 0 ? ", suspended for \(Units.duration(trace.suspendedNs))" : "")
  }

  // MARK: Tables

  func modes() -> [String] {
    var table = TextTable(["mode", "loop", "time", "busy", "waiting", "busy %", "passes"], leftColumns: 2)
    for mode in analysis.modes {
      table.add([
        harmless(mode.mode), harmless(mode.loop, limit: 16), Units.duration(mode.timeNs),
        Units.duration(mode.busyNs),
        Units.duration(mode.waitingNs), Units.percent(mode.busyNs, of: mode.timeNs), "\(mode.passes)",
      ])
    }
    return table.isEmpty ? [] : cut(table.lines(style: style))
  }

  static let percentileTitles = ["p50", "p90", "p99", "p99.9", "max"]

  func percentiles(_ distribution: Distribution) -> [String] {
    guard distribution.count > 0 else { return Array(repeating: "–", count: 5) }
    return [distribution.p50, distribution.p90, distribution.p99, distribution.p999, distribution.max].map(
      Units.duration)
  }

  func latencies() -> [String] {
    // Where one loop ran, its name says nothing.
    let hasLoops = Set(analysis.modes.map(\.loop)).count > 1
    let places = hasLoops ? ["mode", "loop", ""] : ["mode", ""]
    var table = TextTable(places + ["count"] + AnalysisText.percentileTitles, leftColumns: places.count)
    for mode in analysis.modes {
      for (what, distribution) in [("pass", mode.passNs), ("wake-to-callout", mode.wakeToCalloutNs)] {
        let loop = hasLoops ? [harmless(mode.loop, limit: 16)] : []
        table.add(
          [harmless(mode.mode)] + loop + [what, "\(distribution.count)"] + percentiles(distribution))
      }
    }
    return table.isEmpty ? [] : cut(table.lines(style: style), limit: 2 * AnalysisText.shown)
  }

  func timers() -> [String] {
    var table = TextTable(["timer", "every", "due", "fired", "skipped", "withdrawn", "pending", "worst late"])
    for timer in ranked {
      let interval = timer.intervalNs == 0 ? "–" : Units.duration(timer.intervalNs)
      let objects = timer.objects > 1 ? " ×\(timer.objects)" : ""
      let name = harmless(timer.name) + objects
      if let ledger = timer.ledger {
        table.add([
          name, interval, "\(ledger.due)", "\(timer.fired)", "\(ledger.skipped)", "\(ledger.withdrawn)",
          "\(ledger.pending)", Units.duration(ledger.latenessNs.max),
        ])
      } else {
        table.add([name, interval, "?", "\(timer.fired)", "?", "?", "?", "?"])
      }
    }
    return table.isEmpty ? [] : cut(table.lines(style: style))
  }

  /// Most starved first.
  var ranked: [TimerResult] {
    analysis.timers.sorted {
      ($0.ledger?.skipped ?? 0, $0.fired, $1.name) > ($1.ledger?.skipped ?? 0, $1.fired, $0.name)
    }
  }

  func gaps() -> [String] {
    var lines: [String] = []
    for gap in analysis.gaps.sorted(by: { $0.durationNs > $1.durationNs }).prefix(AnalysisText.shown) {
      let open =
        (gap.isOpen ? ", still going at the end" : "")
        + (gap.suspendedNs > 0 ? ", and \(Units.duration(gap.suspendedNs)) suspended" : "")
        + (gap.isUncertain ? ", uncertain" : "")
      lines.append(
        TextTable.cut(
          "  \(Units.duration(gap.durationNs)) after \(gap.after.name) at \(Units.moment(gap.startNs)), "
            + "\(harmless(gap.mode)), thread \(thread(gap.thread))\(open)", 100))
      if let limit = gap.limitNs {
        lines.append(
          "    \(Units.percent(gap.durationNs, of: limit)) of the \(Units.duration(limit)) that the profile allows"
        )
      }
      lines += callouts(gap.callouts, gap.calloutNs, unexplained: gap.unexplainedNs, of: gap.durationNs)
    }
    return rest(lines, analysis.gaps.count + analysis.gapsOmitted, "gaps")
  }

  /// Who held a gap or a busy interval: its own time first, which is why it stands where it does.
  private func callouts(
    _ listed: [SpanCalloutResult], _ calloutNs: UInt64, unexplained: UInt64, of whole: UInt64
  ) -> [String] {
    let shown = listed.filter { $0.selfNs > 0 }
    var lines = shown.map { callout in
      TextTable.cut(
        "    \(Units.duration(callout.selfNs))  \(callout.kind) \"\(harmless(callout.name))\""
          + (callout.count > 1 ? ", \(callout.count) times" : ""), 100)
    }
    let others = calloutNs &- min(calloutNs, shown.reduce(0) { $0 &+ $1.selfNs })
    if others > whole / 10 { lines.append("    \(Units.duration(others))  other callouts") }
    if calloutNs == 0 {
      lines.append("    no recorded callout: something the recording does not see")
    } else if unexplained > whole / 10 {
      lines.append("    \(Units.duration(unexplained))  outside recorded callouts")
    }
    return lines
  }

  func busy() -> [String] {
    var lines: [String] = []
    for interval in analysis.busy.sorted(by: { $0.durationNs > $1.durationNs }).prefix(AnalysisText.shown) {
      let kind = interval.busyClass.map { ", \($0.name.with(" ", for: "_"))" } ?? ""
      let suspended =
        interval.suspendedNs > 0 ? ", and \(Units.duration(interval.suspendedNs)) suspended" : ""
      let outside = interval.outsideNs > 0 ? ", \(Units.duration(interval.outsideNs)) of it outside runs" : ""
      lines.append(
        TextTable.cut(
          "  \(Units.duration(interval.durationNs)) at \(Units.moment(interval.startNs)), from \(harmless(interval.mode)), "
            + "thread \(thread(interval.thread))\(kind)\(outside)\(suspended)\(interval.isOpen ? ", still going at the end" : "")",
          100))
      lines += callouts(
        interval.callouts, interval.calloutNs, unexplained: interval.unexplainedNs, of: interval.durationNs)
    }
    return rest(lines, analysis.busy.count + analysis.busyOmitted, "busy intervals")
  }

  func rest(_ lines: [String], _ total: Int, _ what: String) -> [String] {
    total <= AnalysisText.shown
      ? lines
      : lines + [
        "  … and \(total - AnalysisText.shown) shorter \(what); --format json lists the longest 1000"
      ]
  }

  func cut(_ lines: [String], limit: Int = AnalysisText.shown) -> [String] {
    lines.count <= limit + 1
      ? lines
      : lines.prefix(limit + 1) + ["  … and \(lines.count - limit - 1) more rows; --format json has all"]
  }

  func thread(_ index: UInt32) -> String {
    guard let thread = analysis.trace.threads.first(where: { $0.index == index }) else { return "\(index)" }
    return thread.isMain ? "main" : thread.name.isEmpty ? "\(index)" : harmless(thread.name, limit: 16)
  }

  /// Breaks a sentence at spaces into lines of 100 columns.
  static func wrap(_ text: String, indent: String = "  ") -> [String] {
    var lines: [String] = []
    var line = indent
    for word in text.split(separator: " ") {
      if line.count + word.count + 1 > 100, line.count > indent.count {
        lines.append(line)
        line = indent + "  "
      }
      line += (line.allSatisfy { $0 == " " } ? "" : " ") + word
    }
    return lines + [line]
  }
}
