import CallStacks
import TraceResults

extension RuleID { package static let spins: RuleID = "RL011" }

extension FindingRule {
  /// Reports a program that runs the loop repeatedly and finds nothing to do, or sources that signal themselves and
  /// so keep a run from waiting.
  static let spins = FindingRule(
    .spins, "the loop spins without waiting",
    plural: .subjects(
      "modes spin without waiting",
      remedy: "Run the modes with time limits above zero, or let sources or timers wake them."),
    basis: .passes,
    remedy: "Run the loop with a time limit above zero, or let a source or timer wake it.", of: \.modes
  ) { mode, analysis in
    // A row of several modes has the time of all of them, also of loops that run at once.
    if mode.isRemainder || mode.isMostlyEmpty(analysis) { return nil }
    if mode.isOfEventLoop { return Spin.ofEventLoop(mode, analysis) }
    if let polling = mode.polling, let severity = SeverityTable.polls(polling) {
      return Spin.polls(mode, polling, severity, analysis)
    }
    return Spin.ofRuns(mode, analysis)
  }
}

/// The functions that run a loop again and again, in words.
enum Pollers {
  /// Nil if no function is known. If there are several functions, it is not known which runs each one started.
  static func sentence(_ functions: [StackFrame]) -> Sentence? {
    guard let first = functions.first else { return nil }
    if functions.count == 1 { return ". The function \(name: first.sourcePlace) started the runs" }
    return ". Functions that run the loop again and again: \(names(functions))"
  }

  static func names(_ functions: [StackFrame]) -> Sentence {
    Phrase.list(functions.map(\.sourcePlace), limit: 3, others: "other_pollers")
  }
}

private enum Spin {
  static func polls(
    _ mode: ModeResult, _ polling: PollingResult, _ severity: Finding.Severity, _ analysis: Analysis
  ) -> Finding {
    let figure = Figure.rate("empty_polls_per_s", Double(polling.runs) / (Double(polling.timeNs) / 1e9))
    let (who, runners) = callers(of: polling, mode.thread, analysis)
    var finding = Finding(
      severity,
      "Thread \(Phrase.thread(analysis.thread(mode.thread))) polls. \(count: polling.runs, "empty_polls", "run", "runs") of \(name: mode.mode) returned at once without serving anything, \(figure) per second for \(ns: polling.timeNs, "polling_ns")\(who)",
      headline: Finding.Headline(.other(figure.text), "empty runs per second"),
      evidence: [
        .span(
          polling.startNs, polling.endNs &- polling.startNs, "from the first to the last",
          callout: polling.caller.map { "\($0.kind) \($0.name)" })
      ], weight: polling.timeNs, subject: mode.mode)
    finding.thread = mode.thread
    finding.sampled = runners
    return finding
  }

  /// Returns the code that started the polls as a sentence, and its places.
  private static func callers(
    of polling: PollingResult, _ thread: UInt32, _ analysis: Analysis
  ) -> (who: Sentence, runners: [Finding.Place]) {
    if polling.hasSeveralCallers {
      // A function that only ran the loop did not start the polls of its callouts.
      let runners = analysis.recordedPollers(onThread: thread)
      let outside: Sentence =
        runners.isEmpty ? "" : ". Functions that poll outside callouts: \(Pollers.names(runners))"
      return (
        ". Several callouts, or code outside callouts, started them\(outside)",
        runners.map { Finding.Place(.runner, $0) }
      )
    }
    guard let caller = polling.caller else {
      let runners = analysis.pollers(onThreads: [thread])
      return (
        Pollers.sentence(runners) ?? ". Code outside callouts started them",
        runners.map { Finding.Place(.runner, $0) }
      )
    }
    let callout = analysis.callouts.first {
      $0.thread == thread && $0.kind == caller.kind && $0.name == caller.name
    }
    let runners = callout.map { NestedRuns.places(of: $0, analysis) } ?? []
    let inside = runners.first { $0.frame.name != caller.name }
    let function: Sentence = inside.map { ", in \(name: $0.frame.sourcePlace)" } ?? ""
    return (". The callout \(Phrase.callout(caller.kind, caller.name)) started them\(function)", runners)
  }

