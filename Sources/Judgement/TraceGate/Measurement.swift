import TraceAnalysis
import TraceReplay
import TraceTables

/// Measures the numbers of rules in one trace. A number that the trace does not contain is an error, never zero.
struct Measurement {
  let trace: GatedTrace
  let measure: GateRule.Measure

  private var analysis: Analysis { trace.numbers }

  func reading() throws(Undecidable) -> Reading {
    try trace.checkIsWhole()
    return try measure.metric.reading(self)
  }

  func check(_ needs: Capture?) throws(Undecidable) {
    let level = analysis.trace.captureLevel
    if case .callouts(let what)? = needs, !level.seesCallouts {
      throw Undecidable("the capture level is \(level.name): \(what) were not recorded")
    }
  }

  /// Returns the selected part of a column, or the whole column if no part is selected.
  func split<Row>(_ column: Column<Row>) -> Column<Row> {
    column.splits.first { $0.name == measure[.cause] } ?? column
  }

  // MARK: Rows

  func modes() throws(Undecidable) -> [ModeResult] {
    try trace.modes(mode: measure[.mode], thread: measure[.thread])
  }

  func timers() throws(Undecidable) -> [TimerResult] { try timers(named: measure[.timer]) }

  /// Returns the timers with a name; nil = all, at least one.
  private func timers(named name: String?) throws(Undecidable) -> [TimerResult] {
    guard let name else {
      guard !analysis.timers.isEmpty else { throw Undecidable("the trace has no timers") }
      return analysis.timers
    }
    guard analysis.timers.count < AnalysisLimits.timerClasses else {
      throw Undecidable(
        "the trace has more than \(AnalysisLimits.timerClasses) timer classes, so not all have rows of their own"
      )
    }
    if let shared = analysis.timers.first(where: {
      $0.hasMoreNames || $0.names.count > 1 && $0.names.contains(name)
    }) {
      throw Undecidable("timer \(quoted(name)) may share a row with others: \(quoted(shared.name))")
    }
    let found = analysis.timers.filter { $0.name == name }
    guard !found.isEmpty else {
      throw Undecidable(
        "the trace has no timer \(quoted(name))" + suggestion(name, in: analysis.timers.map(\.name)))
    }
    return found
  }

  func sources() throws(Undecidable) -> [SourceResult] {
    let found = analysis.sources.filter { measure[.source] == nil || $0.name == measure[.source] }
    if measure[.source] != nil, analysis.sources.count > AnalysisLimits.sourceRows {
      throw Undecidable(
        "the trace has more than \(AnalysisLimits.sourceRows) sources, so not all have rows of their own")
    }
    guard !found.isEmpty else {
      throw Undecidable(
        measure[.source].map {
          "the trace has no source \(quoted($0))" + suggestion($0, in: analysis.sources.map(\.name))
        } ?? "the trace has no sources")
    }
    return found
  }

  var queues: QueueResults { analysis.queues }

  /// Returns the selected queues other than the main queue, at least one.
  func workQueues() throws(Undecidable) -> [WorkQueueResult] {
    let all = analysis.work.queues
    guard !all.isEmpty else {
      throw Undecidable("the trace has no work of queues other than the main queue; --queues all records it")
    }
    guard let name = measure[.queue] else { return all }
    guard !all.contains(where: \.isRemainder) else {
      throw Undecidable(
        "the trace has more than \(AnalysisLimits.queueRows) names of queues, so not all have rows of their own"
      )
    }
    let found = all.filter { $0.name == name }
    guard !found.isEmpty else {
      throw Undecidable(
        "the trace has no work of queue \(quoted(name))" + suggestion(name, in: all.map(\.name)))
    }
    return found
  }

  /// Returns whether the row matches a selector. Without the selector, all rows match.
  private func isAsked<Row>(_ row: Row, _ column: Column<Row>, by selector: Selector) -> Bool {
    measure[selector].map { column.value(row) == .text($0) } ?? true
  }

  // MARK: Numbers

