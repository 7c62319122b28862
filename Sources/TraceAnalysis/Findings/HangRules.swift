import TraceReplay

/// Loops that did not come back: hangs by Apple's classes, and gaps against the profile's limits.
enum HangRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    hangs(analysis) + outsideRuns(analysis) + overLimit(analysis)
  }

  /// A hang, and where its time went.
  private struct Hang {
    var interval: BusyInterval
    var work: WorkOfInterval
  }

  /// One finding per thread and culprit, the longest as evidence.
  private static func hangs(_ analysis: Analysis) -> [Finding] {
    struct Place: Hashable, Comparable {
      var thread: UInt32
      /// Empty = nobody in particular.
      var culprit: String
      static func < (a: Place, b: Place) -> Bool { (a.thread, a.culprit) < (b.thread, b.culprit) }
    }
    var groups: [Place: [Hang]] = [:]
    for interval in analysis.busy where interval.isHang {
      let hang = Hang(interval: interval, work: WorkOfInterval(interval))
      let culprit = hang.work.culprit.map { "\($0.kind) \($0.name)" } ?? ""
      groups[Place(thread: interval.thread, culprit: culprit), default: []].append(hang)
    }
    return groups.sorted { $0.key < $1.key }.map { place, hangs in
      finding(
        hangs.sorted {
          ($1.interval.hangLengthNs, $0.interval.startNs) < ($0.interval.hangLengthNs, $1.interval.startNs)
        },
        place.thread, analysis)
    }
  }

  private static func finding(_ hangs: [Hang], _ thread: UInt32, _ analysis: Analysis) -> Finding {
    let worst = hangs[0]
    let length = worst.interval.hangLengthNs
    let kind = BusyClass(ns: length) ?? .microhang
    let what =
      kind == .severeHang ? "did not come back for" : kind == .hang ? "hung for" : "was unresponsive for"
    let total = hangs.reduce(0) { $0 &+ $1.interval.hangLengthNs }
    let times: Sentence =
      hangs.count > 1
      ? " \(count: UInt64(hangs.count), "hangs", "hang", "hangs") of this kind took \(ns: total, "hangs_ns") in all."
      : ""
    let open: Sentence = worst.interval.isOpen ? " It was not over when \(Say.end(analysis))." : ""
    let outside: Sentence =
      worst.interval.isMostlyOutside
      ? " (and ran no loop for \(ns: worst.interval.outsideNs, "outside_ns") in between)" : ""
    let name = Say.thread(thread, analysis)
    let culprit = worst.work.culprit
    return Finding(
      .hang, kind == .severeHang ? .error : .warning,
      "The loop of thread \(name) \(what) \(ns: length, "busy_ns")\(outside): \(worst.work.sentence).\(times)\(open)",
      advice: worst.work.advice(analysis.trace.captureLevel),
      headline: Finding.Headline(value: Units.duration(length), label: "without a wait"),
      evidence: hangs.prefix(4).map { hang in
        Finding.Evidence(
          startNs: hang.interval.startNs, durationNs: hang.interval.durationNs,
          callout: hang.work.culprit.map { "\($0.kind) \($0.name)" }, note: "busy without a wait")
      }, weight: total,
      subject: culprit?.name ?? analysis.trace.threads.first { $0.index == thread }?.name ?? "")
  }

  private static func outsideRuns(_ analysis: Analysis) -> [Finding] {
    let intervals = analysis.busy.filter {
      $0.isMostlyOutside && $0.durationNs >= FindingLimits.outsideRunsNs
    }
    guard let worst = intervals.max(by: { ($0.outsideNs, $1.startNs) < ($1.outsideNs, $0.startNs) }) else {
      return []
    }
    return [
      Finding(
        .outsideRuns, .info,
        "Thread \(Say.thread(worst.thread, analysis)) ran no loop for \(ns: worst.outsideNs, "outside_ns"): whether it worked, waited or was suspended is not in this recording.",
        headline: Finding.Headline(value: Units.duration(worst.outsideNs), label: "outside runs"),
        evidence: [
          Finding.Evidence(
            startNs: worst.startNs, durationNs: worst.durationNs, callout: nil, note: "between two waits")
        ], weight: worst.outsideNs)
    ]
  }

  private static func overLimit(_ analysis: Analysis) -> [Finding] {
    guard let profile = analysis.profile else { return [] }
    return analysis.gaps.filter { !$0.isUncertain && !$0.isOutside }
      .compactMap { gap -> Finding? in
        guard let limit = gap.limitNs,
          gap.durationNs >= limit || profile.isWatchdog && isAtLeast(gap.durationNs, 0.25, of: limit)
        else { return nil }
        let isOver = gap.durationNs >= limit
        let who: Sentence = gap.callouts.first.map { " in \(Say.callout($0.kind, $0.name))" } ?? ""
        return Finding(
          .overLimit, isOver ? .error : isAtLeast(gap.durationNs, 0.5, of: limit) ? .warning : .info,
          "A gap of \(ns: gap.durationNs, "gap_ns") after \(gap.after.name)\(who): \(percent: gap.durationNs, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that profile \(name: profile.name) allows.",
          advice: "Move that work off the thread, or cut it into pieces.",
          headline: Finding.Headline(value: Units.duration(gap.durationNs), label: "in one gap"),
          evidence: [
            Finding.Evidence(
              startNs: gap.startNs, durationNs: gap.durationNs,
              callout: gap.callouts.first.map { "\($0.kind) \($0.name)" }, note: "gap")
          ], weight: gap.durationNs, subject: gap.callouts.first?.name ?? gap.after.name)
      }
  }
}
