/// Loops that did not come back: hangs by Apple's classes, and gaps against the profile's limits.
enum HangRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    hangs(analysis) + outsideRuns(analysis) + overLimit(analysis)
  }

  /// One finding a thread and class, the longest as evidence.
  private static func hangs(_ analysis: Analysis) -> [Finding] {
    var found: [Finding] = []
    for thread in Set(analysis.busy.map(\.thread)).sorted() {
      for kind in [BusyClass.severeHang, .hang, .microhang] {
        let intervals = analysis.busy.filter {
          $0.thread == thread && $0.busyClass == kind && !$0.isUncertain && !$0.isMostlyOutside
        }
        .sorted { $0.durationNs > $1.durationNs }
        guard let worst = intervals.first else { continue }
        found.append(hang(kind, worst, intervals, analysis))
      }
    }
    return found
  }

  private static func outsideRuns(_ analysis: Analysis) -> [Finding] {
    let intervals = analysis.busy.filter { $0.isMostlyOutside && $0.durationNs >= 2_000_000_000 }
    guard let worst = intervals.max(by: { $0.outsideNs < $1.outsideNs }) else { return [] }
    return [
      Finding(
        rule: .outsideRuns, severity: .info,
        text:
          "Thread \(threadName(worst.thread, analysis)) ran no loop for \(Units.duration(worst.outsideNs)): "
          + "whether it worked, waited or was suspended is not in this recording.",
        remedy: "",
        evidence: [
          Finding.Evidence(
            startNs: worst.startNs, durationNs: worst.durationNs, callout: nil, note: "between two waits")
        ], weight: worst.outsideNs)
    ]
  }

  private static func hang(
    _ kind: BusyClass, _ worst: BusyInterval, _ intervals: [BusyInterval], _ analysis: Analysis
  ) -> Finding {
    let who = culprit(worst, analysis)
    let isMain = analysis.trace.threads.first { $0.index == worst.thread }?.isMain ?? false
    let name = isMain ? "main" : threadName(worst.thread, analysis)
    let what =
      kind == .severeHang ? "did not come back for" : kind == .hang ? "hung for" : "was unresponsive for"
    let others =
      intervals.count > 1 ? ", and \(Say.count(UInt64(intervals.count - 1), "more time", "more times"))" : ""
    return Finding(
      rule: .hang, severity: kind == .severeHang ? .error : .warning,
      text:
        "The loop of thread \(name) \(what) \(Units.duration(worst.durationNs))\(others)"
        + (who.map { ": \($0.0) took \(Units.duration($0.1)) of it." } ?? "."),
      remedy: who == nil
        ? (analysis.trace.captureLevel == .activities
          ? "Record the items that run in it, to see who it was."
          : "No single callout held it: short ones followed each other without a wait.")
        : "Move that work off the thread, or cut it into pieces.",
      evidence: intervals.prefix(4).map {
        Finding.Evidence(
          startNs: $0.startNs, durationNs: $0.durationNs, callout: culprit($0, analysis)?.0,
          note: "busy without a wait")
      }, weight: intervals.reduce(0) { $0 &+ $1.durationNs }, subject: who?.0 ?? "thread \(name)")
  }

  static func threadName(_ index: UInt32, _ analysis: Analysis) -> String {
    let name = analysis.trace.threads.first { $0.index == index }?.name ?? ""
    return name.isEmpty ? "\(index)" : Say.name(name)
  }

  /// The callout that took most of the longest gap in an interval.
  private static func culprit(_ interval: BusyInterval, _ analysis: Analysis) -> (String, UInt64)? {
    let end = interval.startNs &+ interval.durationNs &+ interval.suspendedNs
    let inside = analysis.gaps.filter {
      $0.thread == interval.thread && $0.startNs >= interval.startNs && $0.startNs < end
    }
    guard let callout = inside.max(by: { $0.durationNs < $1.durationNs })?.callouts.first else { return nil }
    return ("\(callout.kind) \(Say.name(callout.name))", callout.durationNs)
  }

  private static func overLimit(_ analysis: Analysis) -> [Finding] {
    guard let profile = analysis.profile else { return [] }
    return analysis.gaps.filter { !$0.isUncertain && !$0.isOutside }
      .compactMap { gap -> Finding? in
        guard let limit = gap.limitNs,
          gap.durationNs >= limit || profile.isWatchdog && isAtLeast(gap.durationNs, 0.25, of: limit)
        else { return nil }
        let isOver = gap.durationNs >= limit
        let who = gap.callouts.first.map { " in \($0.kind) \(Say.name($0.name))" } ?? ""
        return Finding(
          rule: .overLimit,
          severity: isOver ? .error : isAtLeast(gap.durationNs, 0.5, of: limit) ? .warning : .info,
          text:
            "A gap of \(Units.duration(gap.durationNs)) after \(gap.after.name)\(who): "
            + "\(Units.percent(gap.durationNs, of: limit)) of the \(Units.duration(limit)) that profile \(profile.name) allows.",
          remedy: "Move that work off the thread, or cut it into pieces.",
          evidence: [
            Finding.Evidence(
              startNs: gap.startNs, durationNs: gap.durationNs, callout: gap.callouts.first?.name, note: "gap"
            )
          ], weight: gap.durationNs, subject: gap.callouts.first?.name ?? gap.after.name)
      }
      .sorted { $0.weight > $1.weight }.prefix(20).map { $0 }
  }
}