  /// `unseen`: why there may be further values; nil = all are in the recording.
  func aggregate(
    of distributions: [Distribution], _ what: String, countsNone: Bool, unseen: String?
  ) throws(Undecidable) -> Reading {
    let all = distributions.reduce(Distribution()) { $0.merging($1) }
    if let unseen { return try atLeast(all, because: unseen) }
    guard all.count > 0 || countsNone else { throw Undecidable("there are no \(what) to measure") }
    if measure.aggregate == .mean, all.count > 0 { return Reading(Double(all.sum) / Double(all.count)) }
    guard let value = value(DistributionColumns.all.columns, of: all) else {
      throw Undecidable("there are no \(what) to measure")
    }
    return Reading(value)
  }

  /// Returns a range: further values only add to some aggregates.
  private func atLeast(_ known: Distribution, because why: String) throws(Undecidable) -> Reading {
    switch measure.aggregate {
    case .max?, .sum?, .count?:
      let value = value(DistributionColumns.all.columns, of: known) ?? 0
      return Reading(from: Double(value), to: .infinity, because: why)
    case .min?, .mean?, .p50?, .p90?, .p99?, .p999?, nil: throw Undecidable(why)
    }
  }

  /// Returns the value of the column with the aggregate's name.
  private func value<Row>(_ columns: [Column<Row>], of row: Row) -> UInt64? {
    columns.first { $0.name == measure.aggregate?.rawValue }?.count(row)
  }

  func callouts() throws(Undecidable) -> Reading {
    try check(CalloutTables.callouts.needs)
    let thread = try trace.threads(measure[.thread])
    let found = analysis.callouts.filter {
      (measure[.callout] == nil || $0.name == measure[.callout])
        && (measure[.kind] == nil || $0.kind == measure[.kind])
        && (thread?.contains($0.thread) ?? true)
    }
    if !measure.selectors.isEmpty, analysis.callouts.contains(where: \.isRemainder) {
      throw Undecidable(
        "the trace has more than \(AnalysisLimits.calloutRows) kinds of callouts, so not all have rows of their own"
      )
    }
    guard !found.isEmpty else {
      throw Undecidable(
        measure.selectors.isEmpty ? "the trace has no callouts" : "the trace has no such callout")
    }
    func sum(_ column: Column<CalloutResult>) -> UInt64 { found.compactMap(column.count).saturatedSum }
    let count = sum(CalloutTables.count)
    switch measure.aggregate {
    case .count?: return Reading(count)
    case .sum?: return Reading(sum(CalloutTables.time))
    case .mean?: return Reading(Double(sum(CalloutTables.time)) / Double(max(count, 1)))
    default: return Reading(found.compactMap(CalloutTables.longest.count).max() ?? 0)
    }
  }

  // MARK: Processor

  /// Returns the time on a processor in gaps inside runs. A gap without samples may have spent all its time on one.
  func processor() throws(Undecidable) -> Reading {
    let spans = SpanMeasurement<Gap>(
      trace: trace, measure: measure,
      doubt:
        "the time on a processor is not known for the whole gap, as samples cover only a part of it, or none"
    ) { gap in
      guard let length = SpanTables.gap.count(gap) else { return nil }
      let evidence = analysis.stall(of: gap)?.evidence
      let least = min(evidence?.cpuNs ?? 0, length)
      return least...max(least, min(evidence?.cpuAtMostNs ?? length, length))
    }
    return try spans.reading(analysis.gaps, omitted: analysis.gapsOmitted)
  }

  // MARK: Frames

