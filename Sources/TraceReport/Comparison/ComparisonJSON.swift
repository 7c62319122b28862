// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import TraceAnalysis
import TraceComparison

/// A comparison as JSON, schema `rltrace.compare/1`: every row, whether it differs or not. docs/commands/compare.md
/// defines each key.
public enum ComparisonJSON {
  public static let schema = "rltrace.compare/1"

  public static func encode(_ comparison: Comparison, baseFile: String, newFile: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let document = Document(
      base: Side(file: baseFile, comparison.base),
      new: Side(file: newFile, comparison.new),
      verdict: VerdictRow(comparison.verdict), gap_threshold_ns: comparison.gapThresholdNs,
      relevant: RelevantRow(comparison.relevant),
      rows: comparison.rows.map(Row.init), findings: comparison.findings.map(FindingRow.init),
      notes: comparison.notes)
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }

  private struct Document: Encodable {
    let schema = ComparisonJSON.schema
    let base: Side
    let new: Side
    let verdict: VerdictRow
    let gap_threshold_ns: UInt64
    let relevant: RelevantRow
    let rows: [Row]
    let findings: [FindingRow]
    let notes: [String]
  }

  private struct RelevantRow: Encodable {
    let share: Double
    let ns: UInt64
    let effect: String

    init(_ relevant: RelevantDifference) {
      share = relevant.share
      ns = relevant.ns
      effect = relevant.effect.name
    }
  }

  private struct Side: Encodable {
    let file: String
    let events: UInt64
    let lost_events: UInt64
    let length_ns: UInt64
    let capture_level: String
    let clean: Bool
    let verdict: Value

    init(file: String, _ analysis: Analysis) {
      let trace = analysis.trace
      verdict = FindingTables.verdict.object(analysis.verdict)
      self.file = file
      events = trace.events
      lost_events = trace.lostEvents
      length_ns = trace.toNs &- trace.fromNs
      capture_level = trace.captureLevel.name
      clean = trace.clean
    }
  }

  private struct VerdictRow: Encodable {
    let outcome: String
    let headline: String
    let reasons: [Reason]

    struct Reason: Encodable {
      let worse: Bool
      let text: String
    }

    init(_ verdict: ComparisonVerdict) {
      outcome = verdict.outcome.rawValue
      headline = verdict.headline
      reasons = verdict.reasons.map { Reason(worse: $0.isWorse, text: $0.text) }
    }
  }

  private struct Row: Encodable {
    let about: String
    @OrNull var thread: String?
    @OrNull var mode: String?
    @OrNull var kind: String?
    @OrNull var name: String?
    @OrNull var site: String?
    @OrNull var interval_ns: UInt64?
    @OrNull var modes: [String]?
    let presence: String
    let difference: String
    let changes: [String]
    let counts: [String: Count]
    let distributions: [String: DistributionPair]
    @OrNull var times: TimesPair?
    @OrNull var hangs: HangsPair?

    init(_ row: ComparedRow) {
      about = row.subject.kind
      switch row.subject {
      case .trace: break
      case .session(let thread, let mode):
        self.thread = thread
        self.mode = mode
      case .timer(let timer):
        name = timer.name
        site = timer.site
        interval_ns = timer.intervalNs
        modes = timer.modes
      case .callout(let thread, let kind, let name):
        self.thread = thread
        self.kind = kind
        self.name = name
      case .source(let name): self.name = name
      }
      presence = row.presence.rawValue
      difference = row.difference.name
      changes = row.changes
      counts = Dictionary(
        uniqueKeysWithValues: row.counts.map { ($0.measure.rawValue, Count($0)) })
      times = row.times.map(TimesPair.init)
      hangs = row.hangs.map(HangsPair.init)
      distributions = Dictionary(
        uniqueKeysWithValues: row.distributions.map { ("\($0.measure.rawValue)_ns", DistributionPair($0)) })
    }
  }

  private struct Count: Encodable {
    @OrNull var base: UInt64?
    @OrNull var new: UInt64?
    let difference: String

    init(_ count: ComparedCount) {
      difference = count.difference.name
      base = count.base
      new = count.new
    }
  }

  private struct DistributionPair: Encodable {
    let base: Value
    let new: Value
    @OrNull var test: TestRow?
    @OrNull var relevant_test: TestRow?
    let difference: String

    init(_ compared: ComparedDistribution) {
      difference = compared.difference.name
      base = DistributionColumns.all.object(compared.base)
      new = DistributionColumns.all.object(compared.new)
      test = compared.test.map(TestRow.init)
      relevant_test = compared.relevantTest.map(TestRow.init)
    }
  }

  private struct TimesPair: Encodable {
    let base: Times
    let new: Times
    let difference: String

    struct Times: Encodable {
      let time_ns: UInt64
      let mean_ns: UInt64
      let longest_ns: UInt64

      init(_ times: CalloutTimes) {
        time_ns = times.timeNs
        mean_ns = times.meanNs
        longest_ns = times.longestNs
      }
    }

    init(_ times: ComparedTimes) {
      base = Times(times.base)
      new = Times(times.new)
      difference = times.difference.name
    }
  }

  private struct HangsPair: Encodable {
    let base: Hangs
    let new: Hangs
    let longest_difference: String
    let time_difference: String

    struct Hangs: Encodable {
      let count: UInt64
      let longest_ns: UInt64
      let time_ns: UInt64

      init(_ hangs: HangTimes) {
        count = hangs.count
        longest_ns = hangs.longestNs
        time_ns = hangs.timeNs
      }
    }

    init(_ hangs: ComparedHangs) {
      base = Hangs(hangs.base)
      new = Hangs(hangs.new)
      longest_difference = hangs.longest.name
      time_difference = hangs.sum.name
    }
  }

  private struct TestRow: Encodable {
    let cliffs_delta: Double
    let effect: String
    let mann_whitney_u: Double
    let z: Double
    let p_value: Double

    init(_ test: RankTest) {
      cliffs_delta = test.delta
      effect = test.effect.name
      mann_whitney_u = test.u
      z = test.z
      p_value = test.pValue
    }
  }

  private struct FindingRow: Encodable {
    let presence: String
    let rule: String
    let severity: String
    @OrNull var former_severity: String?
    let title: String
    let subject: String
    let text: String
    let difference: String

    init(_ compared: ComparedFinding) {
      difference = compared.difference.name
      presence = compared.presence.rawValue
      rule = compared.finding.rule.rawValue
      severity = compared.finding.severity.name
      former_severity = compared.former?.severity.name
      title = compared.finding.title
      subject = compared.finding.subject
      text = compared.finding.text
    }
  }
}
