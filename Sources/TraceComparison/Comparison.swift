import TraceAnalysis
import TraceReplay
import TraceFormat

/// Two traces held against each other: what differs between BASE and NEW. docs/commands/compare.md defines each number.
///
/// Rows are matched by what they are rows of, never by time.
public struct Comparison: Sendable {
  public var base: Analysis
  public var new: Analysis
  /// The trace itself, then modes, timers, callouts, sources.
  public var rows: [ComparedRow]
  /// Those that only one of the traces has, or whose severity changed; NEW's first, each ranked as in its analysis.
  public var findings: [ComparedFinding]
  /// Gaps from here on are counted, nanoseconds.
  public var gapThresholdNs: UInt64
  /// Smaller differences are minor.
  public var relevant: RelevantDifference
  public var verdict: ComparisonVerdict
  /// What the comparison cannot tell, in sentences.
  public var notes: [String]

  /// Both analyzed with `options(_:relevant:)`; without them gaps that are only just under the threshold are unknown,
  /// and so are distributions of callouts.
  public init(
    base: Analysis, new: Analysis, gapThresholdNs: UInt64, relevant: RelevantDifference = .standard
  ) {
    self.base = base
    self.new = new
    self.gapThresholdNs = gapThresholdNs
    self.relevant = relevant
    let yardstick = Yardstick(
      relevant: relevant,
      lengths: (base.trace.toNs &- base.trace.fromNs, new.trace.toNs &- new.trace.fromNs))
    rows = RowAlignment(yardstick, seesCallouts: (base.seesCallouts, new.seesCallouts)).align(
      SideRows(base, gapThresholdNs, relevant).rows, SideRows(new, gapThresholdNs, relevant).rows)
    findings = ComparedFinding.differences(base, new, rows)
    notes = ComparisonNotes.notes(base, new, rows)
    verdict = ComparisonVerdict(
      rows: rows, findings: findings, gapThresholdNs: gapThresholdNs, yardstick,
      hasRuns: (base.verdict.nothingToJudge == nil, new.verdict.nothingToJudge == nil))
  }

  /// One of the traces has a finding of severity error, whatever became of it.
  public var hasErrors: Bool {
    base.findings.contains { $0.severity == .error } || new.findings.contains { $0.severity == .error }
  }

  /// What analyses have to be made with to be compared.
  public static func options(
    _ options: AnalysisOptions, relevant: RelevantDifference
  ) -> AnalysisOptions {
    var options = options
    options.replay.detectors = []
    options.replay.keepsCalloutDurations = true
    options.replay.gapThresholdNs = relevant.closest(to: options.replay.gapThresholdNs)
    return options
  }
}

/// Which of the traces has something.
public enum Presence: String, Sendable {
  case both
  case base
  case new
}

/// One thing that both traces have, or one of them.
public struct ComparedRow: Sendable {
  /// As NEW names it.
  public var subject: Subject
  public var presence: Presence
  /// What is different about the thing itself, in words: a timer's modes, its interval, its site.
  public var changes: [String]
  public var counts: [ComparedCount]
  public var distributions: [ComparedDistribution]
  /// Of callouts that both have.
  public var times: ComparedTimes?
  /// Of the trace and of modes.
  public var hangs: ComparedHangs?
  /// The other trace's capture level does not tell whether it was there, too.
  public var isUnknownElsewhere = false

  /// The greatest of what is in it.
  public var difference: Difference {
    if isUnknownElsewhere { return .minor }
    guard presence == .both, changes.isEmpty else { return .relevant }
    return
      (counts.map(\.difference) + distributions.map(\.difference)
      + [times?.difference, hangs?.difference].compactMap(\.self))
      .max() ?? .none
  }

  func count(_ measure: CountMeasure) -> ComparedCount? { counts.first { $0.measure == measure } }
  func distribution(_ measure: DistributionMeasure) -> ComparedDistribution? {
    distributions.first { $0.measure == measure }
  }
}

/// One number of both traces.
public struct ComparedCount: Sendable {
  public var measure: CountMeasure
  /// Nil = not known there, or the row is not there.
  public var base: UInt64?
  public var new: UInt64?
  public var difference: Difference
}

