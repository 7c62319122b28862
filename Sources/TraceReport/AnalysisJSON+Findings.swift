// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import TraceAnalysis

extension AnalysisJSON {
  struct VerdictRow: Encodable {
    let outcome: String
    @OrNull var rule: String?
    @OrNull var severity: String?
    let text: String
    let remedy: String
    @OrNull var nothing_to_judge: String?

    init(_ verdict: Verdict) {
      outcome = verdict.outcome.rawValue
      rule = verdict.rule?.rawValue
      severity = verdict.severity?.name
      text = verdict.text
      remedy = verdict.remedy
      nothing_to_judge = verdict.nothingToJudge
    }
  }

  struct EmptyRuns: Encodable {
    let loop: String
    let mode: String
    let thread: UInt32
    let count: UInt64
    let start_ns: UInt64
    let duration_ns: UInt64

    init(_ result: EmptyRunsResult) {
      loop = result.loop
      mode = result.mode
      thread = result.thread
      count = result.count
      start_ns = result.startNs
      duration_ns = result.durationNs
    }
  }

  struct FindingRow: Encodable {
    let rule: String
    let severity: String
    let title: String
    let text: String
    let remedy: String
    let evidence: [EvidenceRow]

    struct EvidenceRow: Encodable {
      @OrNull var start_ns: UInt64?
      @OrNull var duration_ns: UInt64?
      @OrNull var callout: String?
      let note: String
      let figures: [String: FigureNumber]
      let names: [String]
    }

    init(_ finding: Finding) {
      rule = finding.rule.rawValue
      severity = finding.severity.name
      title = finding.rule.title
      text = finding.text
      remedy = finding.remedy
      evidence = finding.evidence.map { evidence in
        EvidenceRow(
          start_ns: evidence.startNs, duration_ns: evidence.durationNs, callout: evidence.callout,
          note: evidence.note,
          figures: Dictionary(evidence.figures.map { ($0.name, FigureNumber(value: $0.value)) }) { first, _ in
            first
          }, names: evidence.names)
      }
    }
  }

  /// Counts and times are integers; shares and rates have four digits behind the point.
  struct FigureNumber: Encodable {
    let value: Figure.Value

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch value {
      case .count(let count): try container.encode(count)
      case .ns(let ns): try container.encode(ns)
      case .percent(let number), .rate(let number):
        try container.encode(number.isFinite ? (number * 10_000).rounded() / 10_000 : 0)
      }
    }
  }
}
