import TraceAnalysis
import TraceTables

extension AnalysisText {
  func marks() -> [String] {
    let omitted = analysis.marks.marksOmitted
    return table(MarkTables.markNames, MarkTables.names(analysis.marks.marks))
      + (omitted > 0 ? ["  … \(Phrase.count(omitted, "later mark is", "later marks are")) not listed"] : [])
  }
}
