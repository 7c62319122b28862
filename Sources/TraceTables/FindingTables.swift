import TraceAnalysis

/// Tables of the findings and the verdict.
package enum FindingTables {
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

  /// Converts a figure; counts, times and moments become integers.
  private static func value(_ figure: Figure.Value) -> Value {
    switch figure {
    case .count(let count): .integer(count)
    case .ns(let ns), .moment(let ns): .integer(ns)
    case .percent(let number), .rate(let number): .share(number)
    }
  }

  private static let places = ResultTable<Finding.Place>("places", "where the code is that it names") {
    Column("role", "function = it ran, or a timer calls it; maker = it made the timer, source or block") {
      $0.role.rawValue
    }
    Column("function", "its name") { $0.frame.name }
    Column("source_file", "of it") { $0.frame.file }
    Column("source_line", "in that file") { $0.frame.line }
  }

  package static let rule = Column<Finding>("rule", "see docs/reference/findings.md") { $0.rule.rawValue }
  package static let severity = Column<Finding>("severity", "error, warning or info") { $0.severity.name }
  package static let title = Column<Finding>("title", "the rule's; of several subjects with their number") {
    $0.title
  }
  package static let count = Column<Finding>("findings", "how many of its rule it is") { $0.findings }
  /// The list of findings omits this column because the texts name the subject.
  package static let subject = Column<Finding>("subject", "the timer, callout, mode or source") { $0.subject }
  package static let text = Column<Finding>("text", "what was found") { $0.text }

  private static let subjects = ResultTable<Finding>("subjects", "what it is about, the worst first") {
    subject
    text
    Column("part", "so many of `whole`; null = it is no part of anything") { $0.headline?.share?.part }
    Column("whole", "") { $0.headline?.share?.whole }
    Column("time_ns", "null = it is no time") { $0.headline?.timeNs }
    Column("label", "what `part` or `time_ns` is") { $0.headline?.label }
  }

  package static let findings = ResultTable<Finding>(
    "findings", "ranked, the worst first; of several subjects at once where a rule says the same of them"
  ) {
    rule
    severity
    title
    text
    Column("remedy", "what usually helps") { $0.remedy }
    Column.rows(subjects) { $0.subjects }
    Column.rows(places) { $0.places }
    Column.rows(evidence) { $0.evidence }
    evidence.ofFirst("of the first piece of evidence") { $0.evidence }
    Column("places", "where the code is that it names", in: .table) {
      $0.places.map(\.text).joined(separator: "; ")
    }
    Column("evidence_count", "pieces of evidence", in: .table) { $0.evidence.count }
  }

  /// One row for each subject, because cells of tables hold no lists.
  package static let subjectsOfFindings = ResultTable<SubjectOfFinding>(
    "finding_subjects", "what findings are about, one row per subject"
  ) {
    Column("finding", "its row in findings, from 0") { $0.place }
    rule.ofEach(\SubjectOfFinding.finding)
    severity.ofEach(\SubjectOfFinding.finding)
    subjects.columns.map { $0.ofEach(\.subject) }
  }

  package struct SubjectOfFinding: Sendable {
    let place: Int
    let finding: Finding
    let subject: Finding
  }

  package static func subjects(of findings: [Finding]) -> [SubjectOfFinding] {
    findings.enumerated().flatMap { place, finding in
      finding.subjects.map { SubjectOfFinding(place: place, finding: finding, subject: $0) }
    }
  }

  package static let verdict = ResultTable<Verdict>("verdict", "is something wrong?") {
    Column("outcome", "fault, clear or undecided") { $0.outcome.rawValue }
    Column("rule", "of the top-ranked finding") { $0.rule?.rawValue }
    Column("severity", "of the top-ranked finding") { $0.severity?.name }
    Column("text", "one or two sentences") { $0.text }
    Column("remedy", "what usually helps") { $0.remedy }
    Column("also", "the next errors and warnings; empty = nothing else") { $0.also }
    Column("nothing_to_judge", "why no all-clear could be given") { $0.nothingToJudge?.text }
  }
}
