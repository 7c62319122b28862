import TraceResults

extension RuleID { package static let abnormalEnd: RuleID = "RL033" }

extension FindingRule {
  /// A signal that the recorder did not send ended the program, or the program exited with a status other than 0.
  static let abnormalEnd = FindingRule(.abnormalEnd, "the program ended abnormally") { analysis in
    let end = analysis.end
    return switch end.kind {
    case .signalled: signalled(end, end.signal ?? 0, analysis)
    case .exited: end.status.flatMap { $0 == 0 ? nil : exited(end, $0, analysis) }
    default: nil
    }
  }

  private static func signalled(_ end: EndResult, _ signal: UInt64, _ analysis: Analysis) -> Finding {
    let isRequest = SignalName.ofRequests.contains(signal)
    return ended(
      isRequest ? .warning : .error,
      "The program was \(isRequest ? "ended" : "killed") by \(written(signal))",
      end, analysis, advice: advice(signal, end), headline: SignalName.name(signal), "ended the program")
  }

  private static func exited(_ end: EndResult, _ status: UInt64, _ analysis: Analysis) -> Finding {
    ended(
      .info, "The program exited with status \(count: status, "exit_status")", end, analysis,
      advice: "The program defines what this status means.", headline: "\(status)", "exit status")
  }

  private static func ended(
    _ severity: Finding.Severity, _ what: Sentence, _ end: EndResult, _ analysis: Analysis, advice: Sentence,
    headline: String, _ label: String
  ) -> Finding {
    let running = end.innermost
    var finding = Finding(
      severity, "\(what)\(meanwhile(running, analysis))", advice: advice,
      headline: Finding.Headline(.other(headline), label),
      evidence: evidence(end, running), weight: analysis.trace.durationNs,
      subject: running.count == 1 ? running[0].name : "")
    if running.count == 1 { finding.thread = running[0].thread }
    return finding
  }

  private static func evidence(_ end: EndResult, _ running: [RunningCallout]) -> [Finding.Evidence] {
    let callouts = running.prefix(4).map { callout -> Finding.Evidence in
      .span(
        callout.startNs, callout.durationNs, "still running at the end",
        callout: "\(callout.kind) \(callout.name)",
        names: [callout.function].compactMap(\.self))
    }
    return callouts.isEmpty ? [.span(end.timeNs, 0, "the end of the program")] : callouts
  }

  /// The signal's name is text, not a figure of the trace.
  private static func written(_ signal: UInt64) -> Sentence {
    let words = SignalName.words(signal)
    guard !words.isEmpty else { return "signal \(count: signal, "signal")" }
    return "\(SignalName.name(signal)) (\(words))"
  }

  private static func meanwhile(_ running: [RunningCallout], _ analysis: Analysis) -> Sentence {
    guard let first = running.first else { return ". No recorded callout was running" }
    guard running.count > 1 else { return " when \(ran(first, analysis))" }
    let named = zip(running, ["", "second_", "third_"]).map { ran($0, analysis, $1) }
    let left = UInt64(clamping: running.count - named.count)
    let listed =
      left > 0 ? named + ["\(count: left, "other_threads", "other thread", "other threads")"] : named
    return
      " when callouts were running on \(count: UInt64(running.count), "threads_in_callouts") threads: \(listed.listed())"
  }

  /// `prefix` precedes the names of the figures.
  private static func ran(
    _ callout: RunningCallout, _ analysis: Analysis, _ prefix: String = ""
  ) -> Sentence {
    let function: Sentence = callout.function.map { " in \(name: $0)" } ?? ""
    let thread = analysis.thread(callout.thread)
    let place: Sentence =
      thread.isMain || !thread.name.isEmpty
      ? Phrase.on(thread) : "on thread \(count: UInt64(thread.index), "\(prefix)thread")"
    return
      "\(Phrase.callout(callout.kind, callout.name)) \(place) had been running for \(ns: callout.durationNs, "\(prefix)running_ns")\(function)"
  }

  private static func advice(_ signal: UInt64, _ end: EndResult) -> Sentence {
    if signal == SignalName.kill {
      return
        "The kernel or another process sent the signal. The kernel does so when memory runs out. The trace does not record the sender, but the system's log may name it."
    }
    if SignalName.ofRequests.contains(signal) {
      return
        "A terminal, a service manager or another process asked the program to end. The trace does not record the sender."
    }
    guard SignalName.ofFaults.contains(signal) else {
      return "The program did not handle the signal. The trace does not record the sender."
    }
    let place: Sentence =
      switch end.innermost.count {
      case 0: "outside recorded callouts"
      case 1: "in that callout or on another thread"
      default: "in one of these callouts or on another thread"
      }
    return
      "The fault is \(place), unless another process sent the signal. The backtrace on the program's standard error, or a core file, shows the line."
  }
}
