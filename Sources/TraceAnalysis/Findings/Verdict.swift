/// The answer to "is something wrong?": the top-ranked finding, or that there is none, or that nothing could be judged.
public struct Verdict: Sendable {
  public enum Outcome: String, Sendable, CaseIterable {
    /// The top-ranked finding is an error or a warning.
    case fault
    /// A loop ran, and no rule found an error or a warning.
    case clear
    /// There is nothing that an all-clear could be said of.
    case undecided
  }

  public var outcome: Outcome
  /// The top-ranked finding; nil when there is none, and when the outcome is undecided.
  public var finding: Finding?
  /// Why nothing could be judged, whatever was found besides: no loop ran, or the span is empty. Nil = a loop ran.
  public var nothingToJudge: String?
  /// One or two sentences.
  public var text: String
  /// What usually helps; empty = nothing to do.
  public var remedy: String

  /// Of the top-ranked finding.
  public var rule: RuleID? { finding?.rule }
  public var severity: Finding.Severity? { finding?.severity }

  /// Of nothing.
  init() {
    outcome = .undecided
    nothingToJudge = "nothing was analyzed"
    text = "Undecided: nothing was analyzed."
    remedy = ""
  }

  /// Of all rows of an analysis, findings and span included.
  init(_ analysis: Analysis) {
    nothingToJudge = Verdict.nothingToJudge(analysis)
    if let worst = analysis.findings.first, worst.severity < .info {
      outcome = .fault
      finding = worst
      text = worst.text
      remedy = worst.remedy
    } else if let reason = nothingToJudge ?? Verdict.doubt(analysis) {
      outcome = .undecided
      text = "Undecided: \(reason)."
      remedy = ""
    } else {
      outcome = .clear
      finding = analysis.findings.first
      text = Verdict.allClear(analysis)
      remedy = finding?.remedy ?? ""
    }
  }

  private static func nothingToJudge(_ analysis: Analysis) -> String? {
    let trace = analysis.trace
    if analysis.loops.contains(where: { $0.timeNs > 0 || $0.runs > 0 || $0.passes > 0 }) { return nil }
    let end = Units.duration(trace.durationNs)
    if trace.fromNs > trace.durationNs {
      return "the span begins at \(Units.moment(trace.fromNs)), and the recording ends at \(end)"
    }
    let isWhole = trace.fromNs == 0 && trace.toNs >= trace.durationNs
    if trace.events == 0 {
      return isWhole ? "the recording holds no events" : "the span holds no events, and no run loop ran in it"
    }
    let span = isWhole ? "this recording" : "the span"
    return analysis.emptyRuns.isEmpty
      ? "no run loop ran in \(span)" : "in \(span) run loops only ran modes that had nothing in them"
  }

  /// What may be a hang, and is in no finding because its length is not known.
  private static func doubt(_ analysis: Analysis) -> String? {
    func who(_ thread: UInt32) -> String { "thread \(Say.thread(thread, analysis).text())" }
    if let edge = analysis.busyAtBreak.max(by: { $0.durationNs < $1.durationNs }) {
      return
        "the recording breaks off while \(who(edge.thread)) was busy, for \(Units.duration(edge.durationNs)) by then; how long that went on is not known"
    }
    if let edge = analysis.hangsAtStart.max(by: { $0.durationNs < $1.durationNs }) {
      return
        "\(who(edge.thread)) was busy when the span began, and for \(Units.duration(edge.durationNs)) in it; a hang counts where it begins"
    }
    if let worst = analysis.uncertainHangs.max(by: { $0.hangLengthNs < $1.hangLengthNs }) {
      return
        "\(who(worst.thread)) may have hung for \(Units.duration(worst.hangLengthNs)), but that is uncertain: events were lost in it, or the recorder itself was late"
    }
    return nil
  }

  /// It claims what the numbers show, and no more.
  private static func allClear(_ analysis: Analysis) -> String {
    var claims = ["no run loop hung"]
    let ledgers = analysis.timers.map(\.ledger)
    let known = ledgers.compactMap(\.self)
    if !known.isEmpty, known.count == ledgers.count, !analysis.trace.hasUnseenObjects,
      known.allSatisfy({ $0.skipped == 0 })
    {
      claims.append("no timer missed a fire")
    }
    let clear = "Nothing wrong was found: \(claims.joined(separator: ", "))."
    guard let info = analysis.findings.first else { return clear }
    let rest = UInt64(analysis.findings.count - 1)
    let others = rest > 0 ? " (And \(Say.count(rest, "more fact", "more facts")) below.)" : ""
    return "\(clear) To know: \(info.text)\(others)"
  }
}
