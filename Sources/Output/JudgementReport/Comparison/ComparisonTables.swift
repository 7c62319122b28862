import ReportWriting
import TraceAnalysis
import TraceComparison
import TraceTables

/// The tables of a comparison in documents.
enum ComparisonTables {
  typealias Side = (name: String, file: String, analysis: Analysis)

  static let side = ResultTable<Side>("side", "one of the traces") {
    Column(Heading("trace", at: 1)) { $0.name }
    Column("file", "file name as given") { $0.file }.headed("file", at: 2)
      .instead { .words(harmless($0.file, limit: 200)) }
    RecordingTables.outline.map { $0.ofEach { $0.analysis.trace } }
    Column("length_ns", "length of the analyzed span") { $0.analysis.trace.toNs &- $0.analysis.trace.fromNs }
      .headed("length", at: 3)
    Column.row(FindingTables.verdict) { $0.analysis.verdict }
    Column.row(EndTables.end) { $0.analysis.end }
    Column.rows(UnservedTables.unserved) { $0.analysis.unserved }
    Column(Heading("verdict", at: 8)) { $0.analysis.verdict.line }
  }

  static let relevant = ResultTable<RelevantDifference>(
    "relevant", "the smallest relevant difference"
  ) {
    Column("share", "smallest difference as a share of the shorter time") { $0.share }
    Column("ns", "smallest difference in nanoseconds; both limits apply") { $0.ns }
    Column("effect", "smallest effect between distributions") { $0.effect.name }
  }

  static let verdict = ResultTable<ComparisonVerdict>(
    "verdict", "answer to the question of whether NEW is better or worse"
  ) {
    Column("outcome", "same, different, better, worse, mixed or undecided") { $0.outcome.rawValue }
    Column("headline", "first sentence of the verdict") { $0.headline }
    Column.rows(reasons) { $0.reasons }
  }

  private static let reasons = ResultTable<ComparisonVerdict.Reason>(
    "reasons", "reasons for the verdict, the biggest first"
  ) {
    Column("worse", "true = NEW is worse, false = NEW is better") { $0.isWorse }
    Column("text", "reason as a sentence without a full stop") { $0.text }
  }

  static let rows = ResultTable<ComparedRow>("rows", "compared subjects, one row per subject of either trace")
  {
    Column("about", "trace, mode, timer, callout, source, queue or state") { $0.subject.kind }
    Column("thread", "role of the thread") { $0.subject.names.thread }
    Column("mode", "") { $0.subject.names.mode }
    Column("kind", "kind of the callout or queue; name of the state") { $0.subject.names.kind }
    Column("name", "for a state, the value; null = it has none") { $0.subject.names.name }
    Column("site", "creation site of the timer") { $0.subject.names.timer?.site }
    Column("interval_ns", "interval of the timer") { $0.subject.names.timer?.intervalNs }
    Column("modes", "modes of the timer") { $0.subject.names.timer?.modes }
    Column("presence", "trace that has it: both, base or new") { $0.presence.rawValue }
    Column("difference", "greatest difference in the row: none, minor or relevant") { $0.difference.name }
    Column("changes", "changes of the timer's settings or of the callout's name, in words") { $0.changes }
    Column.rowsByName(counts) { $0.counts.map { ($0.measure.name, $0) } }
    Column.rowsByName(distributions) { $0.distributions.map { ($0.measure.timesKey, $0) } }
    Column.row(times, ifAny: { $0.times })
    Column.row(hangs, ifAny: { $0.hangs })
    Column.rowIfAny(frames) { $0.frames }
  }

  private static let counts = ResultTable<ComparedCount>("counts", "counts, one row per count") {
    base
    new
    difference
  }

  static let base = Column<ComparedCount>("base", "count in BASE; null = unknown or absent") { $0.base }
    .headed("base", at: 3)
  static let new = Column<ComparedCount>("new", "count in NEW; null = unknown or absent") { $0.new }
    .headed("new", at: 4)
  private static let difference = Column<ComparedCount>("difference", "none, minor or relevant") {
    $0.difference.name
  }

