import ReportWriting
import TraceFleet
import TraceResults
import TraceTables

/// Writes a fleet as JSON and CSV. docs/reference/commands/fleet.md defines each key.
package enum FleetJSON {
  package typealias Document = (fleet: Fleet, keys: [String], judgement: FleetJudgement?)

  package static let document = JSONDocument<Document>("rltrace.fleet/1", "numbers of many recordings") {
    Column("keys", "the keys that make a group") { $0.keys }
    Column("sessions", "recordings") { $0.fleet.sessions }
    Column("lossy_sessions", "recordings with losses, left out of all other numbers") { $0.fleet.lossy }
    Column("repeated", "repeated summaries of a trace, which were not added") { $0.fleet.repeated }
    Column("rejected", "lines that are not summaries, which were left out") { $0.fleet.rejected }
    Column("outcome", "regression, none or undecided; null = no builds were compared") {
      $0.judgement.map { $0.isUndecided ? "undecided" : $0.regressions.isEmpty ? "none" : "regression" }
    }
    Column("headline", "the clearest regression in words; null = no builds were compared") {
      $0.judgement?.headline
    }
    Column.rows(groups) { FleetGroup.all($0.fleet, by: $0.keys) }
    Column.rows(tests) { $0.judgement?.rows ?? [] }
  }

  private static let groups = ResultTable<FleetGroup>("groups", "one row per group") {
    Column("group", "keys and values") { $0.name }
    Column("sessions", "recordings") { $0.sessions }
    Column("lossy_sessions", "recordings with losses, left out of the numbers below") { $0.lossy }
    Column("span_ns", "time recorded") { $0.spanNs }
    Column("hangs", "busy intervals of 250 ms or more on main loops") { $0.hangs }
    Column("hang_ns", "their total time") { $0.hangNs }
    Column("hang_ns_per_hour", "their time per hour in runs of the loop") { $0.hangNsPerHour }
    Column("sessions_with_hangs", "share of sessions with a hang") { $0.sessionsWithHangs }
    Column("busy_share", "share of the loop's time in which it did not wait") { $0.busyShare }
    Column("due", "due points of timers") { $0.due }
    Column("skipped", "due points without a fire") { $0.skipped }
    Column("skipped_share", "skipped ÷ due") { $0.skippedShare }
    Column(
      "skipped_wrong_mode_share",
      "due points that were skipped because the running mode lacks the timer ÷ due"
    ) {
      $0.starvedShare
    }
    Column("overdue_ns", "lateness of all fires") { $0.overdueNs }
    Column("pass_p50_ns", "lengths of passes in modes of main loops") { $0.pass(0.5) }
    Column("pass_p90_ns", "") { $0.pass(0.9) }
    Column("pass_p99_ns", "") { $0.pass(0.99) }
    Column("lateness_p50_ns", "lateness of fires") { $0.lateness(0.5) }
    Column("lateness_p99_ns", "") { $0.lateness(0.99) }
    HitchColumns.time.saying("hitch time of judged frame sources; null = none was active").of { $0.frames }
    Column("frames_active_ns", "active time of these sources") { $0.frames?.activeNs }
    HitchColumns.ratio.saying("milliseconds of hitch per second of their active time").of { $0.frames }
  }

  private static let tests = ResultTable<FleetJudgement.Row>(
    "tests", "one row per question, and per part of the fleet with enough sessions"
  ) {
    Column("question", "the number that each session has") { $0.question.rawValue }
    Column("subject", "mode, timer or callout; empty = the session") { $0.subject }
    Column("stratum", "keys and values of the part; empty = the whole fleet") { $0.place }
    Column("outcome", "worse, better, minor (smaller than relevant), same or too_few") { $0.outcome.rawValue }
    Column("decides", "whether a worse outcome is a regression") { $0.question.decides }
    Column("base_mean", "mean of the sessions, weighted by the strata of the base") { $0.test.baseMean }
    Column("new_mean", "mean of the sessions, weighted by the strata of the base") { $0.test.newMean }
    Column(
      "difference_low",
      "95 % interval of new mean − base mean, which contains 0 if the p-value is above 5 %; null = too few sessions"
    ) {
      $0.test.difference?.low
    }
    Column("difference_high", "its upper end") { $0.test.difference?.high }
    Column("p_value", "two-sided p-value of a permutation test within strata") { $0.test.pValue }
    Column("base_sessions", "sessions of the base") { $0.test.baseSessions }
    Column("new_sessions", "sessions of the new build") { $0.test.newSessions }
  }

  /// Returns the groups as CSV.
  package static func csv(_ fleet: Fleet, by keys: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    CSV.row(groups.columns.map { .text($0.name) }, to: &bytes)
    for group in FleetGroup.all(fleet, by: keys) { CSV.row(groups.cells(group), to: &bytes) }
    return bytes
  }
}
