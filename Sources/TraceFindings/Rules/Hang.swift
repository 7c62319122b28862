import TraceFormat
import TraceResults

extension RuleID { public static let hang: RuleID = "RL002" }

extension FindingRule {
  /// Loops that did not come back, by Apple's classes. One finding per thread and culprit, the longest as evidence.
  static let hang = FindingRule(.hang, "the loop hangs", needs: [.hangLengths], basis: .hangs) { analysis in
    struct Place: Hashable, Comparable {
      var thread: UInt32
      /// Empty = nobody in particular.
      var culprit: String
      static func < (a: Place, b: Place) -> Bool { (a.thread, a.culprit) < (b.thread, b.culprit) }
    }
    let hangs = analysis.busy.filter(\.isHang).map { Hang(interval: $0, work: WorkOfInterval($0, analysis)) }
    let groups = Dictionary(grouping: hangs) {
      Place(thread: $0.interval.thread, culprit: $0.culprit ?? "")
    }
    return groups.sorted { $0.key < $1.key }.map { place, hangs in
      Hang.finding(
        hangs.sorted {
          ($1.interval.hangLengthNs, $0.interval.startNs) < ($0.interval.hangLengthNs, $1.interval.startNs)
        },
        analysis.thread(place.thread), analysis)
    }
  }
}

/// A hang, and where its time went.
private struct Hang {
  var interval: BusyInterval
  var work: WorkOfInterval

  /// As evidence names it.
  var culprit: String? { work.culprit.map { "\($0.kind) \($0.name)" } }

  /// Of those of one culprit on one thread, the longest first.
  static func finding(_ hangs: [Hang], _ thread: ThreadDefinition, _ analysis: Analysis) -> Finding {
    let worst = hangs[0]
    let length = worst.interval.hangLengthNs
    let kind = BusyClass(ns: length) ?? .microhang
    let what =
      kind == .severeHang ? "did not come back for" : kind == .hang ? "hung for" : "was unresponsive for"
    let total = hangs.reduce(0) { $0 &+ $1.interval.hangLengthNs }
    let times: Sentence =
      hangs.count > 1
      ? ". \(count: UInt64(hangs.count), "hangs", "hang", "hangs") of this kind took \(ns: total, "hangs_ns") in all"
      : ""
    let open: Sentence = worst.interval.isOpen ? ". It was not over when \(Say.end(analysis))" : ""
    let outside: Sentence =
      worst.interval.isMostlyOutside
      ? " (and ran no loop for \(ns: worst.interval.outsideNs, "outside_ns") in between)" : ""
    return Finding(
      kind == .severeHang ? .error : .warning,
      "The loop of thread \(Say.thread(thread)) \(what) \(ns: length, "busy_ns")\(outside): \(worst.work.sentence)\(worst.work.blame)\(times)\(open)",
      advice: worst.work.stall?.remedy.map { "\($0)" } ?? worst.work.advice(analysis.trace.captureLevel),
      headline: Finding.Headline(value: Units.duration(length), label: "without a wait"),
      evidence: hangs.prefix(4).map {
        Finding.Evidence(
          startNs: $0.interval.startNs, durationNs: $0.interval.durationNs, callout: $0.culprit,
          note: "busy without a wait")
      }, weight: total,
      subject: worst.work.culprit?.name ?? thread.name)
  }
}
