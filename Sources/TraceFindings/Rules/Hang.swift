import TraceResults

extension RuleID { public static let hang: RuleID = "RL002" }

extension FindingRule {
  /// Loops that did not come back, by Apple's classes. One finding per thread and culprit, the longest as evidence.
  static let hang = FindingRule(
    .hang, "the loop hangs", plural: .times("hangs"), needs: [.hangLengths], basis: .hangs, of: Hang.groups,
    find: Hang.finding)
}

/// A hang, and where its time went.
private struct Hang {
  var interval: BusyInterval
  var work: WorkOfInterval

  /// As evidence names it.
  var culprit: String? { work.culprit.map { "\($0.kind) \($0.name)" } }
  /// Of one callout, different functions are different hangs.
  var place: String { work.stall?.place ?? "" }

  /// Those of one culprit and function on one thread, the longest first; by thread, those of nobody in particular first.
  static func groups(_ analysis: Analysis) -> [[Hang]] {
    let hangs = analysis.busy.filter(\.isHang).map { Hang(interval: $0, work: WorkOfInterval($0, analysis)) }
      .sorted {
        let (a, b) = ($0.interval, $1.interval)
        return (a.thread, $0.culprit ?? "", $0.place, b.hangLengthNs, a.startNs)
          < (b.thread, $1.culprit ?? "", $1.place, a.hangLengthNs, b.startNs)
      }
    return hangs.reduce(into: []) { groups, hang in
      if let last = groups.last?[0], last.interval.thread == hang.interval.thread,
        last.culprit == hang.culprit, last.place == hang.place
      {
        groups[groups.count - 1].append(hang)
      } else {
        groups.append([hang])
      }
    }
  }

  static func finding(_ hangs: [Hang], _ analysis: Analysis) -> Finding {
    let worst = hangs[0]
    let thread = analysis.thread(worst.interval.thread)
    let length = worst.interval.hangLengthNs
    let kind = BusyClass(ns: length) ?? .microhang
    let what =
      thread.isMainQueue
      ? "was busy for"
      : kind == .severeHang ? "did not come back for" : kind == .hang ? "hung for" : "was unresponsive for"
    let total = hangs.map(\.interval.hangLengthNs).saturatedSum
    let times: Sentence =
      hangs.count > 1
      ? ". \(count: UInt64(hangs.count), "hangs", "hang", "hangs") of this kind took \(ns: total, "hangs_ns") in all"
      : ""
    let open: Sentence = worst.interval.isOpen ? ". It was not over when \(Say.end(analysis))" : ""
    let outside: Sentence =
      worst.interval.isMostlyOutside
      ? " (and was outside runs for \(ns: worst.interval.outsideNs, "outside_ns") besides)" : ""
    var finding = Finding(
      kind == .severeHang ? .error : .warning,
      "\(Say.loop(of: thread)) \(what) \(ns: length, "busy_ns")\(outside): \(worst.work.sentence)\(worst.work.blame)\(times)\(open)",
      advice: worst.work.stall?.remedy.map { "\($0)" } ?? worst.work.advice(analysis.trace.captureLevel),
      headline: .time(length, "without a wait"),
      evidence: hangs.prefix(4).map {
        .span($0.interval.startNs, $0.interval.durationNs, "busy without a wait", callout: $0.culprit)
      }, weight: total,
      subject: worst.work.culprit?.name ?? thread.name,
      cause: ", \(Say.on(thread))\(worst.work.cause)", times: UInt64(hangs.count))
    finding.blocker = worst.place
    finding.thread = worst.interval.thread
    if thread.isMainQueue { finding.title = "the main queue hangs" }
    return finding
  }
}
