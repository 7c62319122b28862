import ReportWriting
import SystemSupport
import TraceAnalysis
import TraceReplay
import TraceTables

/// Writes an analysis as text for people, in the width of the style.
package struct AnalysisText {
  /// The number of table rows before a line sums up the rest; JSON has all rows.
  package static let shown = 12

  let analysis: Analysis
  let style: TextStyle
  /// The length from which gaps are listed.
  let gapThresholdNs: UInt64
  /// Timers with distinct names, the most starved first.
  let ranked: [TimerResult]
  /// The short forms of the names in the findings' sentences.
  let shortNames: [String: String]

  package init(_ analysis: Analysis, gapThresholdNs: UInt64, style: TextStyle) {
    self.analysis = analysis
    self.gapThresholdNs = gapThresholdNs
    self.style = style
    ranked = AnalysisText.ranked(analysis.timers)
    let sentences = analysis.findings.flatMap { finding in
      finding.subjects.flatMap { [$0.sentence, $0.advice] } + [finding.sentence]
    }
    let names = sentences.flatMap(\.names).map(Sentence.written)
    shortNames = RowLabels.shortened(names, limit: max(style.width - 40, 24))
  }

  /// Returns the lines of the report. `isBrief`: the verdict, the first findings, and the next commands.
  package func lines(file: String, isBrief: Bool = false) -> [String] {
    var out = [style.strong(elided(file, limit: style.width))]
    if !analysis.trace.clean {
      out.append(
        style.alarm(
          isBrief ? "INCOMPLETE: the full report gives the reason" : "INCOMPLETE: see the last section"))
    }
    out += wrap(facts(), indent: "")
    out += end()
    out.append("")
    out += verdict()
    if isBrief {
      out += section("Findings", findings(limit: AnalysisText.briefShown, more: Hint.full))
      let name = ShellWords.line([harmless(file, limit: .max)])
      return out + next([Hint.analyzeFull(name), Hint.report(name)] + explain())
    }
    out += section("Findings", findings())
    out += sections()
    return out + next()
  }

  func words(_ finding: Finding) -> String {
    "\(sentence(finding.sentence))." + (finding.advice.isEmpty ? "" : " \(sentence(finding.advice))")
  }

  /// Returns the sentence with names that fit in a line.
  func sentence(_ sentence: Sentence) -> String {
    sentence.text { name in
      let written = Sentence.written(name)
      return shortNames[written] ?? written
    }
  }

  private static func ranked(_ timers: [TimerResult]) -> [TimerResult] {
    let labels = RowLabels.labels(
      timers.map { timer in
        (
          timer.hasSeveralNames
            ? "\(timer.objects) timers" : elided(timer.name, limit: Sentence.nameLimit),
          [
            timer.site.isEmpty || timer.site == timer.name ? "" : elided(timer.site, limit: 60),
            timer.intervalNs == 0 && !timer.isRemainder ? "one-shot" : timer.intervalText,
            timer.isCommon
              ? "common modes" : timer.modes.map { elided($0, limit: 30) }.joined(separator: ", "),
            timer.thread.map { "thread \($0)" } ?? "no thread",
          ]
        )
      })
    return timers.mostStarvedFirst.map { place in
      var timer = timers[place]
      timer.names = [labels[place]]
      timer.hasMoreNames = false
      return timer
    }
  }

  /// Returns the end of the process; nothing if it continues, or if only a part of the recording was analyzed.
  private func end() -> [String] {
    switch analysis.end.kind {
    case .notRecorded, .notInSpan, .running: []
    default: wrap("End: \(analysis.end.text)", indent: "")
    }
  }

  func runningAtEnd() -> [String] {
    analysis.end.isWorthReporting ? table(EndTables.callouts, analysis.end.callouts) : []
  }

  func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", style.strong(TextTable.cut(title, style.width))] + lines.map(style.fitting)
  }

  func facts() -> String {
    let trace = analysis.trace
    let span = trace.toNs - trace.fromNs
    return
      "\(Units.duration(span)), \(Phrase.count(trace.events, "event", "events")), \(trace.lostEvents) lost, "
      + "capture level \(trace.captureLevel.name), time unit \(trace.timeUnitNs) ns"
      + (trace.suspendedNs > 0 ? ", suspended for \(Units.duration(trace.suspendedNs))" : "")
  }

  // MARK: Tables

  /// The loop labels by row of `modes`. Loops with the same name get different labels.
  private var loopLabels: [String] {
    let loops = analysis.modes.map { mode in
      let marks = [harmless(threadName(mode.thread), limit: 24), "thread \(mode.thread)"]
      return (name: elided(mode.loop, limit: 80), marks: marks)
    }
    // A loop has a row for each of its modes.
    let keys = loops.map { "\($0.name) \($0.marks[1])" }
    let distinct = Dictionary(zip(keys, loops)) { first, _ in first }
    let labels = Dictionary(zip(distinct.keys, RowLabels.labels(Array(distinct.values)))) { first, _ in first
    }
    return keys.map { labels[$0] ?? $0 }
  }

  private func threadName(_ index: UInt32) -> String {
    analysis.trace.threads.first { $0.index == index }?.name ?? ""
  }

  /// Returns the rows of a result with the columns that its declaration assigns to text.
  func table<Row>(
    _ result: @autoclosure () -> ResultTable<Row>, _ rows: [Row], limit: Int = AnalysisText.shown
  ) -> [String] {
    guard !rows.isEmpty else { return [] }
    let result = result(), shown = Array(rows.prefix(limit))
    let table = TextTable(result.columns(for: .text, showing: shown), shown, thread: thread)
    let left = rows.count - limit
    return table.lines(style: style)
      + (left > 0 ? ["  … and \(Phrase.count(left, "more row", "more rows")); \(Hint.json)"] : [])
  }

  /// The modes with distinct loop names.
  var modes: [ModeResult] {
    zip(analysis.modes, loopLabels).map { mode, label in
      var mode = mode
      mode.loop = label
      return mode
    }
  }

  func latencies() -> [String] {
    let isOneLoop = Set(analysis.modes.map(\.loop)).count < 2
    return table(
      isOneLoop ? LatencyTables.ofOneLoop : LatencyTables.latencies,
      LatencyTables.ofModes(modes.filter { $0.mode != ModeName.noRunLoop }),
      limit: 2 * AnalysisText.shown)
  }

  func timers() -> [String] {
    let several = analysis.timers.filter(\.hasSeveralNames)
    let namesOf = Dictionary(several.map { ($0.id, $0) }) { first, _ in first }
    let lines = table(
      TimerTables.timers,
      ranked.map {
        var timer = $0
        if timer.objects > 1, namesOf[timer.id] == nil { timer.names[0] += " ×\(timer.objects)" }
        return timer
      })
    return lines
      + ranked.prefix(AnalysisText.shown).flatMap { timer in
        namesOf[timer.id].map { several in
          let names = several.names.map(Sentence.written) + (several.hasMoreNames ? ["others"] : [])
          return wrap("\(timer.name): \(names.joined(separator: ", "))")
        } ?? []
      }
  }

  func gaps() -> [String] {
    let shown = longest(analysis.gaps).flatMap { gap in
      let after = gap.mode == ModeName.noRunLoop ? "" : " after \(gap.after.name)"
      let line =
        "  \(Units.duration(gap.durationNs))\(after) at \(Units.moment(gap.startNs)), "
        + "\(harmless(gap.mode)), thread \(thread(gap.thread))\(remarks(gap))\(gap.isUncertain ? ", uncertain" : "")"
      let limit = gap.limitNs.map {
        "    \(Units.percent(gap.durationNs, of: $0)) of the \(Units.duration($0)) that the profile allows"
      }
      return [line] + [limit].compactMap(\.self) + blame(gap) + callouts(gap)
    }
    return rest(shown, analysis.gaps.count + analysis.gapsOmitted, "gaps")
  }

  func busy() -> [String] {
    let shown = longest(analysis.busy).flatMap { interval in
      let kind = interval.busyClass.map { ", \($0.name.with(" ", for: "_"))" } ?? ""
      let outside = interval.outsideNs > 0 ? ", \(Units.duration(interval.outsideNs)) of it outside runs" : ""
      let line =
        "  \(Units.duration(interval.durationNs)) at \(Units.moment(interval.startNs)), from \(harmless(interval.mode)), "
        + "thread \(thread(interval.thread))\(kind)\(outside)\(remarks(interval))"
      return [line] + blame(interval) + callouts(interval)
    }
    return rest(shown, analysis.busy.count + analysis.busyOmitted, "busy intervals")
  }

  func longestFirst(_ stalls: [StallResult]) -> [StallResult] {
    stalls.ordered { ($1.durationNs, $0.startNs) < ($0.durationNs, $1.startNs) }
  }

  private func longest<Span: LongSpan>(_ spans: [Span]) -> ArraySlice<Span> {
    spans.ordered { $0.durationNs > $1.durationNs }.prefix(AnalysisText.shown)
  }

  private func remarks(_ span: some LongSpan) -> String {
    (span.isOpen ? ", not over at the end" : "")
      + (span.suspendedNs > 0 ? ", plus \(Units.duration(span.suspendedNs)) suspended" : "")
  }

  /// Returns the function that held the loop in a span.
  private func blame(_ span: some LongSpan) -> [String] {
    guard let stall = analysis.stall(of: span) else { return [] }
    let holder = stall.holder
    guard let place = stall.holderPlace ?? stall.entry else { return [] }
    let cause = stall.cause == .unknown && !stall.isShared ? "" : ", \(stall.causeSentence.text())"
    let by = stall.place == nil ? "in" : "by"
    return [
      "    blocked for \(Units.duration(holder?.ns ?? stall.blamedNs)) \(by) \"\(elided(place, limit: max(style.width - 50, 24)))\"\(cause)"
    ]
  }

  /// Returns the callouts in the span. Their own time comes first because it determines the order.
  private func callouts(_ span: some LongSpan) -> [String] {
    let shown = span.callouts.filter { $0.selfNs > 0 }
    var lines = shown.map { callout in
      "    \(Units.duration(callout.selfNs))  \(callout.kind) \"\(elided(callout.name, limit: max(style.width - 45, 24)))\""
        + (callout.count > 1 ? ", \(callout.count) times" : "")
    }
    let others = span.calloutNs &- min(span.calloutNs, shown.reduce(0) { $0 &+ $1.selfNs })
    if others > span.durationNs / 10 { lines.append("    \(Units.duration(others))  other callouts") }
    if span.calloutNs == 0 {
      lines += wrap("no callout was recorded; the recording does not show what ran", indent: "    ")
    } else if span.unexplainedNs > span.durationNs / 10 {
      lines.append("    \(Units.duration(span.unexplainedNs))  outside recorded callouts")
    }
    return lines
  }

  func rest(_ lines: [String], _ total: Int, _ what: String) -> [String] {
    total <= AnalysisText.shown
      ? lines
      : lines
        + wrap(
          "… and \(total - AnalysisText.shown) shorter \(what); \(Hint.longest(AnalysisLimits.listed))"
        )
  }

  func thread(_ index: UInt32) -> String {
    guard let thread = analysis.trace.threads.first(where: { $0.index == index }) else { return "\(index)" }
    return thread.mainName ?? (thread.name.isEmpty ? "\(index)" : harmless(thread.name, limit: 16))
  }

  /// "on thread worker", "on the main queue".
  func on(_ index: UInt32) -> String {
    analysis.trace.threads.contains { $0.index == index && $0.isMainQueue }
      ? "on the main queue" : "on thread \(thread(index))"
  }

  func wrap(_ text: String, indent: String = "  ") -> [String] { style.wrapped(text, indent: indent) }

  /// Returns a name for a table, which limits its own width.
  func written(_ name: String) -> String { elided(name, limit: Sentence.nameLimit) }
}