  /// Returns the hitches of the selected frame sources, or of the chosen ones.
  private func frames() throws(Undecidable) -> HitchTime {
    try check(FrameTables.sources.needs)
    var sources = analysis.frames.chosen
    if let name = measure[.frames] {
      let classes = Set(try timers(named: name).flatMap(\.classes))
      sources = analysis.frames.sources.filter { classes.contains($0.timer) }
    }
    guard !sources.isEmpty else { throw Undecidable(noSource) }
    if let blind = sources.first(where: { $0.due == nil }) {
      throw Undecidable("the due points of timer \(quoted(blind.name)) were not recorded")
    }
    guard let state = measure[.state], let value = measure[.value] else {
      let time = sources.hitchTime
      guard time.activeNs > 0 else { throw Undecidable("no frame came due") }
      return time
    }
    let time = try hitchTime(of: Set(sources.map(\.timer)), state, value)
    guard time.activeNs > 0 else {
      throw Undecidable("no frame came due while state \(quoted(state)) was \(quoted(value))")
    }
    return time
  }

  /// Returns the hitches of frame sources while a state had a value.
  private func hitchTime(
    of sources: Set<Int>, _ state: String, _ value: String
  ) throws(Undecidable) -> HitchTime {
    guard let split = analysis.split, split.values.allSatisfy({ $0.state == state }) else {
      throw Undecidable("another rule is about another state; check each state with a gate of its own")
    }
    guard analysis.states.contains(where: { $0.state == state }) else {
      throw Undecidable(
        "the trace has no state \(quoted(state))"
          + suggestion(state, in: Set(analysis.states.map(\.state)).ordered()))
    }
    guard !split.values.contains(where: \.isRemainder),
      split.frames.allSatisfy({ $0.timer != nil })
    else {
      throw Undecidable(
        "state \(quoted(state)) has more values or changes than results are split by (splitValues, splitChanges)"
      )
    }
    let known = split.values.map { $0.value ?? Self.noValue }
    guard known.contains(value) else {
      throw Undecidable("state \(quoted(state)) was never \(quoted(value))" + suggestion(value, in: known))
    }
    return split.frames.filter {
      ($0.value ?? Self.noValue) == value && $0.timer.map(sources.contains) == true
    }
    .reduce(HitchTime()) { $0.adding($1.hitchTime) }
  }

  /// Selects the time in which a state had no value.
  private static let noValue = "(none)"

  private var noSource: String {
    if let name = measure[.frames] {
      return "timer \(quoted(name)) makes no frames: it does not repeat, or it never came due"
    }
    let offered = analysis.frames.sources.count
    return offered == 0
      ? "the trace has no frame source; frames=NAME selects a timer"
      : "no frame source is declared, and \(Phrase.count(offered, "timer looks", "timers look")) like one; frames=NAME selects it"
  }

  func hitchRatio() throws(Undecidable) -> Reading {
    let time = try frames()
    return Reading(time.ratio ?? 0)
  }

  func hitches() throws(Undecidable) -> Reading {
    let time = try frames()
    switch measure.aggregate {
    case .count?: return Reading(time.hitches)
    case .sum?: return Reading(time.hitchNs)
    case .mean?: return Reading(Double(time.hitchNs) / Double(max(time.hitches, 1)))
    default: return Reading(time.longestNs)
    }
  }

  func inputDelay() throws(Undecidable) -> Reading {
    guard measure[.mode] != nil else {
      guard let watched = analysis.inputDelay else { throw Undecidable("no run loop ran") }
      if let threads = try trace.threads(measure[.thread]), !threads.contains(watched.thread) {
        throw Undecidable(
          "input_delay measures the thread that receives input; name a mode to measure another thread")
      }
      return delay(watched.delay)
    }
    let delays = try modes().compactMap(\.inputDelay)
    guard let first = delays.first else { throw Undecidable("the mode has no running time to measure") }
    guard delays.count == 1 else { throw Undecidable("several loops ran the mode; name the thread as well") }
    return delay(first)
  }

  private func delay(_ delay: DelayDistribution) -> Reading {
    // The column's mean is rounded.
    measure.aggregate == .mean
      ? Reading(delay.meanNs) : Reading(value(DistributionColumns.delay.columns, of: delay) ?? delay.max)
  }

  func utilisation() throws(Undecidable) -> Reading {
    if measure[.mode] != nil { return try share(LoopTables.utilisationOfMode, of: modes()) }
    let threads = try trace.threads(measure[.thread]) ?? Set([analysis.inputDelay?.thread].compactMap(\.self))
    return try share(
      LoopTables.utilisationOfThread, of: analysis.utilisation.filter { threads.contains($0.thread) })
  }

