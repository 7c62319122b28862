import TraceFormat
import TraceResults

extension RuleID { package static let hang: RuleID = "RL002" }

extension FindingRule {
  /// Reports hangs by Apple's classes. Hangs of one thread, culprit and set of functions share a finding, which
  /// describes the longest.
  static let hang = FindingRule(
    .hang, "the loop hangs", plural: .times("hangs"), needs: [.hangLengths], basis: .hangs, of: Hang.groups,
    find: Hang.finding)
}

/// A hang and the work that took its time.
private struct Hang {
  var interval: BusyInterval
  var work: WorkOfInterval

  /// The culprit as evidence names it.
  var culprit: String? { work.culprit.map { "\($0.kind) \($0.name)" } }
  /// The functions that took the time, and their caller. Hangs in the same callout are of one kind if they share at
  /// least one of these functions.
  var functions: Set<String> {
    guard let stall = work.stall, let holder = stall.holder else { return [] }
    guard stall.caller != nil else { return [holder.frame.name] }
    return Set(stall.functions.map(\.frame.name) + [holder.frame.name])
  }

  /// Groups hangs by thread, culprit and functions, the longest first. On each thread, hangs without a culprit come
  /// first.
  static func groups(_ analysis: Analysis) -> [[Hang]] {
    let hangs = analysis.busy.filter { $0.isHang && analysis.countsAsHeld($0) }.map {
      Hang(interval: $0, work: WorkOfInterval($0, analysis))
    }
    .ordered {
      let (a, b) = ($0.interval, $1.interval)
      return (a.thread, $0.culprit ?? "", b.hangLengthNs, a.startNs)
        < (b.thread, $1.culprit ?? "", a.hangLengthNs, b.startNs)
    }
    var groups: [(functions: Set<String>, hangs: [Hang])] = []
    for hang in hangs {
      let functions = hang.functions
      let known = groups.firstIndex { group in
        group.hangs[0].interval.thread == hang.interval.thread && group.hangs[0].culprit == hang.culprit
          && (functions.isEmpty ? group.functions.isEmpty : !group.functions.isDisjoint(with: functions))
      }
      if let known {
        groups[known].hangs.append(hang)
        groups[known].functions.formUnion(functions)
      } else {
        groups.append((functions, [hang]))
      }
    }
    return groups.map(\.hangs)
  }

  static func finding(_ hangs: [Hang], _ analysis: Analysis) -> Finding {
    let worst = hangs[0]
    let thread = analysis.thread(worst.interval.thread)
    let length = worst.interval.hangLengthNs
    let kind = BusyClass(ns: length) ?? .microhang
    let what =
      thread.isMainQueue
      ? "was busy for"
      : kind == .microhang ? "was unresponsive for" : "hung for"
    let total = hangs.map(\.interval.hangLengthNs).saturatedSum
    let times: Sentence =
      hangs.count > 1
      ? ". \(count: UInt64(hangs.count), "hangs", "hang", "hangs") of this kind took \(ns: total, "hangs_ns") in all"
      : ""
    let isEventLoop = analysis.eventLoop(of: worst.interval.thread) != nil
    let open: Sentence =
      isEventLoop
      ? EventLoopWords.waited(worst.interval, analysis)
      : worst.interval.isOpen ? ". The hang was not over when \(Phrase.end(analysis))" : ""
    let outside: Sentence =
      worst.interval.isMostlyOutside
      ? " (and was outside runs for another \(ns: worst.interval.outsideNs, "outside_ns"))" : ""
    let loop = LoopHangs(worst.interval.thread, analysis)
    let judged = loop.judge(hangs.map(\.interval))
    let isBackground = loop.isBackground
    var finding = Finding(
      judged.severity,
      "\(Phrase.loop(of: thread)) \(what) \(ns: length, "busy_ns")\(outside): \(worst.work.sentence)\(worst.work.blame)\(times)\(open)\(judged.why)",
      advice: isBackground
        ? "Only the work that this loop serves is delayed." : worst.work.stall?.advice ?? worst.work.advice,
      headline: .time(length, "without a wait"),
      evidence: hangs.prefix(4).map {
        .span($0.interval.startNs, $0.interval.durationNs, "busy without a wait", callout: $0.culprit)
      }, weight: total,
      subject: worst.work.culprit?.name ?? thread.name,
      cause: ", \(Phrase.on(thread))\(worst.work.cause)", times: UInt64(hangs.count))
    finding.isAboutThread = worst.work.culprit == nil
    finding.blame(worst.work.stall)
    finding.thread = worst.interval.thread
    if thread.isMainQueue { finding.title = "the main queue hangs" }
    if isBackground { finding.title = "the loop of another thread hangs" }
    return finding
  }
}