/// What is counted; the raw value is the key in JSON.
public enum CountMeasure: String, Sendable, CaseIterable {
  case lostEvents = "lost_events"
  case skipped
  /// Of those, what the loop was waiting for while the machine woke it late.
  case skippedByScheduler = "skipped_by_scheduler"
  case hangs, gaps
  case emptyWakes = "wakes_for_nothing"
  case wakes, polls, passes
  case due, fired, withdrawn, pending, manual
  case callouts
  case signals
  case mergedSignals = "merged_signals"
  case unsignalled

  public var title: String { rawValue.with(" ", for: "_") }

  /// `1 callout`, `3 callouts`.
  public func text(_ count: UInt64) -> String {
    let plural: [CountMeasure] = [.hangs, .gaps, .wakes, .polls, .callouts, .signals, .mergedSignals]
    guard count == 1, self == .passes || plural.contains(self) else { return "\(count) \(title)" }
    return "1 \(title.dropLast(self == .passes ? 2 : 1))"
  }
}

/// One distribution of both traces.
public struct ComparedDistribution: Sendable {
  public var measure: DistributionMeasure
  public var base: Distribution
  public var new: Distribution
  /// By ranks alone. Nil when one of the traces has no values.
  public var test: RankTest?
  /// Values that are closer than the smallest relevant difference count as equal.
  public var relevantTest: RankTest?
  /// The smallest effect that matters.
  private let least: Effect

  init(
    _ measure: DistributionMeasure, _ base: Distribution, _ new: Distribution,
    _ relevant: RelevantDifference
  ) {
    self.measure = measure
    self.base = base
    self.new = new
    least = relevant.effect
    test = RankTest(base: base.buckets, new: new.buckets)
    relevantTest = RankTest(base: base.buckets, new: new.buckets, relevant: relevant)
  }

  /// Values beyond chance: the bound on `pValue`.
  public static let significance = 0.05

  /// Relevant: an effect that matters, and not likely by chance, among values that differ relevantly. Minor: an effect
  /// at all, among them or among all values.
  public var difference: Difference {
    guard Self.isEffect(relevantTest) || Self.isEffect(test) else { return .none }
    guard Self.isEffect(relevantTest), let effect = relevantTest?.effect else { return .minor }
    return effect >= least || measure.isWork && hasMovedFar ? .relevant : .minor
  }

  private static func isEffect(_ test: RankTest?) -> Bool {
    guard let test else { return false }
    return test.effect > .negligible && test.pValue < significance
  }

  /// The mean is twice what it was, or half: few values that moved far.
  private var hasMovedFar: Bool {
    let means = (
      base: Double(base.sum) / Double(max(base.count, 1)), new: Double(new.sum) / Double(max(new.count, 1))
    )
    return max(means.base, means.new) >= 2 * min(means.base, means.new)
      && (means.new > means.base) == ((relevantTest?.delta ?? 0) > 0)
  }

  /// The test that says why.
  public var decidingTest: RankTest? { difference == .relevant ? relevantTest : test }
  /// Longer times are worse.
  public var isWorse: Bool { (decidingTest?.delta ?? 0) > 0 }
}

/// What is distributed; the raw value is the key in JSON, less `_ns`.
public enum DistributionMeasure: String, Sendable, CaseIterable {
  case pass
  case wakeToCallout = "wake_to_callout"
  case lateness
  case duration
  case signalToCallout = "signal_to_callout"
  case blockWait = "block_wait"
  case mainQueueWait = "main_queue_wait"

  /// What the program itself takes; the others are waits, in which other work on the machine shows first.
  var isWork: Bool { self == .pass || self == .duration }

  public var title: String {
    switch self {
    case .pass: "pass"
    case .wakeToCallout: "wake-to-callout"
    case .lateness: "lateness"
    case .duration: "duration"
    case .signalToCallout: "signal-to-callout"
    case .blockWait: "wait of blocks"
    case .mainQueueWait: "wait of main-queue blocks"
    }
  }
}

/// What callouts of one name took.
public struct CalloutTimes: Sendable {
  public var count: UInt64
  public var timeNs: UInt64
  public var longestNs: UInt64
  public var meanNs: UInt64 { count == 0 ? 0 : timeNs / count }
}

/// The times of callouts that both traces have.
public struct ComparedTimes: Sendable {
  public var base: CalloutTimes
  public var new: CalloutTimes
  /// Of their sum as a share of the trace's length.
  public var difference: Difference
}
