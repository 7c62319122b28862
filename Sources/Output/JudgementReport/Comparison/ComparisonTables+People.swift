import TraceAnalysis
import TraceComparison
import TraceTables

/// The tables of a comparison for text and page.
extension ComparisonTables {
  /// A part of a row, together with the row.
  struct Part<Content: Sendable>: Sendable {
    let row: ComparedRow
    let part: Content

    fileprivate static func label(_ title: String) -> Column<Self> {
      Column(Heading(title, at: 1)) { $0.row.subject.label }
    }
  }

  static let hangsShown = ResultTable<Part<ComparedHangs>>("hangs", "one row per mode") {
    Column(Heading("mode", at: 1)) { $0.row.subject == .trace ? "all" : $0.row.subject.label }
    ofSide("base", hangTimes, at: 2) { $0.part.base }
    ofSide("new", hangTimes, at: 3) { $0.part.new }
  }

  static func hangs(_ comparison: Comparison) -> [Part<ComparedHangs>] {
    let rows = comparison.rows.compactMap { row in row.hangs.map { Part(row: row, part: $0) } }
      .filter { $0.part.base.count + $0.part.new.count > 0 }
    // The trace and its only mode with hangs have the same values.
    return rows.count > 2 ? rows : rows.filter { $0.row.subject != .trace }
  }

  static let countsShown = ResultTable<Part<ComparedCount>>("counts", "one row per count") {
    Part.label("subject")
    Column(Heading("count", at: 2)) { $0.part.measure.title }
    [base, new].map { $0.ofEach { $0.part } }
    Column(Heading("change", at: 5)) { $0.part.change }
  }

  /// Counts with any difference; a column shows which.
  static let allCountsShown = ResultTable<Part<ComparedCount>>("counts", "one row per count") {
    countsShown.columns
    Column(Heading("difference", at: 6)) { $0.part.difference.label }
  }

  static func counts(_ comparison: Comparison, _ differences: [Difference]) -> [Part<ComparedCount>] {
    comparison.shared.flatMap { row in
      row.counts.filter { differences.contains($0.difference) }.map { Part(row: row, part: $0) }
    }
  }

  /// A timer's skipped fires and lateness in one trace.
  private typealias TimerSide = (skipped: UInt64?, lateness: Distribution)

  private static let lateness = ResultTable<TimerSide>("lateness", "skipped and late fires of a timer") {
    Column(Heading("skipped", at: 2)) { $0.skipped }
    DistributionColumns.p99.headed("p99 late", at: 2).ofEach { $0.lateness }
    DistributionColumns.max.headed("max", at: 2).ofEach { $0.lateness }
  }

  static let timersShown = ResultTable<Part<ComparedDistribution>>("timers", "one row per timer") {
    Column(Heading("timer", at: 1)) { $0.row.subject.timerLabel }
    ofSide("base", lateness, at: 2) { ($0.row.skipped?.base, $0.part.base) }
    ofSide("new", lateness, at: 3) { ($0.row.skipped?.new, $0.part.new) }
  }

  /// Returns the timers whose skipped fires or late fires changed much.
  static func timers(_ comparison: Comparison) -> [Part<ComparedDistribution>] {
    comparison.shared.filter(comparison.hasOtherLateness).compactMap { row in
      row.distributions.first { $0.measure == .lateness }.map { Part(row: row, part: $0) }
    }
  }

  static let framesShown = ResultTable<Part<ComparedFrames>>(
    "frames", "one row per frame source, and per value of a state"
  ) {
    Column(Heading("timer or state", at: 1)) { $0.row.subject.timerLabel }
    ofSide("base", hitchTimes, at: 2) { $0.part.base }
    ofSide("new", hitchTimes, at: 3) { $0.part.new }
    Column(Heading("p", at: 4)) { Units.probability($0.part.pValue) }
  }

  /// Returns the frame sources whose hitch ratios differ; with `all`, every one.
  static func frames(_ comparison: Comparison, all: Bool = false) -> [Part<ComparedFrames>] {
    comparison.shared.compactMap { row -> Part<ComparedFrames>? in
      guard let frames = row.frames, all || frames.difference > .none else { return nil }
      return Part(row: row, part: frames)
    }
  }

  static let timesShown = ResultTable<Part<ComparedTimes>>("times", "one row per callout") {
    Part.label("callout")
    ofSide("base", sums, at: 2) { $0.part.base }
    ofSide("new", sums, at: 3) { $0.part.new }
    Column(Heading("total", at: 4)) { $0.part.change }.shown(as: .time)
  }

  /// Returns the rows whose distribution or sum differs relevantly; with `all`, every row.
  static func times(_ comparison: Comparison, all: Bool = false) -> [Part<ComparedTimes>] {
    comparison.shared.filter { all || $0.hasRelevantTimes }.compactMap { row in
      row.times.map { Part(row: row, part: $0) }
    }
  }

