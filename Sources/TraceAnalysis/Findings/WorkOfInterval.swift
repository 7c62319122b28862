/// What a busy interval's time went to, in words.
struct WorkOfInterval {
  struct Work {
    var kind: String
    var name: String
    var ns: UInt64
  }

  /// Most time first.
  private let works: [Work]
  private let durationNs: UInt64
  private let isShort: Bool
  private let isKnown: Bool

  init(_ interval: BusyInterval, _ analysis: Analysis) {
    durationNs = interval.durationNs
    let end = interval.startNs &+ interval.durationNs &+ interval.suspendedNs
    let gaps = analysis.gaps.filter {
      $0.thread == interval.thread && $0.startNs >= interval.startNs && $0.startNs < end
    }
    isKnown = !gaps.isEmpty
    isShort = gaps.allSatisfy { $0.durationNs < AnalysisLimits.hangNs }
    var sums: [Work] = []
    for callout in gaps.flatMap(\.callouts) {
      if let at = sums.firstIndex(where: { $0.kind == callout.kind && $0.name == callout.name }) {
        sums[at].ns &+= callout.durationNs
      } else {
        sums.append(Work(kind: callout.kind, name: callout.name, ns: callout.durationNs))
      }
    }
    works = sums.sorted { ($1.ns, $0.kind, $0.name) < ($0.ns, $1.kind, $1.name) }
  }

  private var total: UInt64 { works.reduce(0) { $0 &+ $1.ns } }
  private var isMostlyNamed: Bool { isAtLeast(total, 0.5, of: durationNs) }

  /// Who took most of what is known, when most is known.
  var culprit: Work? { isMostlyNamed ? works.first : nil }

  var sentence: Sentence {
    guard isKnown else { return "no gap in it is long enough to be listed" }
    guard let first = works.first else { return "none of it was in a recorded callout" }
    guard isMostlyNamed else {
      return "only \(ns: total, "callouts_ns") of it was in recorded callouts"
    }
    let who = Say.callout(first.kind, first.name)
    if isAtLeast(first.ns, 0.5, of: durationNs) { return "\(who) took \(ns: first.ns, "culprit_ns") of it" }
    return
      "callouts took \(ns: total, "callouts_ns") of it in turn, \(who) the most with \(ns: first.ns, "culprit_ns")"
  }

  func advice(_ analysis: Analysis) -> Sentence {
    if isMostlyNamed {
      return isShort
        ? "Short callouts followed each other without a wait: let the loop wait between them, or do less in each."
        : "Move that work off the thread, or cut it into pieces."
    }
    return analysis.trace.captureLevel == .activities
      ? "Record the items that run in it, to see who it was."
      : "What ran is not in this recording: observers, the run loop itself, or code around it. Stacks of a profiler say."
  }
}
