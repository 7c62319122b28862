import ReportWriting
import TraceFleet
import TraceResults

extension AnnotationReport {
  /// An error for each regression, a warning if there are too few sessions, and a notice if neither is the case.
  /// `file`: the first file with summaries. A fleet has no lines of code.
  package init(_ judgement: FleetJudgement, file: String, root: SourceRoot) {
    let regressions = judgement.regressions.map { row in
      let title = harmless(row.title, limit: 200)
      return Annotation(.error, check: title, "\(title): \(FleetJUnit.account(row))")
    }
    let headline = Annotation(
      judgement.isUndecided ? .warning : .notice, check: Hint.fleet, judgement.headline)
    self.init(annotations: regressions.isEmpty ? [headline] : regressions, file: file, root: root)
  }
}
