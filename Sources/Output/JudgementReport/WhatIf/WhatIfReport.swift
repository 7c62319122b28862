import ReportWriting
import TraceAnalysis
import TraceComparison
import TraceTables
import WhatIf

/// A prediction with the comparison of recording and prediction, for text and JSON.
package struct WhatIfReport {
  var file: String
  var changes: [Change]
  var fidelity: [Fidelity]
  var isExact: Bool
  /// Why there is no prediction; nil = there is one.
  var undecided: String?
  var prediction: Prediction?
  var figures: [PredictedFigure]
  var comparison: Comparison?
  /// The changes that `--rank` tried; nil = the user gave the changes.
  var ranking: WhatIfRanking?

  /// A report about changes that were tried.
  package init(file: String, fidelity: [Fidelity], _ ranking: WhatIfRanking) {
    self.init(file: file, changes: [], fidelity: fidelity)
    self.ranking = ranking
  }

  /// A report about the fidelity alone, or about a prediction.
  package init(
    file: String, changes: [Change], fidelity: [Fidelity], prediction: Prediction? = nil,
    figures: [PredictedFigure] = [], comparison: Comparison? = nil, undecided: String? = nil
  ) {
    self.file = file
    self.changes = changes
    self.fidelity = fidelity
    self.prediction = prediction
    self.figures = figures
    self.comparison = comparison
    self.undecided = undecided
    isExact = !fidelity.isEmpty && fidelity.allSatisfy(\.isExact)
  }

  var isOfNothing: Bool { changes.allSatisfy { $0.effect == .nothing } }
}

// MARK: Text

extension WhatIfReport {
  package func lines(style: TextStyle, showsAll: Bool) -> [String] {
    var out: [String] = []
    for loop in fidelity { out += style.labelled("Fidelity", sentence(loop)) }
    if let ranking { return out + [""] + ranking.lines(style: style) }
    if showsAll || isOfNothing { out += residues(style) }
    if let undecided {
      return out + style.labelled("Undecided", undecided)
    }
    guard let prediction else { return out }
    for changed in prediction.changes {
      out += style.labelled(
        "Change",
        "\(harmless(changed.change.text, limit: 200)) (\(Phrase.count(UInt64(changed.items), "item", "items")))"
      )
    }
    if prediction.doubts.isEmpty {
      out += style.labelled(
        "Prediction", isOfNothing ? "the recording itself" : "exact, if the assumptions hold")
    } else {
      for (number, doubt) in prediction.doubts.enumerated() {
        out += style.labelled(number == 0 ? "Not exact" : "", doubt)
      }
    }
    for (number, assumption) in prediction.assumptions.enumerated() {
      out += style.labelled(number == 0 ? "Assumed" : "", assumption)
    }
    guard !isOfNothing else { return out }
    out += figureLines(style, showsAll: showsAll)
    out += findingLines(style)
    return out
  }

  private func sentence(_ loop: Fidelity) -> String {
    let thread = "thread \(harmless(loop.thread, limit: 60))"
    if let divergence = loop.divergence { return divergence.text(thread: harmless(loop.thread, limit: 60)) }
    let events = Phrase.count(UInt64(loop.events), "event", "events")
    if loop.isExact {
      return "exact: without a change, the replay repeats the \(events) of \(thread) at their times"
    }
    let all = loop.residues.first
    var text =
      "without a change, the replay repeats the \(events) of \(thread) in order; callouts begin within "
      + "\(Units.duration(all?.p50Ns ?? 0)) (p50), \(Units.duration(all?.p99Ns ?? 0)) (p99), "
      + "\(Units.duration(all?.maxNs ?? 0)) (max) of their times"
    if loop.swaps > 0 {
      text +=
        "; \(Phrase.count(UInt64(loop.swaps), "arrival or due point takes", "arrivals or due points take")) effect up "
        + "to 2 ms before or after the recorded time, because the loop noticed it then"
    }
    if loop.inferredArrivals + loop.inferredWakes > 0 {
      text +=
        "; \(Phrase.count(UInt64(loop.inferredArrivals + loop.inferredWakes), "arrival was", "arrivals were")) "
        + "not recorded"
    }
    return text
  }

  private func residues(_ style: TextStyle) -> [String] {
    var table = TextTable(["residue of", "callouts", "p50", "p99", "max"])
    for loop in fidelity {
      for row in loop.residues {
        let name = row.group == .all ? "all of \(loop.thread)" : "\(row.group.rawValue) \(row.name)"
        table.add([
          harmless(name, limit: 80), "\(row.callouts)", Units.duration(row.p50Ns), Units.duration(row.p99Ns),
          Units.duration(row.maxNs),
        ])
      }
    }
    return table.isEmpty ? [] : [""] + table.lines(style: style)
  }

  private func figureLines(_ style: TextStyle, showsAll: Bool) -> [String] {
    var table = TextTable(["subject", "number", "recorded", "predicted", "change"], leftColumns: 2)
    for figure in figures where showsAll || figure.isChanged {
      table.add([
        figure.subject, figure.name, figure.text(figure.base), figure.predictedText, figure.changeText,
      ])
    }
    guard !table.isEmpty else { return ["", "No number differs."] }
    return [""] + table.lines(style: style)
  }

