import TraceAnalysis
import TraceFormat

/// A trace and its analysis.
struct AnalyzedTrace {
  let file: String
  let analysis: Analysis
  /// Why the trace is not whole, nil when it is.
  let problem: Failure?

  /// Reads and analyzes; progress on a terminal.
  init(_ file: String, _ options: AnalysisOptions) throws(Failure) {
    let reader = try openTrace(file)
    let progress = AnalysisProgress(file: file, events: reader.eventCount)
    defer { progress.finish() }
    do throws(TraceFormatError) {
      analysis = try TraceAnalyzer(reader, options: options).analyze { progress.update($0) }
    } catch {
      throw .reading(file, error)
    }
    self.file = file
    problem = (reader.problem ?? analysis.damage).map { .reading(file, $0) }
  }
}
