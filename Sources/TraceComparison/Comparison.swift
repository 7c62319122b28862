import TraceAnalysis

/// Two traces held against each other: what differs between BASE and NEW. docs/commands/compare.md defines each number.
///
/// Rows are matched by what they are rows of, never by time.
public struct Comparison: Sendable {
  public var base: TraceFacts
  public var new: TraceFacts
  /// The trace itself, then modes, timers, callouts, sources.
  public var rows: [ComparedRow]
  /// Those that only one of the traces has, NEW's first, each ranked as in its analysis.
  public var findings: [ComparedFinding]
  /// Gaps from here on are counted, nanoseconds.
  public var gapThresholdNs: UInt64
  public var verdict: ComparisonVerdict
  /// What the comparison cannot tell, in sentences.
  public var notes: [String]

  /// Both analyzed with the same options.
  public init(base: Analysis, new: Analysis, gapThresholdNs: UInt64) {
    self.base = base.trace
    self.new = new.trace
    self.gapThresholdNs = gapThresholdNs
    rows = RowAlignment.align(SideRows(base).rows, SideRows(new).rows)
    findings = ComparedFinding.differences(base.findings, new.findings)
    notes = ComparisonNotes.notes(base, new)
    verdict = ComparisonVerdict(
      rows: rows, findings: findings, gapThresholdNs: gapThresholdNs,
      lengths: (base.trace.toNs &- base.trace.fromNs, new.trace.toNs &- new.trace.fromNs))
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

  public var differs: Bool {
    presence != .both || !changes.isEmpty || counts.contains(where: \.differs)
      || distributions.contains(where: \.isChange) || times?.differs == true
  }

  func count(_ measure: CountMeasure) -> ComparedCount? { counts.first { $0.measure == measure } }
}

/// One number of both traces.
public struct ComparedCount: Sendable {
  public var measure: CountMeasure
  /// Nil = not known there, or the row is not there.
  public var base: UInt64?
  public var new: UInt64?

  public var differs: Bool { base != new }
}

/// What is counted; the raw value is the key in JSON.
public enum CountMeasure: String, Sendable, CaseIterable {
  case lostEvents = "lost_events"
  case skipped, hangs, gaps
  case emptyWakes = "wakes_for_nothing"
  case wakes, polls, passes
  case due, fired, withdrawn, pending, manual
  case callouts
  case signals
  case mergedSignals = "merged_signals"
  case unsignalled

  public var title: String { rawValue.replacing("_", with: " ") }
}

/// One distribution of both traces.
public struct ComparedDistribution: Sendable {
  public var measure: DistributionMeasure
  public var base: Distribution
  public var new: Distribution
  /// Nil when one of the traces has no values.
  public var test: RankTest?

  init(_ measure: DistributionMeasure, _ base: Distribution, _ new: Distribution) {
    self.measure = measure
    self.base = base
    self.new = new
    test = RankTest(base: base.buckets, new: new.buckets)
  }

  /// Values beyond chance: the bound on `pValue`.
  public static let significance = 0.05
  /// Percentiles that are closer than two buckets are the same.
  static let resolution = 0.01

  /// The effect is not negligible, not likely by chance, and more than the width of the buckets.
  public var isChange: Bool {
    guard let test, test.effect > .negligible, test.pValue < Self.significance else { return false }
    return [\Distribution.p50, \.p90, \.p99].contains { key in
      let (a, b) = (Double(base[keyPath: key]), Double(new[keyPath: key]))
      return abs(a - b) > Self.resolution * max(a, b)
    }
  }

  /// Longer times are worse.
  public var isWorse: Bool { (test?.delta ?? 0) > 0 }
}

/// What is distributed; the raw value is the key in JSON, less `_ns`.
public enum DistributionMeasure: String, Sendable, CaseIterable {
  case pass
  case wakeToCallout = "wake_to_callout"
  case lateness
  case signalToCallout = "signal_to_callout"
  case blockWait = "block_wait"
  case mainQueueWait = "main_queue_wait"

  public var title: String {
    switch self {
    case .pass: "pass"
    case .wakeToCallout: "wake-to-callout"
    case .lateness: "lateness"
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

/// The times of callouts that both traces have. Means of one run each: no test says what of it is chance.
public struct ComparedTimes: Sendable {
  public var base: CalloutTimes
  public var new: CalloutTimes

  /// The means are more than a tenth apart, the sums more than a millisecond.
  public var differs: Bool {
    let (a, b) = (Double(base.meanNs), Double(new.meanNs))
    return abs(a - b) > 0.1 * max(a, b) && abs(Double(base.timeNs) - Double(new.timeNs)) > 1e6
  }
}
