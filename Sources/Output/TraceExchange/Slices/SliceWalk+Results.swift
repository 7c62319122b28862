import TraceAnalysis

/// The results of the analysis as tracks: findings, hitches, gaps, busy intervals, stalls, and how busy each loop was.
extension SliceWalk {
  /// The shortest busy interval with a slice, in nanoseconds.
  private static let busyNs = BusyClass.briefUnresponsiveness.fromNs

  func addResults(of analysis: Analysis) {
    for finding in analysis.findings { add(finding) }
    for hitch in analysis.frames.hitches.sorted(by: { $0.startNs < $1.startNs }) { add(hitch) }
    for gap in analysis.gaps.sorted(by: { $0.startNs < $1.startNs }) {
      addLane(
        slice(
          "gap after \(gap.after.name)", "gap", gap.startNs, [Argument("mode", gap.mode), thread(gap.thread)]),
        to: gap.endNs, "gaps", isOpen: gap.isOpen)
    }
    for busy in analysis.busy.sorted(by: { $0.startNs < $1.startNs }) where busy.durationNs >= Self.busyNs {
      addLane(
        slice("busy", "busy", busy.startNs, [Argument("mode", busy.mode), thread(busy.thread)]),
        to: busy.endNs, "busy intervals", isOpen: busy.isOpen)
    }
    for stall in analysis.stalls.sorted(by: { $0.startNs < $1.startNs }) { add(stall) }
    for utilisation in analysis.utilisation { add(utilisation) }
  }

  private func add(_ finding: Finding) {
    let spans = finding.evidence.compactMap { piece in
      piece.startNs.map { (start: $0, end: $0 &+ (piece.durationNs ?? 0)) }
    }
    for span in spans.sorted(by: { $0.start < $1.start }) {
      var arguments = [
        Argument("rule", finding.rule.rawValue), Argument("severity", finding.severity.name),
        Argument("sentence", finding.text),
      ]
      if !finding.subject.isEmpty { arguments.append(Argument("subject", finding.subject)) }
      if !finding.blocker.isEmpty { arguments.append(Argument("blamed", finding.blocker)) }
      if let place = finding.places.first { arguments.append(Argument("place", place.text)) }
      addLane(slice(finding.title, "finding", span.start, arguments), to: span.end, "findings")
    }
  }

  private func add(_ hitch: HitchResult) {
    var arguments = [Argument("timer", hitch.source), Argument("cause", hitch.blame.cause.name)]
    if let cause = hitch.causeNs { arguments.append(Argument("cause_ns", cause)) }
    if let due = hitch.dueNs { arguments.append(Argument("due_ns", due)) }
    if let ready = hitch.readyNs { arguments.append(Argument("ready_ns", ready)) }
    if let culprit = hitch.blame.culprit { arguments.append(Argument("blamed", culprit)) }
    if let place = hitch.function?.sourcePlace { arguments.append(Argument("place", place)) }
    addLane(
      slice(hitch.blame.words, "hitch", hitch.startNs, arguments),
      to: hitch.startNs &+ hitch.durationNs, "hitches: \(hitch.source)")
  }

  private func add(_ stall: StallResult) {
    var arguments = [Argument("cause", stall.cause.words), thread(stall.thread)]
    if let rule = stall.rule { arguments.append(Argument("rule", rule)) }
    if let blamed = stall.blamed { arguments.append(Argument("blamed", blamed.name)) }
    if let place = stall.place { arguments.append(Argument("place", place)) }
    addLane(
      slice(stall.blamed?.name ?? stall.cause.words, "stall", stall.startNs, arguments),
      to: stall.startNs &+ stall.durationNs, "stalls")
  }

  private func add(_ utilisation: UtilisationResult) {
    let track = tracks.named("busy % of thread \(utilisation.thread)", .counter(unit: "%"))
    var last: Int?
    for bin in utilisation.series {
      let all = bin.busyNs &+ bin.waitingNs
      let value = all == 0 ? 0 : Int(clamping: bin.busyNs.multipliedFullWidth(by: 100).low / all)
      if value != last { addCounter(value, at: bin.startNs, on: track) }
      last = value
    }
  }

  private func slice(_ name: String, _ category: String, _ start: UInt64, _ arguments: [Argument]) -> Slice {
    Slice(name: text(name), category: text(category), start: start, arguments: arguments)
  }

  private func thread(_ index: UInt32) -> Argument { Argument("thread", UInt64(index)) }
}
