import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceTables

/// The differences between two traces, BASE and NEW. docs/reference/commands/compare.md defines each number.
///
/// Rows are matched by their subjects, never by time.
package struct Comparison: Sendable {
  package var base: Analysis
  package var new: Analysis
  /// The trace itself, then modes, timers, callouts, sources, queues, and values of the state that splits the results.
  package var rows: [ComparedRow]
  /// The findings that only one trace has, or whose severity changed: NEW's first, each list ranked as in its
  /// analysis.
  package var findings: [ComparedFinding]
  /// The same for people: findings about several subjects that appeared or disappeared together count as one.
  package var groupedFindings: [ComparedFinding]
  /// The functions on the stacks of gaps, those with the greatest change first.
  package var functions: [ComparedFunction]
  /// The shortest gap that is counted, in nanoseconds.
  package var gapThresholdNs: UInt64
  /// The smallest relevant difference. Smaller differences are minor.
  package var relevant: RelevantDifference
  package var verdict: ComparisonVerdict
  /// The limits of the comparison, as sentences.
  package var notes: [String]
  /// The first note, if the recordings were made with different options.
  package var optionsNote: String?

  /// Compares two analyses. Both must be made with `options(_:relevant:)`. Otherwise gaps just below the threshold
  /// and distributions of callouts are missing. `recorded`: the options of the recordings, if they are known.
  package init(
    base: Analysis, new: Analysis, gapThresholdNs: UInt64, relevant: RelevantDifference = .standard,
    recorded: (base: RecordedOptions, new: RecordedOptions)? = nil
  ) {
    self.base = base
    self.new = new
    self.gapThresholdNs = gapThresholdNs
    let relevant = relevant.stretched(by: [base.processor, new.processor])
    self.relevant = relevant
    let yardstick = Yardstick(
      relevant: relevant,
      lengths: (base.trace.toNs &- base.trace.fromNs, new.trace.toNs &- new.trace.fromNs))
    rows = RowAlignment(yardstick, base, new).align(
      SideRows(base, gapThresholdNs, relevant).rows, SideRows(new, gapThresholdNs, relevant).rows)
    findings = ComparedFinding.differences(base, new, rows, relevant)
    groupedFindings = ComparedFinding.grouped(findings, base, new)
    optionsNote = recorded.flatMap {
      RecordedOptions.note($0.base, $0.new, gapThresholdNs: gapThresholdNs)
    }
    notes = (optionsNote.map { [$0] } ?? []) + ComparisonNotes.notes(base, new, rows)
    verdict = ComparisonVerdict(
      rows: rows, findings: findings, grouped: groupedFindings, gapThresholdNs: gapThresholdNs, yardstick,
      hasRuns: (base.verdict.nothingToJudge == nil, new.verdict.nothingToJudge == nil))
    functions =
      verdict.outcome == .undecided
      ? [] : ComparedFunction.all(base, new, from: gapThresholdNs, relevant, verdict.reasons)
  }

  /// The functions that explain the difference, those with the greatest change first.
  package var changedFunctions: [ComparedFunction] { functions.filter { $0.difference == .relevant } }

  /// Whether a timer that is in both traces belongs in a table of timers: it skipped relevantly more or fewer fires, or
  /// the lateness of its fires changed greatly.
  package func hasOtherLateness(_ row: ComparedRow) -> Bool {
    guard row.presence == .both, let lateness = row.distribution(.lateness) else { return false }
    let (base, new) = (lateness.base, lateness.new)
    func areApart(_ value: (Distribution) -> UInt64) -> Bool {
      base.count > 0 && new.count > 0
        && relevant.separatesTails(min(value(base), value(new)), max(value(base), value(new)))
    }
    return lateness.difference == .relevant || row.count(.skipped)?.difference == .relevant
      || areApart(\.p99) || areApart(\.max)
  }

  /// Whether one of the traces has a finding of severity error, changed or not.
  package var hasErrors: Bool {
    base.findings.contains { $0.severity == .error } || new.findings.contains { $0.severity == .error }
  }

  /// Returns the options for analyses that are to be compared.
  package static func options(
    _ options: AnalysisOptions, relevant: RelevantDifference
  ) -> AnalysisOptions {
    var options = options
    options.replay.detectors = []
    options.replay.keepsCalloutDurations = true
    options.replay.gapThresholdNs = relevant.closest(to: options.replay.gapThresholdNs)
    return options
  }
}

/// The traces that contain a subject or a finding.
package enum Presence: String, Sendable {
  case both
  case base
  case new
}

