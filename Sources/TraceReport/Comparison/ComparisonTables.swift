import TraceAnalysis
import TraceComparison
import TraceTables

/// The tables of a comparison in documents.
enum ComparisonTables {
  typealias Side = (name: String, file: String, analysis: Analysis)

  static let side = ResultTable<Side>("side", "one of the traces") {
    Column(Heading("trace", at: 1)) { $0.name }
    Column("file", "as it was named") { $0.file }.headed("file", at: 2)
      .instead { .words(harmless($0.file, limit: 200)) }
    RecordingTables.outline.map { $0.ofEach { $0.analysis.trace } }
    Column("length_ns", "of the analyzed span") { $0.analysis.trace.toNs &- $0.analysis.trace.fromNs }
      .headed("length", at: 3)
    Column.row(FindingTables.verdict) { $0.analysis.verdict }
    Column.row(EndTables.end) { $0.analysis.end }
    Column.rows(UnservedTables.unserved) { $0.analysis.unserved }
    Column(Heading("verdict", at: 8)) { $0.analysis.verdict.line }
  }

  static let relevant = ResultTable<RelevantDifference>(
    "relevant", "the smallest difference that matters"
  ) {
    Column("share", "of the shorter length") { $0.share }
    Column("ns", "and at least this") { $0.ns }
    Column("effect", "of distributions") { $0.effect.name }
  }

  static let verdict = ResultTable<ComparisonVerdict>("verdict", "is NEW better or worse?") {
    Column("outcome", "same, different, better, worse, mixed or undecided") { $0.outcome.rawValue }
    Column("headline", "the first sentence") { $0.headline }
    Column.rows(reasons) { $0.reasons }
  }

  private static let reasons = ResultTable<ComparisonVerdict.Reason>("reasons", "the biggest first") {
    Column("worse", "else better") { $0.isWorse }
    Column("text", "without a full stop") { $0.text }
  }

  static let rows = ResultTable<ComparedRow>("rows", "one row per thing that either trace has") {
    Column("about", "trace, mode, timer, callout or source") { $0.subject.kind }
    Column("thread", "its role") { $0.subject.names.thread }
    Column("mode", "") { $0.subject.names.mode }
    Column("kind", "of a callout") { $0.subject.names.kind }
    Column("name", "") { $0.subject.names.name }
    Column("site", "of a timer") { $0.subject.names.timer?.site }
    Column("interval_ns", "of a timer") { $0.subject.names.timer?.intervalNs }
    Column("modes", "of a timer") { $0.subject.names.timer?.modes }
    Column("presence", "both, base or new") { $0.presence.rawValue }
    Column("difference", "the greatest of what is in it") { $0.difference.name }
    Column("changes", "of a timer itself, in words") { $0.changes }
    Column.rowsByName(counts) { $0.counts.map { ($0.measure.name, $0) } }
    Column.rowsByName(distributions) { $0.distributions.map { ($0.measure.timesKey, $0) } }
    Column.row(times, ifAny: { $0.times })
    Column.row(hangs, ifAny: { $0.hangs })
  }

  private static let counts = ResultTable<ComparedCount>("counts", "by what is counted") {
    base
    new
    difference
  }

  static let base = Column<ComparedCount>("base", "null = not known, or not there") { $0.base }
    .headed("base", at: 3)
  static let new = Column<ComparedCount>("new", "null = not known, or not there") { $0.new }
    .headed("new", at: 4)
  private static let difference = Column<ComparedCount>("difference", "none, minor or relevant") {
    $0.difference.name
  }

  private static let distributions = ResultTable<ComparedDistribution>(
    "distributions", "by what is distributed"
  ) {
    Column.row(DistributionColumns.all, as: "base") { $0.base }
    Column.row(DistributionColumns.all, as: "new") { $0.new }
    Column.row(test, ifAny: { $0.test })
    Column.row(test, as: "relevant_test", ifAny: { $0.relevantTest })
    Column("difference", "none, minor or relevant") { $0.difference.name }
  }

  private static let test = ResultTable<RankTest>("test", "by ranks") {
    Column("cliffs_delta", "how much more often NEW's value is the longer one") { $0.delta }
    Column("effect", "by the usual thresholds of delta") { $0.effect.name }
    Column("mann_whitney_u", "of NEW") { $0.u }
    Column("z", "corrected for ties and continuity") { $0.z }
    Column("p_value", "two-sided") { $0.pValue }
  }

  private static let times = ResultTable<ComparedTimes>("times", "of callouts that both have") {
    Column.row(sums, as: "base") { $0.base }
    Column.row(sums, as: "new") { $0.new }
    Column("difference", "of the sums") { $0.difference.name }
  }

  static let sums = ResultTable<CalloutTimes>("sums", "what callouts of one name took") {
    Column("time_ns", "all of them") { $0.timeNs }
    Column("mean_ns", "one of them") { $0.meanNs }.headed("mean", at: 2)
    Column("longest_ns", "the longest") { $0.longestNs }.headed("longest", at: 2)
  }

  private static let hangs = ResultTable<ComparedHangs>("hangs", "of the trace and of modes") {
    Column.row(hangTimes, as: "base") { $0.base }
    Column.row(hangTimes, as: "new") { $0.new }
    Column("longest_difference", "of the longest") { $0.longest.name }
    Column("time_difference", "of the sums") { $0.sum.name }
  }

  static let hangTimes = ResultTable<HangTimes>("hang_times", "each as long as it counts as a hang") {
    Column("count", "how many") { $0.count }.headed("count", at: 2)
    Column("longest_ns", "null without any") { $0.count > 0 ? $0.longestNs : nil }.headed("longest", at: 2)
    Column("time_ns", "all of them") { $0.timeNs }.headed("in all", at: 2)
      .instead { $0.count > 0 ? nil : .unknown }
  }

  static let findings = ResultTable<ComparedFinding>(
    "findings", "those that one trace has alone, or with another severity"
  ) {
    Column("presence", "both, base or new") { $0.presence.rawValue }
    [
      FindingTables.rule, FindingTables.severity, FindingTables.title, FindingTables.subject,
      FindingTables.text,
    ].map { $0.ofEach { $0.finding } }
    Column("former_severity", "in BASE, when it changed") { $0.former?.severity.name }
    Column("difference", "minor or relevant") { $0.difference.name }
  }
}
