import TraceFormat
import TraceResults

extension RuleID { package static let blockedEventLoop: RuleID = "RL035" }

extension FindingRule {
  /// Reports an event loop that did not serve its descriptors for a time that is too short for a hang. Gaps of one
  /// thread and function share a finding, which describes the longest.
  static let blockedEventLoop = FindingRule(
    .blockedEventLoop, "an event loop is blocked", needs: [.hangLengths], basis: .gaps,
    of: BlockedGap.groups,
    find: BlockedGap.finding)
}

/// A pass of an event loop that took too long, and what the samples show of it.
private struct BlockedGap {
  var gap: Gap
  var stall: StallResult?
  /// Its length without the time in which the thread was ready but had no processor.
  var heldNs: UInt64
  /// Whether it is reported by itself. Shorter ones are reported if they come often.
  var isLong: Bool

  init(_ gap: Gap, _ analysis: Analysis) {
    self.gap = gap
    stall = analysis.explainedStall(of: gap)
    heldNs =
      gap.durationNs
      &- min(analysis.waitedNs(on: gap.thread, from: gap.startNs, to: gap.endNs), gap.durationNs)
    isLong =
      heldNs >= (stall?.cause.isWait == true ? BlockedLoop.waitingNs : BlockedLoop.computingNs)
  }

  /// Groups the gaps of event loops that are shorter than a hang, the longest first.
  static func groups(_ analysis: Analysis) -> [[BlockedGap]] {
    let blocked = analysis.gaps.filter {
      !$0.isOutside && !$0.isUncertain && $0.durationNs < BusyClass.hangNs
        && $0.durationNs >= BlockedLoop.waitingNs && analysis.eventLoop(of: $0.thread) != nil
        && analysis.countsAsHeld($0)
    }.map { BlockedGap($0, analysis) }.filter { $0.heldNs >= BlockedLoop.waitingNs }.ordered {
      ($1.gap.durationNs, $0.gap.startNs) < ($0.gap.durationNs, $1.gap.startNs)
    }
    var groups: [(thread: UInt32, holder: String?, gaps: [BlockedGap])] = []
    for one in blocked {
      let holder = one.stall?.holder?.frame.name
      if let known = groups.firstIndex(where: { $0.thread == one.gap.thread && $0.holder == holder }) {
        groups[known].gaps.append(one)
      } else {
        groups.append((one.gap.thread, holder, [one]))
      }
    }
    return groups.map(\.gaps)
  }

  static func finding(_ gaps: [BlockedGap], _ analysis: Analysis) -> Finding? {
    let long = gaps.filter(\.isLong)
    let blocked = long.isEmpty ? gaps : long
    let worst = blocked[0]
    let activeNs = analysis.modes.filter { $0.thread == worst.gap.thread }.map(\.timeNs).saturatedSum
    guard !long.isEmpty || SeverityTable.areOften(blocked.map(\.heldNs), activeNs: activeNs) else {
      return nil
    }
    let thread = analysis.thread(worst.gap.thread)
    let total = blocked.map(\.gap.durationNs).saturatedSum
    let longest: Sentence =
      blocked.count > 1
      ? "\(count: UInt64(blocked.count), "blocks", "time", "times"), \(ns: total, "blocked_ns") in all. The longest took \(ns: worst.gap.durationNs, "longest_ns")"
      : "for \(ns: worst.gap.durationNs, "longest_ns")"
    let callout = worst.gap.callouts.first { isAtLeast($0.selfNs, 0.5, of: worst.gap.durationNs) }
    let served: Sentence =
      callout.map { " in \(Phrase.callout($0.kind, $0.name))" } ?? ""
    var finding = Finding(
      long.isEmpty || long.allSatisfy { analysis.mayHaveLeft($0.gap) } ? .info : .warning,
      "The event loop of thread \(Phrase.thread(thread)) was blocked \(longest)\(served)\(worst.stall?.blame(within: nil) ?? "")\(EventLoopWords.waited(worst.gap, analysis))",
      advice: worst.stall?.advice ?? EventLoopWords.moveWork,
      headline: .time(worst.gap.durationNs, "without serving its descriptors"),
      evidence: blocked.prefix(4).map { .span($0.gap.startNs, $0.gap.durationNs, "one pass") },
      weight: total, subject: callout?.name ?? thread.name, times: UInt64(blocked.count))
    finding.isAboutThread = callout == nil
    finding.blame(worst.stall)
    finding.thread = worst.gap.thread
    return finding
  }
}