  /// Returns the share of all rows together.
  private func share<Row>(_ column: Column<Row>, of rows: [Row]) throws(Undecidable) -> Reading {
    let fractions = rows.compactMap { column.fraction?($0) }
    let whole = fractions.map(\.whole).saturatedSum
    guard whole > 0 else { throw Undecidable("no loop has running time to measure") }
    return Reading(Double(fractions.map(\.part).saturatedSum) / Double(whole))
  }

  // MARK: Findings

  func findings() throws(Undecidable) -> Reading {
    let analysis = trace.findings
    let rule = measure[.rule].flatMap { FindingRules.rule(RuleID(rawValue: $0)) }
    let asked = rule.map { [$0] } ?? FindingRules.all
    var unknown: Undecidable?
    for one in asked where unknown == nil {
      do throws(Undecidable) { try know(one, isNamed: rule != nil, analysis) } catch { unknown = error }
    }
    let found = analysis.findings.filter {
      isAsked($0, FindingTables.rule, by: .rule) && isAsked($0, FindingTables.severity, by: .severity)
    }.compactMap(FindingTables.count.count).saturatedSum
    guard let unknown else { return withDoubtfulHangs(Double(found), asked) }
    // The findings are a lower bound, which is enough for some rules.
    guard found > 0 else { throw unknown }
    return Reading(from: Double(found), to: .infinity, because: unknown.why)
  }

  /// Throws if the recording cannot show whether a rule holds. For a rule that is not selected by name, a missing
  /// profile, missing high stamps or missing queues do not count.
  private func know(_ rule: FindingRule, isNamed: Bool, _ analysis: Analysis) throws(Undecidable) {
    func undecidable(_ why: String) -> Undecidable {
      Undecidable(
        "\(why): \(rule.id.rawValue) cannot be decided" + (isNamed ? "" : "; name the rules to count"))
    }
    for need in FindingRule.Need.allCases where rule.needs.contains(need) {
      switch need {
      case .duePoints, .callouts:
        guard need.isMet(by: analysis) else { throw undecidable("the capture level is activities") }
        guard need == .duePoints, let timer = analysis.timers.first(where: { $0.ledger == nil }) else {
          break
        }
        throw undecidable("the due points of timer \(quoted(timer.name)) were not recorded")
      case .queues:
        if isNamed, !need.isMet(by: analysis) {
          throw undecidable("the trace has no work of queues other than the main queue")
        }
      case .profile:
        if isNamed, !need.isMet(by: analysis) { throw Undecidable("\(rule.id.rawValue) needs --profile") }
      case .highStamps:
        if isNamed, !need.isMet(by: analysis) { throw undecidable("the trace has no high stamps") }
      // Its number is a range, see below.
      case .hangLengths: break
      }
    }
  }

  /// Returns the number of findings, as a range if hangs of uncertain length may add some.
  private func withDoubtfulHangs(_ found: Double, _ asked: [FindingRule]) -> Reading {
    guard asked.contains(where: { $0.needs.contains(.hangLengths) }),
      measure[.severity] != Finding.Severity.info.name
    else {
      return Reading(found)
    }
    let analysis = trace.findings
    if let edge = analysis.busyAtBreak.first {
      return Reading(
        from: found, to: found + 1,
        because: "the recording breaks off while thread \(edge.thread) was busy: the thread may have hung")
    }
    let doubtful = analysis.uncertainHangs.count + analysis.hangsAtStart.count
    return Reading(
      from: found, to: found + Double(doubtful),
      because: "whether a thread hung is uncertain, or a thread hung before the span began")
  }
}

/// Names of a trace may be anything.
func suggestion(_ name: String, in known: [String]) -> String {
  KnownNames.suggestion(name, in: known.map { harmless($0) })
}

func quoted(_ name: String) -> String { "\"\(harmless(name))\"" }
