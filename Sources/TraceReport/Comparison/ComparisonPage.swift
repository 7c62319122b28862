import Mustache
import TraceAnalysis
import TraceComparison

/// A comparison as a page of its own: no script, nothing loaded, every name escaped.
public struct ComparisonPage {
  private static let template = Markup.template(PackageResources.comparison_mustache)
  private let comparison: Comparison

  public init(_ comparison: Comparison) { self.comparison = comparison }

  public func html(baseFile: String, newFile: String) -> String {
    let rows = comparison.rows
    let shared = rows.filter { $0.presence == .both }
    let counts = shared.flatMap { row in row.counts.map { (row, $0) } }
    let verdict = comparison.verdict
    return Self.template.render(
      Page(
        css: String(decoding: PackageResources.comparison_css, as: UTF8.self),
        baseFile: harmless(baseFile, limit: 200), newFile: harmless(newFile, limit: 200),
        outcome: tone(verdict.outcome),
        headline: verdict.headline,
        reasons: verdict.furtherReasons.map { Reason(tone: $0.isWorse ? "worse" : "better", text: $0.text) },
        sides: [Side("base", baseFile, comparison.base), Side("new", newFile, comparison.new)],
        relevant: comparison.relevant, minor: MinorDifferences(comparison),
        counts: counts.filter { $0.1.difference == .relevant }.map(Count.init),
        minorCounts: counts.filter { $0.1.difference == .minor }.map(Count.init),
        equalCounts: counts.filter { $0.1.difference == .none }.map(Count.init),
        times: shared.compactMap { row in
          row.times.flatMap { row.hasRelevantTimes ? Times(row, $0) : nil }
        },
        hangs: Hangs.rows(comparison.rows), lists: lists().filter { !$0.lines.isEmpty },
        distributions: shared.flatMap { row in row.distributions.map { Pair(row, $0) } }))
  }

  /// The colour of the headline: green only while neither trace has an error.
  private func tone(_ outcome: ComparisonVerdict.Outcome) -> String {
    switch outcome {
    case .worse, .mixed: "worse"
    case .better, .same: comparison.hasErrors ? "different" : outcome.rawValue
    case .different, .undecided: outcome.rawValue
    }
  }

  private func lists() -> [List] {
    func only(_ presence: Presence) -> [String] {
      comparison.rows.filter { $0.presence == presence }.map { row in
        let counts = row.counts.compactMap { count -> String? in
          let value = (presence == .new ? count.new : count.base) ?? 0
          return value > 0 ? count.measure.text(value) : nil
        }
        return row.subject.label + (row.isUnknownElsewhere ? " (the other does not say)" : "")
          + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
      }
    }
    func findings(_ presence: Presence) -> [String] {
      comparison.findings.filter { $0.presence == presence }.map {
        let severity = $0.former == nil ? $0.finding.severity.name : $0.label
        return
          "\($0.difference == .minor ? "minor: " : "")\(severity) \($0.finding.rule.rawValue): \($0.finding.text)"
      }
    }
    return [
      List(title: "Findings that are new", findings(.new)),
      List(title: "Findings that are gone", findings(.base)),
      List(title: "Findings whose severity changed", findings(.both)),
      List(
        title: "Timers whose settings changed",
        comparison.rows.filter { !$0.changes.isEmpty }.map {
          "\($0.subject.label): \($0.changes.joined(separator: "; "))"
        }), List(title: "Only in the new trace", only(.new)), List(title: "Only in the base", only(.base)),
      List(title: "What this comparison cannot tell", comparison.notes),
    ]
  }

  // MARK: What the template reads

  private struct Page {
    let css: String
    let baseFile: String
    let newFile: String
    let outcome: String
    let headline: String
    let reasons: [Reason]
    let sides: [Side]
    let minor: String
    let relevant: String
    let effect: String
    let counts: [Count]
    let minorCounts: [Count]
    let equalCounts: [Count]
    let times: [Times]
    let hangs: [Hangs]
    let lists: [List]
    let distributions: [Pair]
    let hasTimes: Bool
    let hasHangs: Bool
    let hasCounts: Bool
    let hasMinor: Bool
    let hasMinorCounts: Bool
    let minorCount: Int
    let hasEqualCounts: Bool
    let equalCount: Int
    let hasDistributions: Bool

    init(
      css: String, baseFile: String, newFile: String, outcome: String, headline: String, reasons: [Reason],
      sides: [Side], relevant: RelevantDifference, minor: MinorDifferences, counts: [Count],
      minorCounts: [Count],
      equalCounts: [Count], times: [Times], hangs: [Hangs], lists: [List],
      distributions: [Pair]
    ) {
      self.css = css
      self.baseFile = baseFile
      self.newFile = newFile
      self.outcome = outcome
      self.headline = headline
      self.reasons = reasons
      self.sides = sides
      self.counts = counts
      self.relevant = relevant.timeText
      effect = relevant.effect.name
      self.minor = minor.isEmpty ? "" : minor.text
      self.minorCounts = minorCounts
      self.equalCounts = equalCounts
      self.times = times
      self.hangs = hangs
      hasHangs = !hangs.isEmpty
      self.lists = lists
      self.distributions = distributions
      hasTimes = !times.isEmpty
      hasCounts = !counts.isEmpty
      hasMinor = !minor.isEmpty
      hasMinorCounts = !minorCounts.isEmpty
      minorCount = minorCounts.count
      hasEqualCounts = !equalCounts.isEmpty
      equalCount = equalCounts.count
      hasDistributions = !distributions.isEmpty
    }
  }

