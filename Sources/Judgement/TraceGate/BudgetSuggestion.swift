import TraceAnalysis

/// A budget that several good runs suggest: for each rule a limit above everything that the runs showed.
package struct BudgetSuggestion: Sendable {
  /// A suggested rule, and how its limit was derived.
  package struct Line: Sendable {
    package var rule: GateRule
    package var derivation: String
  }

  /// With fewer runs, the limits would only reflect chance.
  package static let fewestRuns = 3
  /// With fewer runs, one of ten runs may exceed a limit.
  package static let wantedRuns = 10
  /// Times vary from run to run, so their limits are this much above the quantile.
  private static let timeFactor = 1.5
  /// The shares of runs that a limit is derived from.
  private static let quantile = 0.9

  package private(set) var lines: [Line] = []
  /// Measures without a suggestion, and why.
  package private(set) var leftOut: [String] = []
  package let runs: Int

  private static let measures = [
    "findings(severity=error)", "unserved()", "skipped()", "wakes_for_nothing()", "max(busy)", "max(gap)",
  ]

  /// Derives a budget from runs. There are at least `fewestRuns`.
  package init(_ traces: [GatedTrace]) {
    runs = traces.count
    for measure in Self.measures { suggest(measure, traces) }
  }

  /// The rules to pass when traces are read for a suggestion, one for each measure.
  package static var rules: [GateRule] { measures.compactMap { try? RuleParser.parse("\($0) <= 0") } }

  private mutating func suggest(_ measure: String, _ traces: [GatedTrace]) {
    guard let rule = try? RuleParser.parse("\(measure) <= 0") else { return }
    var values: [Double] = []
    for trace in traces {
      let result = Gate([rule], trace: trace, baseline: .notGiven).results[0]
      guard let measured = result.measured, measured.high.isFinite else {
        leftOut.append("\(measure): \(result.why)")
        return
      }
      values.append(measured.high)
    }
    values.sort()
    let most = values[values.count - 1]
    let quantile = values[
      min(Int(clamping: (Double(values.count) * Self.quantile).rounded(.up)) - 1, values.count - 1)]
    let isTime = rule.measure.dimension == .time
    let limit = isTime ? Self.rounded(max(quantile * Self.timeFactor, most)) : most
    let text = isTime ? "\(Int(clamping: limit / 1e6))ms" : "\(Int(clamping: limit))"
    guard let suggested = try? RuleParser.parse("\(measure) <= \(text)") else { return }
    func shown(_ value: Double) -> String { Reading(value).text(rule.measure.dimension) }
    let why =
      isTime
      ? "p90 of \(runs) runs is \(shown(quantile)), the maximum \(shown(most)); the limit is p90 × \(Self.timeFactor), but at least the maximum, rounded up"
      : "the maximum of \(runs) runs; counts get no margin"
    lines.append(Line(rule: suggested, derivation: why))
  }

  /// Rounds a time up to whole milliseconds, or to two significant digits above 100 ms. The result is at least 1 ms.
  private static func rounded(_ ns: Double) -> Double {
    var step = 1e6
    while ns / step > 100 { step *= 10 }
    return max((ns / step).rounded(.up), 1) * step
  }
}
