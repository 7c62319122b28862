import CallStacks
import TraceResults

extension RuleID { package static let hitches: RuleID = "RL041" }

extension FindingRule {
  /// Reports frame sources whose frames are overdue for much of the time, or once for long.
  static let hitches = FindingRule(
    .hitches, "frames are late", needs: [.duePoints], basis: .hitches,
    remedy: "Let each frame be ready within its interval.", of: \.frames.judged
  ) { source, analysis in
    guard let severity = SeverityTable.hitches(source) else { return nil }
    let figure = Figure.rate("hitch_ratio", source.ratio ?? 0)
    let costs = source.costs.prefix(FindingLimits.costsOfHitches).enumerated().map {
      number, cost -> Sentence in
      "\(cost.blame.sentence) (\(ns: cost.hitchNs, "hitches_\(number + 1)_ns"))"
    }
    let offered: Sentence = source.choice == .offered ? ", which looks like a frame source," : ""
    let hitches = analysis.frames.hitches.filter { $0.timer == source.timer }
    let blame = source.costs.first?.blame
    let lack = blame?.isWork == true ? analysis.processorLack(in: hitches) : nil
    var finding = Finding(
      severity,
      "Frames of timer \(name: source.name)\(offered) were overdue for \(ns: source.hitchNs, "hitch_ns") in \(ns: source.activeNs, "active_ns"), \(figure) milliseconds per second, which is \(source.band.name). The longest hitch took \(ns: source.longestHitchNs, "longest_hitch_ns"). Behind most of the overdue time: \(costs.listed()). A render server may have delayed the frames further\(lack?.sentence ?? "")",
      advice: lack == nil ? blame?.advice ?? "" : ProcessorShare.advice,
      headline: .time(source.hitchNs, "frames were overdue"),
      evidence: hitches.prefix(4).map {
        .span(
          $0.startNs, $0.durationNs, "a frame was overdue",
          callout: $0.blame.kind.isEmpty ? nil : $0.blame.words)
      }, weight: source.hitchNs, subject: source.name, times: source.hitches)
    let row = analysis.timers.first { $0.classes.contains(source.timer) }
    if row?.ledger != nil { finding.timer = row?.id }
    finding.thread = source.thread
    let functions = hitches.compactMap(\.function).filter { $0.line != nil }
    finding.sampled = functions.prefix(FindingLimits.places).map { Finding.Place(.function, $0) }.uniqued()
    finding.blocker = functions.first?.sourcePlace ?? source.costs.first?.blame.callout ?? ""
    return finding
  }
}

extension HitchBlame {
  /// Whether callouts took the time.
  fileprivate var isWork: Bool { cause == .busy || cause == .ownCallout }

  /// The culprit as a part of a sentence.
  fileprivate var sentence: Sentence {
    switch cause {
    case .busy: kind.isEmpty ? "callouts" : Phrase.callout(kind, callout)
    case .ownCallout: "its own callout"
    case .wrongMode: mode.isEmpty ? "a mode that it is not in" : "mode \(name: mode), which it is not in"
    case .notRunning: "time in which its loop did not run"
    case .tolerance: "its tolerance"
    case .scheduler: "wake-ups that came late"
    case .suspended, .unknown: "causes that are not known"
    }
  }

  /// Empty = the rule's own advice.
  fileprivate var advice: Sentence {
    switch cause {
    case .busy: "Split that work into smaller pieces, or move it off this thread."
    case .ownCallout: "Do less in the callout of the timer, or prepare the frame on another thread."
    case .wrongMode:
      mode.isEmpty
        ? "Add the timer to each mode in which frames should go on, such as the common modes."
        : "Add the timer to \(name: mode), or to the common modes if it is one of them."
    case .notRunning: "Let the thread return to its loop."
    case .tolerance, .scheduler, .suspended, .unknown: ""
    }
  }
}