  private struct Reason {
    let tone: String
    let text: String
  }

  private struct Side {
    let side: String
    let file: String
    let length: String
    let events: String
    let lost: String
    let level: String
    let top: String

    init(_ side: String, _ file: String, _ analysis: Analysis) {
      let trace = analysis.trace
      top = analysis.verdict.line
      self.side = side
      self.file = harmless(file, limit: 200)
      length = Units.duration(trace.toNs &- trace.fromNs)
      events = "\(trace.events)"
      lost = "\(trace.lostEvents)"
      level = trace.captureLevel.name
    }
  }

  private struct Count {
    let label: String
    let measure: String
    let base: String
    let new: String
    let change: String

    init(_ row: ComparedRow, _ count: ComparedCount) {
      label = row.subject.label
      measure = count.measure.title
      base = count.base.map { "\($0)" } ?? "?"
      new = count.new.map { "\($0)" } ?? "?"
      change = count.changeText
    }
  }

  private struct Times {
    let label: String
    let baseMean: String
    let baseLongest: String
    let newMean: String
    let newLongest: String
    let change: String

    init(_ row: ComparedRow, _ times: ComparedTimes) {
      label = row.subject.label
      baseMean = Units.duration(times.base.meanNs)
      baseLongest = Units.duration(times.base.longestNs)
      newMean = Units.duration(times.new.meanNs)
      newLongest = Units.duration(times.new.longestNs)
      change = times.changeText
    }
  }

  private struct Hangs {
    let label: String
    let sides: [Side]

    struct Side {
      let count: String
      let longest: String
      let time: String

      init(_ hangs: HangTimes) {
        count = "\(hangs.count)"
        longest = hangs.count == 0 ? "–" : Units.duration(hangs.longestNs)
        time = hangs.count == 0 ? "–" : Units.duration(hangs.timeNs)
      }
    }

    static func rows(_ rows: [ComparedRow]) -> [Hangs] {
      rows.compactMap { row in
        guard row.subject != .trace, let hangs = row.hangs, hangs.base.count + hangs.new.count > 0 else {
          return nil
        }
        return Hangs(label: row.subject.label, sides: [Side(hangs.base), Side(hangs.new)])
      }
    }
  }

  private struct List {
    let title: String
    let lines: [Line]

    init(title: String, _ lines: [String]) {
      self.title = title
      self.lines = lines.map(Line.init)
    }
  }

  private struct Line { let text: String }

  private struct Pair {
    let label: String
    let measure: String
    let isChange: Bool
    let tone: String
    let effect: String
    let values: [Values]
    let rules: [CumulativeChart.Rule]
    let basePath: String
    let newPath: String

    init(_ row: ComparedRow, _ compared: ComparedDistribution) {
      label = row.subject.label
      measure = compared.measure.title
      isChange = compared.difference == .relevant
      tone = isChange ? compared.isWorse ? "worse" : "better" : "quiet"
      effect =
        compared.decidingTest.map { test in
          "\(compared.difference == .minor ? "minor, by ranks a " : "")\(test.effect.name) effect (delta \(test.delta < 0 ? "−" : "+")\(Units.significant(abs(test.delta))), "
            + "p \(test.pValue < 0.001 ? "< 0.001" : Units.significant(test.pValue)))"
        } ?? "one of them has no values"
      values = [Values("base", compared.base), Values("new", compared.new)]
      let chart = CumulativeChart(compared.base, compared.new)
      rules = chart.rules
      basePath = chart.basePath
      newPath = chart.newPath
    }
  }

  private struct Values {
    let side: String
    let count: String
    let min: String
    let p50: String
    let p90: String
    let p99: String
    let p999: String
    let max: String

    init(_ side: String, _ distribution: Distribution) {
      func text(_ value: UInt64) -> String { distribution.count > 0 ? Units.duration(value) : "–" }
      self.side = side
      count = "\(distribution.count)"
      min = text(distribution.min)
      p50 = text(distribution.p50)
      p90 = text(distribution.p90)
      p99 = text(distribution.p99)
      p999 = text(distribution.p999)
      max = text(distribution.max)
    }
  }
}

extension ComparedTimes {
  /// The difference of the sums with its sign.
  var changeText: String {
    new.timeNs >= base.timeNs
      ? "+" + Units.duration(new.timeNs - base.timeNs) : "−" + Units.duration(base.timeNs - new.timeNs)
  }
}

extension ComparedCount {
  /// The difference with its sign; empty when there is none, or one side is not known.
  var changeText: String {
    guard let base, let new, base != new else { return "" }
    return new > base ? "+\(new - base)" : "−\(base - new)"
  }
}
