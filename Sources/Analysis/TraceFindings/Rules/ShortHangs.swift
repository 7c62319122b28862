import TraceResults

extension RuleID { package static let shortHangs: RuleID = "RL036" }

extension FindingRule {
  /// Reports a loop that is often busy for a time that is too short for a hang but can be felt.
  static let shortHangs = FindingRule(
    .shortHangs, "the loop is held up for short times again and again", needs: [.hangLengths], basis: .gaps,
    // RL035 judges event loops.
    of: { LoopHangs.all($0).filter { !$0.isEventLoop } }
  ) { loop, analysis in
    // Intervals with a hang have a finding of their own.
    let short = loop.intervals.filter { $0.interval.hangLengthNs < BusyClass.hangNs }
    let lengths = short.map(\.ns).filter { $0 >= SeverityTable.shortHangNs }
    guard let severity = SeverityTable.hangs(lengths, loop.unlistedShort, activeNs: loop.activeNs),
      let longest = short.max(by: { $0.ns < $1.ns })?.interval
    else { return nil }
    let unlisted = loop.unlistedShort
    let number = UInt64(lengths.count) &+ unlisted.count
    let total = (lengths + [unlisted.ns]).saturatedSum
    let work = WorkOfInterval(longest, analysis)
    var finding = Finding(
      severity,
      "\(Phrase.loop(of: loop.thread)) was busy for \(ns: SeverityTable.shortHangNs, "short_hang_ns") to \(ns: BusyClass.hangNs, "hang_ns") \(count: number, "short_hangs", "time", "times"), \(ns: total, "short_hangs_ns") in all, which is \(percent: total, of: loop.activeNs, "of_active_percent") of the time in which it ran. The longest took \(ns: longest.hangLengthNs, "busy_ns"): \(work.sentence)\(work.blame)",
      advice: work.stall?.advice ?? work.advice, headline: .time(total, "in short hangs"),
      evidence: short.prefix(4).map {
        .span($0.interval.startNs, $0.interval.durationNs, "busy without a wait")
      }, weight: total, subject: work.culprit?.name ?? loop.thread.name, times: number)
    finding.isAboutThread = work.culprit == nil
    finding.blame(work.stall)
    finding.thread = longest.thread
    return finding
  }
}