/// A subject that one or both traces contain.
package struct ComparedRow: Sendable {
  /// The subject as NEW names it.
  package var subject: Subject
  package var presence: Presence
  /// Changes to the subject itself, in words: a timer's modes, its interval, its site, or a callout's name.
  package var changes: [String]
  package var counts: [ComparedCount]
  package var distributions: [ComparedDistribution]
  /// For callouts that both traces have.
  package var times: ComparedTimes?
  /// For the trace and for modes.
  package var hangs: ComparedHangs?
  /// For modes: the total times of gaps, if the trace with more gaps has the shorter total.
  var gapTimes: ComparedSum?
  /// For timers that are frame sources in both traces, and for values of a state in which both have some.
  package var frames: ComparedFrames?
  /// Whether the other trace's recording cannot show whether the subject was there.
  package var isUnknownElsewhere = false

  /// The greatest difference in the row.
  package var difference: Difference {
    if isUnknownElsewhere { return .minor }
    guard presence == .both, changes.isEmpty else { return .relevant }
    return
      (counts.map(\.difference) + distributions.map(\.difference)
      + [times?.difference, hangs?.difference, gapTimes?.difference, frames?.difference].compactMap(\.self))
      .max() ?? .none
  }

  func count(_ measure: Measure) -> ComparedCount? { counts.first { $0.measure == measure } }
  func distribution(_ measure: Measure) -> ComparedDistribution? {
    distributions.first { $0.measure == measure }
  }
}

/// A number in both traces.
package struct ComparedCount: Sendable {
  package var measure: Measure
  /// Nil = not known, or the trace does not have the row.
  package var base: UInt64?
  package var new: UInt64?
  package var difference: Difference
}

/// A total time in both traces.
struct ComparedSum: Sendable {
  var baseNs: UInt64
  var newNs: UInt64
  var difference: Difference
}

/// A distribution in both traces.
package struct ComparedDistribution: Sendable {
  package var measure: Measure
  package var base: Distribution
  package var new: Distribution
  /// Compares ranks only. Nil if one of the traces has no values.
  package var test: RankTest?
  /// Treats values closer than the smallest relevant difference as equal.
  package var relevantTest: RankTest?
  /// Compares the numbers of long values. Nil if one of the traces has no values, or none is much longer than the
  /// median.
  package var tailTest: TailTest?
  /// Whether the long values differ relevantly.
  package let hasOtherTail: Bool
  /// True for the program's own work, false for waits, which other work on the machine affects first.
  private let isWork: Bool
  /// The smallest relevant effect.
  private let least: Effect

  init(
    _ measure: Measure, isWork: Bool, _ base: Distribution, _ new: Distribution,
    _ relevant: RelevantDifference
  ) {
    self.measure = measure
    self.isWork = isWork
    self.base = base
    self.new = new
    least = relevant.effect
    test = RankTest(base: base.buckets, new: new.buckets)
    relevantTest = RankTest(base: base.buckets, new: new.buckets, relevant: relevant)
    tailTest = TailTest(base: base.buckets, new: new.buckets, relevant: relevant)
    hasOtherTail =
      tailTest.map { tail in
        tail.isSignificant
          && (tail.isWorse
            ? relevant.separatesTails(base.p99, new.p99) : relevant.separatesTails(new.p99, base.p99))
      } ?? false
  }

  /// The bound on `pValue` for a difference beyond chance.
  package static let significance = 0.05

  /// Relevant if the values or the long values among them differ relevantly.
  package var difference: Difference { hasOtherTail ? .relevant : differenceByRanks }

  /// Relevant if the relevantly different values show a relevant effect that is unlikely to be chance. Minor if these
  /// values or all values show any effect.
  package var differenceByRanks: Difference {
    guard isEffect(relevantTest) || isEffect(test) else { return .none }
    guard isEffect(relevantTest), let effect = relevantTest?.effect else { return .minor }
    return effect >= least || isWork && hasMovedFar ? .relevant : .minor
  }

  private func isEffect(_ test: RankTest?) -> Bool {
    guard let test, !isTooFew else { return false }
    return test.effect > .negligible && test.pValue < Self.significance
  }

  /// Whether values that do not differ relevantly account for the whole difference in ranks.
  package var isOfCloseValues: Bool { !isEffect(relevantTest) }

  /// Whether the mean has at least doubled or halved, in the direction of the effect: a few values changed greatly.
  private var hasMovedFar: Bool {
    let means = (
      base: Double(base.sum) / Double(max(base.count, 1)), new: Double(new.sum) / Double(max(new.count, 1))
    )
    return max(means.base, means.new) >= 2 * min(means.base, means.new)
      && (means.new > means.base) == ((relevantTest?.delta ?? 0) > 0)
  }

  /// Whether only the long values differ relevantly.
  package var isOfTail: Bool { hasOtherTail && differenceByRanks < .relevant }
  /// The rank test that decided the difference by ranks.
  package var decidingTest: RankTest? { differenceByRanks == .relevant ? relevantTest : test }
  /// Whether NEW's times are longer.
  package var isWorse: Bool { isOfTail ? tailTest?.isWorse == true : (decidingTest?.delta ?? 0) > 0 }
  /// Whether the traces have so few values that even the greatest difference in ranks could be chance.
  package var isTooFew: Bool {
    base.count > 0 && new.count > 0
      && RankTest.leastPValue(base.count, new.count) >= ComparedDistribution.significance
  }
}

/// The times of the callouts with one name.
package struct CalloutTimes: Sendable {
  package var count: UInt64
  package var timeNs: UInt64
  package var longestNs: UInt64
  package var meanNs: UInt64 { count == 0 ? 0 : timeNs / count }
}

/// The times of callouts that both traces have.
package struct ComparedTimes: Sendable {
  package var base: CalloutTimes
  package var new: CalloutTimes
  /// The difference between their total times as shares of the traces' lengths.
  package var difference: Difference
}
