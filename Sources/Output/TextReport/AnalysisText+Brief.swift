import ReportWriting
import TraceAnalysis
import TraceFormat

/// The report that fits on a screen: the verdict in a line, the first findings, and the next commands to type.
extension AnalysisText {
  /// The number of findings in the brief report.
  static let briefShown = 4

  /// Returns a line such as `Verdict: error RL001, timer starves …`. The first finding below it has the details. If
  /// nothing is wrong, the next lines name the code that held the loop longest.
  func verdict() -> [String] {
    let verdict = analysis.verdict
    let text = verdict.outcome == .fault ? verdict.briefLine : verdict.text
    return wrap("Verdict: \(text)", indent: "").map { style.toned($0, verdict) }
      + (verdict.outcome == .clear ? longest() : [])
  }

  /// Returns the next commands, ready to type and never cut: `first`, then those that record the program again.
  func next(_ first: [String] = []) -> [String] {
    let commands = first + recordStacks() + recordQueues() + recordAgain()
    return commands.isEmpty ? [] : ["", style.strong("Next")] + commands.map { "  \($0)" }
  }

  /// Returns the command that explains the finding of the verdict.
  func explain() -> [String] {
    guard analysis.verdict.outcome == .fault, let rule = analysis.verdict.finding?.rule else { return [] }
    return [Hint.explain(rule.rawValue)]
  }

  /// Returns the commands that show whether a change helped.
  private func recordAgain() -> [String] {
    guard let command = analysis.trace.command, analysis.verdict.outcome == .fault else { return [] }
    return [Hint.recordAgain(harmless(command, limit: .max), recordedOnRequest)]
  }

  /// Returns the command that records the tasks and queues that the verdict misses.
  private func recordQueues() -> [String] {
    guard let command = analysis.trace.command, analysis.verdict.lacksQueues else { return [] }
    return [Hint.recordQueues(harmless(command, limit: .max), recordedOnRequest)]
  }

  private var recordedOnRequest: Hint.OnRequest {
    let work = analysis.work
    var parts: Hint.OnRequest = work.isRecorded || work.isRequested ? .queues : []
    if analysis.loops.contains(where: { $0.kind != .runLoop }) { parts.insert(.eventLoops) }
    return parts
  }

  /// The callout that took the longest, other than observers. Drains of the main queue count by their blocks.
  private var longestCallout: CalloutResult? {
    let without = [CalloutKind.observer, .mainQueueDrain].map(\.rawValue)
    return analysis.callouts.filter { !$0.isRemainder && !without.contains($0.kind) }
      .max { $0.longestNs < $1.longestNs }
  }

  /// The longest gap with a known function, else the longest callout.
  private func longest() -> [String] {
    let stall = analysis.stalls.filter { $0.explanation != nil }.max { $0.durationNs < $1.durationNs }
    guard let stall, let explanation = stall.explanation else { return longestCalloutLine() }
    return wrap(
      "Longest gap: \(Units.duration(stall.durationNs)) at \(Units.moment(stall.startNs)). "
        + "\(sentence(explanation)).", indent: "")
  }

  private func longestCalloutLine() -> [String] {
    guard let longest = longestCallout else { return [] }
    let place = (longest.function?.shortPlace ?? longest.maker?.shortPlace).map {
      " \(harmless($0, limit: 80))"
    }
    return wrap(
      "Longest callout: \(longest.kind) \"\(elided(longest.name, limit: 60))\"\(place ?? ""), "
        + Units.duration(longest.longestNs)
        + (longest.nestedNs > 0 ? ", without the runs that it started" : ""),
      indent: "")
  }

  /// Returns the command that records the program again with stacks of its long callouts. Empty if the trace names
  /// the functions already, if it cannot be recorded that way, or if its findings are about other things.
  private func recordStacks() -> [String] {
    if let command = analysis.trace.command, analysis.verdict.outcome == .clear, analysis.stalls.isEmpty,
      gapThresholdNs > AnalysisText.sampleIntervals[0],
      let longest = longestCallout?.longestNs, longest >= FindingLimits.longWhileTrackingNs
    {
      return [
        Hint.sample(
          harmless(command, limit: .max), everyMs: 1, "for stalls under \(Units.duration(gapThresholdNs))",
          recordedOnRequest)
      ]
    }
    let longest = max(longestCallout?.longestNs ?? 0, analysis.modes.map(\.passNs.max).max() ?? 0)
    guard let command = analysis.trace.command, lacksStacks, gapThresholdNs > AnalysisText.sampleIntervals[0],
      let interval = AnalysisText.sampleIntervals.first(where: { longest >= 4 * $0 })
    else { return [] }
    return [
      Hint.sample(
        harmless(command, limit: .max), everyMs: interval / 1_000_000, "names the functions",
        recordedOnRequest)
    ]
  }

  /// The intervals that `record --sample` is suggested with. A callout should have a few samples.
  private static let sampleIntervals: [UInt64] = [10_000_000, 1_000_000]

  /// Whether one of the first findings is about long callouts, and no sampled stack says which function took the time.
  private var lacksStacks: Bool {
    let verdict = analysis.verdict
    guard verdict.outcome == .fault else {
      return verdict.outcome == .clear && analysis.stalls.allSatisfy { $0.blamed == nil }
    }
    return analysis.findings.prefix(AnalysisText.briefShown).contains { finding in
      guard finding.subjects.allSatisfy(\.sampled.isEmpty) else { return false }
      switch finding.heldUpBy {
      case .busy: return true
      case .ownCallout:
        // If the callout itself is short, it runs nested loops. They wait, and a waiting loop is not sampled.
        let timer = analysis.timers.first { $0.id == finding.timer }
        return timer.map { $0.longestCalloutNs >= $0.intervalNs } ?? true
      default:
        return [RuleID.hang, .slowSource, .slowWhileTracking, .costlyObservers].contains(finding.rule)
      }
    }
  }
}
