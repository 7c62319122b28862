import CallStacks
import TraceAnalysis

/// The fault behind a broken rule.
package struct RuleEvidence {
  package struct Fault: Sendable {
    /// The callout, the moment since the test began, and the function with file and line.
    package var text: String
    /// The code that the text names, if the recording shows it well enough; nil = it shows none.
    package var code: Finding.Place?

    fileprivate init(_ text: String, _ code: Finding.Place? = nil) {
      self.text = text
      self.code = code
    }
  }

  private let numbers: Analysis
  private let findings: [Finding]
  private let rule: GateRule

  package init(_ trace: GatedTrace, _ rule: GateRule) {
    numbers = trace.numbers
    findings = trace.findings.findings.flatMap(\.subjects)
    self.rule = rule
  }

  /// The words for the fault; empty if the recording shows nothing in particular.
  package var text: String { fault?.text ?? "" }

  /// Nil if the recording shows nothing in particular.
  package var fault: Fault? {
    let measure = rule.measure
    if measure.metric.name == "findings" {
      return finding {
        (measure[.rule] == nil || $0.rule.rawValue == measure[.rule])
          && (measure[.severity] == nil || $0.severity.name == measure[.severity])
      }
    }
    if measure.metric.name == "unserved" { return finding { $0.rule == .unservedWork } ?? longestBusy }
    if measure.metric.name == "callout" { return callout.map { Fault($0) } }
    if measure.metric.selectors.contains(.timer) {
      let about = finding { $0.timer != nil && (measure[.timer] == nil || $0.subject == measure[.timer]) }
      return joined([about, blocker].compactMap(\.self))
    }
    if measure.metric.selectors.contains(.queue) { return queue }
    if measure.metric.selectors.contains(.frames) { return frames }
    if measure.metric == .processor { return computing }
    if measure.metric.isOfSpans { return longestBusy }
    if Self.ofPasses.contains(measure.metric.name) {
      return finding { $0.rule == .spins || $0.rule == .wakesForNothing } ?? passes
    }
    return finding { $0.severity != .info } ?? longestBusy
  }

  /// Combines faults. The code that made a timer late comes before the late timer's own code.
  private func joined(_ faults: [Fault]) -> Fault? {
    guard !faults.isEmpty else { return nil }
    let codes = faults.compactMap(\.code)
    return Fault(
      faults.map(\.text).joined(separator: "; "), codes.first { $0.role != .late } ?? codes.first)
  }

  // MARK: Findings

  private func finding(where isWanted: (Finding) -> Bool) -> Fault? {
    guard let found = findings.first(where: isWanted) else { return nil }
    let moment = found.evidence.first { $0.startNs != nil }?.startNs
    let busy = moment.flatMap { start in numbers.busy.first { $0.startNs == start } }
    let stall = busy.flatMap { numbers.stall(of: $0) }
    let place = found.places.first?.text ?? stall?.place.map { "in \($0)" }
    let sentence = found.sentence.text()
    // A hang without a recorded callout: the stack shows which kind of callout ran.
    let kind = busy.flatMap { $0.callouts.isEmpty ? work(of: $0) : nil }
    let processor = stall.flatMap { withoutProcessor($0.evidence) } ?? ""
    let text =
      ["\(found.rule.rawValue): \(sentence)", kind, at(moment), place].compactMap(\.self)
      .joined(separator: ", ") + processor
    return Fault(text, found.places.first ?? code(stall?.holder?.frame))
  }

  // MARK: Busy intervals

  private var longestBusy: Fault? {
    let mode = rule.measure[.mode]
    return longest(of: numbers.busy.filter { mode == nil || $0.mode == mode })
  }

  /// The longest time without a wait on the thread of the rule's timer, if it is long enough to make the timer late.
  private var blocker: Fault? {
    let name = rule.measure[.timer]
    let timers = numbers.timers.filter { name == nil || $0.name == name }
    guard let timer = timers.max(by: { missed($0) < missed($1) }) else { return longestBusy }
    let inOtherModes = timer.ledger?.skippedBy[.wrongMode] ?? 0
    guard inOtherModes == 0 || inOtherModes < missed(timer) else { return nil }
    return longest(of: numbers.busy.filter { $0.thread == timer.thread && $0.durationNs >= timer.intervalNs })
  }

  private func missed(_ timer: TimerResult) -> UInt64 { timer.ledger?.skipped ?? 0 }

  private func longest(of intervals: [BusyInterval]) -> Fault? {
    guard let longest = intervals.max(by: { $0.durationNs < $1.durationNs }) else { return nil }
    let stall = numbers.stall(of: longest)
    let maker = stall?.holderPlace == nil ? place(of: longest) : nil
    let text =
      ([work(of: longest), at(stall?.startNs ?? longest.startNs)].compactMap(\.self).joined(separator: " "))
      + (stall?.holderPlace.map { ", in \($0)" } ?? maker?.text ?? "")
      + (stall.flatMap { withoutProcessor($0.evidence) } ?? "")
    return Fault(text, code(stall?.holder?.frame) ?? maker?.code)
  }

  /// Nil if the frame's file is not known.
  private func code(_ frame: StackFrame?) -> Finding.Place? {
    frame.flatMap { $0.file == nil ? nil : Finding.Place(.function, $0) }
  }

  /// The sampled gap with the most time on a processor.
  private var computing: Fault? {
    let (mode, name) = (rule.measure[.mode], rule.measure[.thread])
    let sampled = numbers.stalls.filter { stall in
      let thread = numbers.thread(stall.thread)
      return stall.evidence.cpuNs != nil && stall.after != .outside && (mode == nil || stall.mode == mode)
        && (name == nil || name == thread.name || name == "\(thread.index)"
          || name == "main" && thread.isMain)
    }
    return sampled.max { $0.evidence.cpuNs ?? 0 < $1.evidence.cpuNs ?? 0 }.map { stall in
      let what = stall.callout.isEmpty ? "code outside callouts" : harmless(stall.callout)
      let text =
        ["\(what) had a processor for \(Units.duration(stall.evidence.cpuNs ?? 0))", at(stall.startNs)]
        .compactMap(\.self).joined(separator: " ") + (stall.holderPlace.map { ", in \($0)" } ?? "")
      return Fault(text, code(stall.holder?.frame))
    }
  }

  /// Returns how long the thread had no processor, if that is at least a tenth of the sampled time.
  private func withoutProcessor(_ evidence: ThreadEvidence) -> String? {
    guard let waited = evidence.waitedNs, waited > 0, waited >= evidence.spanNs / 10 else { return nil }
    return ", without a processor for \(Units.duration(waited)) of the sampled "
      + Units.duration(evidence.spanNs)
  }

  /// Returns the callout that took most of an interval; nil if neither events nor stacks show one.
  private func work(of interval: BusyInterval) -> String? {
    if let callout = interval.callouts.first, callout.selfNs >= interval.durationNs / 2 {
      let name = callout.name.isEmpty ? "" : " \"\(harmless(callout.name))\""
      return "\(callout.kind)\(name) took \(Units.duration(callout.selfNs))"
    }
    guard let stall = numbers.stall(of: interval) else { return "no recorded callout accounts for it" }
    let kind = StackCallout.kind(of: stall.stack)
    return
      "\(kind.map { "a callout of kind \($0)" } ?? "code outside callouts") took \(Units.duration(stall.durationNs))"
  }

  /// Returns the place that made the callout of an interval, if it is known.
  private func place(of interval: BusyInterval) -> Fault? {
    guard let callout = interval.callouts.first else { return nil }
    if let timer = numbers.timers.first(where: { $0.name == callout.name && callout.kind == "timer" }) {
      if let function = timer.function { return Fault(", in \(function.sourcePlace)", code(function)) }
      return timer.site.isEmpty ? nil : Fault(", made at \(harmless(timer.site, limit: 100))")
    }
    let function = numbers.code.first { $0.name == callout.name }?.function
    return function.map { Fault(", in \($0.sourcePlace)", code($0)) }
  }

  // MARK: Callouts

  private var callout: String? {
    let measure = rule.measure
    let longest = numbers.callouts.filter {
      (measure[.callout] == nil || $0.name == measure[.callout])
        && (measure[.kind] == nil || $0.kind == measure[.kind])
    }.max { $0.longestNs < $1.longestNs }
    return longest.map {
      "\($0.kind) \"\(harmless($0.name))\" ran \(Phrase.count($0.count, "time", "times")), at most "
        + Units.duration($0.longestNs)
    }
  }

  // MARK: Queues

  /// A finding about a queue of the rule, or else the longest slice of these queues.
  private var queue: Fault? {
    let name = rule.measure[.queue]
    let queues = numbers.work.queues.filter { name == nil || $0.name == name }
    if let about = finding(where: { found in
      found.severity != .info && queues.contains { $0.name == found.subject }
    }) {
      return about
    }
    let longest = queues.filter { $0.runNs.count > 0 }.max { $0.runNs.max < $1.runNs.max }
    return longest.map {
      Fault(
        "the longest slice of queue \(quoted($0.name)) was one of \(quoted($0.longestRun)), "
          + Units.duration($0.runNs.max))
    }
  }

  // MARK: Frames

  /// The callout, mode or cause with most hitch time, and the longest hitch that it made. Nil for a part of the time,
  /// because the costs are those of the whole.
  private var frames: Fault? {
    guard rule.measure[.state] == nil else { return nil }
    let sources =
      rule.measure[.frames].map { name in numbers.frames.judged.filter { $0.name == name } }
      ?? numbers.frames.chosen
    let costs = sources.flatMap { source in source.costs.map { (timer: source.timer, cost: $0) } }
    guard let (timer, cost) = costs.max(by: { $0.cost.hitchNs < $1.cost.hitchNs }) else { return nil }
    let blame = cost.blame
    let who =
      blame.kind.isEmpty
      ? (blame.mode.isEmpty ? "the cause \(blame.cause.name)" : "mode \(quoted(blame.mode))")
      : "\(blame.kind) \(quoted(blame.callout))"
    let longest = numbers.frames.hitches.first { $0.timer == timer && $0.blame == blame }
    let when = longest.flatMap { hitch -> String? in
      at(hitch.startNs).map { "; the longest took \(Units.duration(hitch.durationNs)) \($0)" }
    }
    let place = longest?.function.map { ", in \($0.sourcePlace)" }
    let hitches = Phrase.count(cost.hitches, "hitch", "hitches")
    return Fault(
      "\(who) is behind \(hitches), \(Units.duration(cost.hitchNs)) in all" + (when ?? "") + (place ?? ""),
      code(longest?.function))
  }

  // MARK: Passes

  /// The metrics that show how often a loop ran, not how long its callouts took.
  private static let ofPasses: Set<String> = ["pass", "polls", "wakes", "wakes_for_nothing"]

  /// The passes of the mode with the most passes, and the code that ran it.
  private var passes: Fault? {
    let measure = rule.measure
    let busiest = numbers.modes.filter { measure[.mode] == nil || $0.mode == measure[.mode] }
      .max { ($0.passes, $1.mode) < ($1.passes, $0.mode) }
    guard let mode = busiest, mode.passes > 0 else { return nil }
    let passes = Phrase.count(mode.passes, "pass", "passes")
    let name = "\"\(harmless(mode.mode))\""
    let runner = numbers.runCaller(ofThread: mode.thread)
    guard let polling = mode.polling else {
      return Fault(
        "the loop made \(passes) in mode \(name), \(mode.polls) of them without a wait"
          + (runner.map { ", run by \($0.sourcePlace)" } ?? ""), code(runner))
    }
    let callout = polling.hasSeveralCallers ? nil : polling.caller
    let who =
      callout.map { "\($0.kind) \"\(harmless($0.name))\"" } ?? runner?.sourcePlace ?? "code outside callouts"
    let runs = Phrase.count(polling.runs, "run", "runs")
    return Fault(
      "the loop polls: \(runs) of mode \(name) returned at once and served nothing, "
        + "from \(Units.duration(polling.startNs)) to \(Units.duration(polling.endNs)), started by \(who)",
      callout == nil ? code(runner) : nil)
  }

  private func at(_ ns: UInt64?) -> String? { ns.map { "at \(Units.duration($0))" } }
}

/// Finds the kind of callout that a sampled stack is in, from the CoreFoundation function that calls it.
package enum StackCallout {
  private static let marks = [
    ("CALLING_OUT_TO_A_TIMER", "timer"), ("CALLING_OUT_TO_A_BLOCK", "block"),
    ("CALLING_OUT_TO_AN_OBSERVER", "observer"), ("CALLING_OUT_TO_A_SOURCE0", "source0"),
    ("CALLING_OUT_TO_A_SOURCE1", "source1"), ("THE_MAIN_DISPATCH_QUEUE", "main-queue-block"),
    ("_dispatch_main_queue", "main-queue-block"),
  ]

  /// Returns the kind of the innermost callout; nil if the stack is in none.
  package static func kind(of stack: [StackFrame]) -> String? {
    for frame in stack {
      let name = (frame.symbol ?? "") + " " + frame.name
      if let mark = marks.first(where: { name.contains($0.0) }) { return mark.1 }
    }
    return nil
  }
}