  private static let distributions = ResultTable<ComparedDistribution>(
    "distributions", "distributions of times, one row per measure"
  ) {
    Column.row(DistributionColumns.all, as: "base") { $0.base }
    Column.row(DistributionColumns.all, as: "new") { $0.new }
    Column.row(test, ifAny: { $0.test })
    Column.row(test, as: "relevant_test", ifAny: { $0.relevantTest })
    Column.row(tailTest, ifAny: { $0.tailTest })
    Column("difference", "none, minor or relevant") { $0.difference.name }
  }

  private static let test = ResultTable<RankTest>("test", "result of a rank test") {
    Column("cliffs_delta", "how much more often the value of NEW is the longer one, from -1 to 1") {
      $0.delta
    }
    Column("effect", "size of the effect by the usual thresholds of Cliff's delta") { $0.effect.name }
    Column("mann_whitney_u", "statistic U of NEW") { $0.u }
    Column("z", "statistic z, corrected for ties and continuity") { $0.z }
    Column("p_value", "two-sided p-value") { $0.pValue }
  }

  private static let tailTest = ResultTable<TailTest>(
    "tail_test", "result of a test of the numbers of long values"
  ) {
    Column("threshold_ns", "length from which values count as long") { $0.thresholdNs }
    Column("long_in_base", "number of long values in BASE") { $0.longInBase }
    Column("long_in_new", "number of long values in NEW") { $0.longInNew }
    Column("p_value", "two-sided p-value, corrected for the number of thresholds") { $0.pValue }
  }

  private static let times = ResultTable<ComparedTimes>("times", "times of callouts that both traces have") {
    Column.row(sums, as: "base") { $0.base }
    Column.row(sums, as: "new") { $0.new }
    Column("difference", "difference of the sums: none, minor or relevant") { $0.difference.name }
  }

  static let sums = ResultTable<CalloutTimes>("sums", "times of the callouts of one name") {
    Column("time_ns", "total time of the callouts") { $0.timeNs }
    Column("mean_ns", "mean time of a callout") { $0.meanNs }.headed("mean", at: 2)
    Column("longest_ns", "time of the longest callout") { $0.longestNs }.headed("longest", at: 2)
  }

  private static let hangs = ResultTable<ComparedHangs>("hangs", "hangs of the trace or of a mode") {
    Column.row(hangTimes, as: "base") { $0.base }
    Column.row(hangTimes, as: "new") { $0.new }
    Column("longest_difference", "difference of the longest hangs: none, minor or relevant") {
      $0.longest.name
    }
    Column("time_difference", "difference of the sums: none, minor or relevant") { $0.sum.name }
  }

  static let hangTimes = ResultTable<HangTimes>(
    "hang_times", "hangs of one trace, measured by the length that counts as a hang"
  ) {
    Column("count", "number of hangs") { $0.count }.headed("count", at: 2)
    Column("longest_ns", "longest hang; null = there is none") { $0.count > 0 ? $0.longestNs : nil }.headed(
      "longest", at: 2)
    Column("time_ns", "total time of the hangs") { $0.timeNs }.headed("total", at: 2)
      .instead { $0.count > 0 ? nil : .unknown }
  }

  private static let frames = ResultTable<ComparedFrames>(
    "frames",
    "hitches of a frame source that both traces judge, or in a value of a state; absent for other rows"
  ) {
    Column.row(hitchTimes, as: "base") { $0.base }
    Column.row(hitchTimes, as: "new") { $0.new }
    Column("p_value", "two-sided p-value of the difference of the hitch ratios") { $0.pValue }
    Column("difference", "difference of the hitch ratios: none, minor or relevant") { $0.difference.name }
  }

  static let hitchTimes = ResultTable<HitchTime>("hitch_times", "hitches of one trace") {
    HitchColumns.ratio.headed("hitch ratio", at: 2)
    HitchColumns.count.headed("hitches", at: 2)
    HitchColumns.time
    HitchColumns.longest.headed("longest", at: 2)
    HitchColumns.active
  }

  static let findings = ResultTable<ComparedFinding>(
    "findings", "findings that only one trace has, or that have another severity in the other"
  ) {
    Column("presence", "trace that has it: both, base or new") { $0.presence.rawValue }
    [
      FindingTables.rule, FindingTables.severity, FindingTables.title, FindingTables.subject,
      FindingTables.text,
    ].map { $0.ofEach { $0.finding } }
    Column("former_severity", "severity in BASE, if it changed") { $0.former?.severity.name }
    Column("difference", "minor or relevant") { $0.difference.name }
  }
}
