import TraceAnalysis

/// Findings, and the verdict.
enum FindingTables {
  private static let evidence = ResultTable<Finding.Evidence>("evidence", "what a finding rests on") {
    Column("start_ns", "null = of the whole span") { $0.startNs }
    Column("duration_ns", "") { $0.durationNs }
    Column("callout", "its kind and name") { $0.callout }
    Column("note", "") { $0.note }
    Column("figures", "numbers of the sentence, by name", in: .document, .byName(.number)) {
      .object(Dictionary($0.figures.map { ($0.name, value($0.value)) }) { first, _ in first })
    }
    Column("names", "names of the sentence", in: .document) { $0.names }
  }

  /// Counts and times are integers.
  private static func value(_ figure: Figure.Value) -> Value {
    switch figure {
    case .count(let count): .integer(count)
    case .ns(let ns): .integer(ns)
    case .percent(let number), .rate(let number): .share(number)
    }
  }

  static let findings = ResultTable<Finding>(.findings, "ranked, the worst first") {
    Column("rule", "see docs/findings.md") { $0.rule.rawValue }
    Column("severity", "error, warning or info") { $0.severity.name }
    Column("title", "the rule's") { $0.title }
    Column("text", "what was found") { $0.text }
    Column("remedy", "what usually helps") { $0.remedy }
    Column.rows("evidence", evidence) { $0.evidence }
    evidence.tableColumns.map { column in
      Column(
        "evidence.0.\(column.name)", firstAbout[column.name] ?? column.about, in: .table, column.kind.optional
      ) {
        $0.evidence.first.map(column.value) ?? .unknown
      }
    }
    Column("evidence_count", "pieces of evidence", in: .table) { $0.evidence.count }
  }

  private static let firstAbout = ["start_ns": "of the first piece of evidence", "callout": ""]

  static let verdict = ResultTable<Verdict>("verdict", "is something wrong?") {
    Column("outcome", "fault, clear or undecided") { $0.outcome.rawValue }
    Column("rule", "of the top-ranked finding") { $0.rule?.rawValue }
    Column("severity", "of the top-ranked finding") { $0.severity?.name }
    Column("text", "one or two sentences") { $0.text }
    Column("remedy", "what usually helps") { $0.remedy }
    Column("nothing_to_judge", "why no all-clear could be given") { $0.nothingToJudge?.text }
  }
}
