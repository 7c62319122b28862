import ReportWriting
import TraceComparison
import TraceResults

extension AnnotationReport {
  /// A warning for each change for the worse, at its line in NEW, and for each function that explains one. The verdict
  /// is a notice, or a warning if nothing can be compared. `file`: NEW.
  package init(_ comparison: Comparison, file: String, root: SourceRoot) {
    let verdict = comparison.verdict
    let reasons = verdict.reasons.filter(\.isWorse).map { reason in
      Annotation(.warning, check: reason.check, reason.text, root.place(of: reason.code?.frame))
    }
    let functions = comparison.changedFunctions.filter(\.isWorse).map { function in
      Annotation(
        .warning, check: harmless(function.name, limit: 200), function.sentence,
        root.place(of: function.frame))
    }
    let headline = Annotation(
      verdict.outcome == .undecided ? .warning : .notice, check: Hint.compare, verdict.headline)
    self.init(annotations: reasons + functions + [headline], file: file, root: root)
  }
}