  /// Counts the passes of runs that were allowed to wait.
  static func ofRuns(_ mode: ModeResult, _ analysis: Analysis) -> Finding? {
    let polls = mode.polls &- min(mode.polls, mode.pollRuns)
    guard isAtLeast(polls, 0.9, of: mode.passes),
      SeverityTable.polls(polls, ns: mode.timeNs) == .error
    else { return nil }
    let rate = Double(polls) / (Double(mode.timeNs) / 1e9)
    let figure = Figure.rate("polls_per_s", rate)
    let keeper = keeper(mode, polls, analysis)
    let kept: Sentence =
      keeper.map {
        ". \(Phrase.callout($0.kind, $0.name)) ran \(count: $0.count, "keeper_count", "time", "times")"
      } ?? ""
    let runner = analysis.runCaller(ofThread: mode.thread)
    let caller = Pollers.sentence(runner.map { [$0] } ?? []) ?? ""
    // Passes in which a callout ran served something.
    let isWork = keeper != nil || !analysis.trace.captureLevel.seesCallouts
    var finding = Finding(
      isWork ? .warning : .error,
      "\(count: polls, "polls") of \(count: mode.passes, "passes", "pass", "passes") in \(name: mode.mode) did not wait, \(figure) per second\(caller)\(kept)",
      advice: keeper?.kind == CalloutKind.source0.rawValue
        ? "Let the source signal itself only when there is more to do." : "",
      headline: Finding.Headline(.other(figure.text), "passes per second"), weight: mode.busyNs,
      subject: mode.mode)
    finding.thread = mode.thread
    finding.blocker = keeper?.name ?? ""
    finding.sampled = runner.map { [Finding.Place(.runner, $0)] } ?? []
    return finding
  }

  /// Counts the calls of an event loop that did not wait and after which no callout ran: nine tenths of all or more. The
  /// work between two calls is not recorded, so the finding is a warning. A call that finds something ready takes a few
  /// microseconds, which the trace shows as a wait.
  static func ofEventLoop(_ mode: ModeResult, _ analysis: Analysis) -> Finding? {
    guard let unrecorded = mode.pollsWithoutPass, let empty = mode.emptyWakes,
      isAtLeast(empty, 0.9, of: mode.wakes),
      !isAtLeast(mode.waitingNs, 0.1, of: mode.timeNs)
        || mode.waitingNs / max(mode.wakes, 1) < WaitedWork.atOnceNs
    else { return nil }
    let polls = unrecorded.saturated(adding: empty)
    guard SeverityTable.polls(polls, ns: mode.timeNs) == .error else { return nil }
    let thread = analysis.thread(mode.thread)
    let figure = Figure.rate("polls_per_s", Double(polls) / (Double(mode.timeNs) / 1e9))
    var finding = Finding(
      .warning,
      "The event loop of thread \(Phrase.thread(thread)) asked \(count: polls, "polls", "time", "times") what is ready, \(figure) per second, and hardly ever waited. \(percent: empty, of: mode.wakes, "empty_percent") of the recorded answers led to no recorded work",
      advice: EventLoopWords.wait, headline: Finding.Headline(.other(figure.text), "calls per second"),
      weight: mode.busyNs, subject: thread.name, cause: ", \(Phrase.on(thread))")
    finding.thread = mode.thread
    return finding
  }

  /// Returns the callout that ran in at least half of the passes without a wait. It may keep the run from waiting.
  private static func keeper(_ mode: ModeResult, _ polls: UInt64, _ analysis: Analysis) -> CalloutResult? {
    analysis.callouts.filter { callout in
      callout.thread == mode.thread && !callout.isRemainder && isAtLeast(callout.count, 0.5, of: polls)
        && callout.timeNsByMode.contains { $0.mode == mode.mode && $0.ns > 0 }
    }.max { ($0.count, $1.name) < ($1.count, $0.name) }
  }
}