  private func findingLines(_ style: TextStyle) -> [String] {
    guard let comparison, !comparison.findings.isEmpty else { return [] }
    return ["", style.strong("Findings")]
      + comparison.findings.flatMap { compared -> [String] in
        let word =
          switch compared.presence {
          case .both: "changed"
          case .base: "gone"
          case .new: "new"
          }
        return style.wrapped(
          "\(word) \(compared.finding.severity.rawValue) \(compared.finding.rule.rawValue) \(compared.finding.text)"
        )
      }
  }
}

extension PredictedFigure {
  func text(_ value: UInt64) -> String {
    switch unit {
    case .count: "\(value)"
    case .ns: Units.duration(value)
    case .nsPerS: "\(Units.significant(Double(value) / 1e6)) ms/s"
    }
  }

  var predictedText: String {
    guard let range else { return "\(text(predicted)), uncertain" }
    let (low, high) = (range.lowerBound, range.upperBound)
    return low == high ? text(predicted) : "\(text(predicted)) (\(text(low)) to \(text(high)))"
  }

  var changeText: String {
    guard predicted != base else { return "0" }
    let difference = predicted > base ? predicted - base : base - predicted
    let sign = predicted > base ? "+" : "−"
    guard unit != .count, base > 0 else { return sign + text(difference) }
    return
      "\(sign)\(text(difference)) (\(sign)\(Units.significant(Double(difference) / Double(base) * 100)) %)"
  }
}

// MARK: JSON

extension WhatIfReport {
  package static let document = JSONDocument<WhatIfReport>(
    "rltrace.what-if/1", "prediction of a changed program"
  ) {
    Column("file", "file name as given") { $0.file }
    Column("outcome", "predicted, undecided, or tried with --rank") {
      $0.ranking != nil ? "tried" : $0.undecided == nil ? "predicted" : "undecided"
    }
    Column("undecided", "reason why there is no prediction; null = there is one") { $0.undecided }
    Column.rows(changes) { $0.changes }
    Column("exact", "whether the prediction is exact if the assumptions hold") {
      $0.prediction.map(\.doubts.isEmpty)
    }
    Column("doubts", "reasons why the changed program may behave differently, even if the assumptions hold") {
      $0.prediction?.doubts ?? []
    }
    Column("assumptions", "what the prediction assumes") { $0.prediction?.assumptions ?? [] }
    Column.rows(fidelityTable) { $0.fidelity }
    Column.rows(figureTable) { $0.figures }
    Column.rows(ComparisonTables.findings) { $0.comparison?.findings ?? [] }
    Column.rows(WhatIfRanking.table) { $0.ranking?.entries ?? [] }
  }

  private static let changes = ResultTable<Change>("changes", "changes, in the given order") {
    Column("text", "change as written") { $0.text }
  }

  private static let fidelityTable = ResultTable<Fidelity>(
    "fidelity", "how well a replay without a change repeats each loop of the recording"
  ) {
    Column("thread", "name of the loop's thread") { $0.thread }
    Column("exact", "whether every event has its recorded time") { $0.isExact }
    Column("events", "events of the thread that were repeated in order") { UInt64($0.events) }
    Column("inferred_arrivals", "arrivals that were not recorded, placed where the loop noticed them") {
      UInt64($0.inferredArrivals)
    }
    Column("inferred_wakes", "wake-ups without a recorded reason") { UInt64($0.inferredWakes) }
    Column("swaps", "arrivals and due points that take effect a little before or after their recorded times")
    {
      UInt64($0.swaps)
    }
    Column("divergence", "where the replay diverged from the recording; null = it did not") { loop in
      loop.divergence.map { $0.text(thread: loop.thread) }
    }
    Column.rows(residueTable) { $0.residues }
  }

  private static let residueTable = ResultTable<Fidelity.Residue>(
    "residues",
    "differences between recorded and replayed start times of callouts if the loop's own time is taken to be its median"
  ) {
    Column("group", "all, mode or timer") { $0.group.rawValue }
    Column("name", "name of the mode or timer; empty for all") { $0.name }
    Column("callouts", "compared callouts") { UInt64($0.callouts) }
    Column("p50_ns", "median difference") { $0.p50Ns }
    Column("p99_ns", "99th percentile of the difference") { $0.p99Ns }
    Column("max_ns", "largest difference") { $0.maxNs }
  }

  private static let figureTable = ResultTable<PredictedFigure>(
    "figures", "numbers of the recording and of the prediction"
  ) {
    Column("subject", "timer, mode or part of the trace") { $0.subject }
    Column("name", "what is counted or measured") { $0.name }
    Column("unit", "count, ns, or ns_per_s: nanoseconds in each second") { $0.unit.rawValue }
    Column("base", "number of the recording") { $0.base }
    Column("predicted", "number of the prediction") { $0.predicted }
    Column("low", "lower end of the prediction's range; null = no range") { $0.range?.lowerBound }
    Column("high", "upper end of the prediction's range; null = no range") { $0.range?.upperBound }
  }
}