  /// p50 and p99 of both sides, and the result of the test.
  static let distributionsShown = ResultTable<Part<ComparedDistribution>>(
    "distributions", "one row per distribution"
  ) {
    Part.label("subject")
    Column(Heading("times", at: 2)) { $0.part.measure.title }
    ofSide("base", percentiles, at: 3) { $0.part.base }
    ofSide("new", percentiles, at: 4) { $0.part.new }
    Column(Heading("effect", at: 5)) { $0.part.effect }
    Column(Heading("p", at: 6)) { $0.part.probability }
  }

  private static let percentiles = ResultTable<Distribution>("percentiles", "percentiles that fit in text") {
    DistributionColumns.p50
    DistributionColumns.p99
  }

  static func distributions(
    _ comparison: Comparison, all: Bool = false
  ) -> [Part<ComparedDistribution>] {
    comparison.shared.flatMap { row in
      row.distributions.filter { all || $0.difference == .relevant }.map { Part(row: row, part: $0) }
    }
  }

  /// The values of both sides for one distribution.
  static let sidesShown = ResultTable<(side: String, values: Distribution)>("values", "one row per trace") {
    Column(Heading("trace", at: 1)) { $0.side }
    DistributionColumns.count.headed("count", at: 2).ofEach { $0.values }
    DistributionColumns.min.headed("min", at: 3).ofEach { $0.values }
    DistributionColumns.all.columns(for: .page).map { $0.ofEach { $0.values } }
  }

  /// Returns the columns of one side. The first title includes the name of the side.
  private static func ofSide<Row, Side>(
    _ name: String, _ table: ResultTable<Side>, at place: Int, _ side: @escaping @Sendable (Row) -> Side
  ) -> [Column<Row>] {
    table.columns(for: .all).enumerated().map { number, column in
      let title = column.heading?.title ?? ""
      return column.headed(number == 0 ? "\(name) \(title)" : title, at: place).ofEach(side)
    }
  }
}

extension Comparison {
  /// The rows that both traces have.
  fileprivate var shared: [ComparedRow] { rows.filter { $0.presence == .both } }
}

extension ComparedRow {
  /// Whether the times of its callouts differ enough for a row.
  fileprivate var hasRelevantTimes: Bool {
    times?.difference == .relevant
      || distributions.contains { $0.measure == .duration && $0.difference == .relevant }
  }

  fileprivate var skipped: ComparedCount? { counts.first { $0.measure == .skipped } }

  /// The label and the counts of a row that only one trace has.
  var account: String {
    let counts = counts.compactMap { count -> String? in
      let value = (presence == .new ? count.new : count.base) ?? 0
      return value > 0 ? count.measure.text(value) : nil
    }
    return subject.label + (isUnknownElsewhere ? " (not recorded in the other trace)" : "")
      + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
  }

  /// The changes of a timer's settings, or of a callout's name; nil = there are none.
  var settings: String? {
    changes.isEmpty ? nil : "\(subject.label): \(changes.joined(separator: "; "))"
  }
}

extension Difference {
  /// The label in a table; empty if nothing differs.
  fileprivate var label: String { self == .none ? "" : name }
}

extension ComparedCount {
  /// The difference of the counts; nil = one side is not known.
  fileprivate var change: Int64? {
    base.flatMap { base in new.map { Int64(bitPattern: $0 &- base) } }
  }
}

extension ComparedTimes {
  /// The difference of the sums.
  fileprivate var change: Int64 { Int64(bitPattern: new.timeNs &- base.timeNs) }
}

extension ComparedDistribution {
  /// The size of the effect in words; nil = one side has no values.
  var effect: String? {
    if isOfTail, let tail = tailTest { return "\(tail.isWorse ? "more" : "fewer") long" }
    if hasTooFewValues { return "too few" }
    return decidingTest.map { "\(difference == .minor ? "minor" : $0.effect.name) \($0.signedDelta)" }
  }

  /// The p-value of the test that decided; nil = there is none.
  var probability: String? {
    if isOfTail { return tailTest.map { Units.probability($0.pValue) } }
    return hasTooFewValues ? nil : decidingTest.map { Units.probability($0.pValue) }
  }

  /// Whether there are too few values for a meaningful test.
  var hasTooFewValues: Bool { isTooFew && difference == .none }
}

extension RankTest {
  var signedDelta: String { "\(delta < 0 ? "−" : "+")\(Units.significant(abs(delta)))" }
}

extension Units {
  /// A p-value with two significant digits, or its bound.
  static func probability(_ p: Double) -> String {
    p < 0.001 ? "< 0.001" : p < 0.1 ? String(format: "%.2g", p) : significant(p)
  }
}
