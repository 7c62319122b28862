import TraceAnalysis

/// Tables of the findings and the verdict.
package enum FindingTables {
  private static let evidence = ResultTable<Finding.Evidence>("evidence", "evidence of a finding") {
    Column("start_ns", "start of the evidence; null = it covers the whole span") { $0.startNs }
    Column("duration_ns", "") { $0.durationNs }
    Column("callout", "kind and name of the callout") { $0.callout }
    Column("note", "") { $0.note }
    Column("figures", "numbers that the text contains, by name", in: .document, .byName(.number)) {
      .object(Dictionary($0.figures.map { ($0.name, value($0.value)) }) { first, _ in first })
    }
    Column("names", "names that the text contains", in: .document) { $0.names }
  }

  /// Converts a figure; counts, times and moments become integers.
  private static func value(_ figure: Figure.Value) -> Value {
    switch figure {
    case .count(let count): .integer(count)
    case .ns(let ns), .moment(let ns): .integer(ns)
    case .percent(let number), .rate(let number): .share(number)
    }
  }

  private static let places = ResultTable<Finding.Place>(
    "places", "places of the code that the finding names"
  ) {
    Column(
      "role",
      "function = it ran; late = a timer that was late calls it; maker = it created the object; runner = it ran the loop; holder = it held the lock or queue; caller = it called the place before it"
    ) {
      $0.role.rawValue
    }
    Column("function", "name of the function") { $0.frame.name }
    Column("source_file", "source file of the function") { $0.frame.file }
    Column("source_line", "line in that file") { $0.frame.line }
  }

  package static let rule = Column<Finding>("rule", "id of the rule; docs/reference/findings.md describes it")
  { $0.rule.rawValue }
  package static let severity = Column<Finding>("severity", "error, warning or info") { $0.severity.name }
  package static let title = Column<Finding>(
    "title", "title of the rule, with the number of subjects if there are several"
  ) {
    $0.title
  }
  package static let count = Column<Finding>("findings", "number of the rule's findings that it combines") {
    $0.findings
  }
  /// The list of findings omits this column because the texts name the subject.
  package static let subject = Column<Finding>(
    "subject", "name of the timer, callout, mode, source or thread; empty = the trace"
  ) { $0.subject }
  package static let text = Column<Finding>("text", "the finding as a sentence") { $0.text }

  private static let subjects = ResultTable<Finding>("subjects", "subjects of the finding, the worst first") {
    subject
    text
    Column("part", "main number, if it is a count out of `whole`; else null") { $0.headline?.share?.part }
    Column("whole", "") { $0.headline?.share?.whole }
    Column("time_ns", "main number, if it is a time; else null") { $0.headline?.timeNs }
    Column("label", "meaning of `part` or `time_ns`") { $0.headline?.label }
  }

  private static let worth = ResultTable<Worth>(
    "worth",
    "prediction of what the suggested change would do; null = not asked for, or doubtful"
  ) {
    Column("changes", "changes as for what-if --do", in: .document) { $0.changes }
    Column("exact", "whether the numbers are exact; else they are minimum gains and maximum costs") {
      $0.isExact
    }
    Column("residue_ns", "how far times of the replay are from recorded ones (p99)") { $0.residueNs }
    Column("fires_won_back", "skipped fires that they bring back; negative = additional skipped fires") {
      Double($0.firesWonBack)
    }
    Column(
      "hitches_removed_ns", "for a finding about frames, hitch time that they remove; negative = add; else 0"
    ) { Double($0.hitchesRemovedNs) }
    Column("hangs_removed_ns", "hang time that they remove; negative = add") { Double($0.hangsRemovedNs) }
    Column("hangs_left", "hangs that are left") { $0.hangsLeft }
    Column("busy_ns", "busy time that they add; negative = remove") { Double($0.busyNs) }
    Column("text", "the same in words") { $0.sentence }
  }

  package static let findings = ResultTable<Finding>(
    "findings",
    "findings by rank, the worst first; one finding covers several subjects if its rule says the same about them"
  ) {
    rule
    severity
    title
    text
    Column("remedy", "usual remedy") { $0.remedy }
    Column.row(worth, ifAny: { $0.worth })
    Column.rows(subjects) { $0.subjects }
    Column.rows(places) { $0.places }
    Column.rows(evidence) { $0.evidence }
    evidence.columnsOfFirst("start of the first piece of evidence; null = it covers the whole span") {
      $0.evidence
    }
    Column("places", "places of the code that the finding names", in: .table) {
      $0.places.map(\.text).joined(separator: "; ")
    }
    Column("evidence_count", "number of pieces of evidence", in: .table) { $0.evidence.count }
  }

  /// One row for each subject, because cells of tables hold no lists.
  package static let subjectsOfFindings = ResultTable<SubjectOfFinding>(
    "finding_subjects", "subjects of the findings, one row per subject"
  ) {
    Column("finding", "row of the finding in findings, from 0") { $0.place }
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

  package static let verdict = ResultTable<Verdict>(
    "verdict", "answer to the question of whether something is wrong"
  ) {
    Column("outcome", "fault, clear or undecided") { $0.outcome.rawValue }
    Column("rule", "rule of the top-ranked finding") { $0.rule?.rawValue }
    Column("severity", "severity of the top-ranked finding") { $0.severity?.name }
    Column("text", "verdict in one or two sentences") { $0.text }
    Column("remedy", "usual remedy") { $0.remedy }
    Column("also", "next errors and warnings; empty = there are no others") { $0.also }
    Column("nothing_to_judge", "reason why nothing could be judged; null = a loop ran") {
      $0.nothingToJudge?.text
    }
  }
}
