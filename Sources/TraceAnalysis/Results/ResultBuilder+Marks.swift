import TraceFormat
import TraceReplay

extension ResultBuilder {
  func marks(_ replay: borrowing Replay) -> MarkResults {
    let book = replay.books.marks
    let threads = replay.stream.threads
    var result = MarkResults()
    result.marks = book.marks.map {
      MarkResults.Mark(
        name: names.string($0.name) ?? "mark", timeNs: $0.time &* unit, thread: threads[$0.lane])
    }
    result.marksOmitted = book.markCount - book.marks.count
    result.intervals = book.intervals.map {
      MarkResults.Interval(
        name: intervalName($0.name), startNs: $0.start &* unit, durationNs: $0.length &* unit,
        suspendedNs: $0.suspended &* unit, thread: threads[$0.lane],
        endThread: $0.endLane.map { threads[$0] },
        isCut: $0.isCut)
    }
    result.intervalsOmitted = book.intervalCount - book.intervals.count
    result.byName = book.rows.map {
      MarkResults.NamedIntervals(
        name: $0.name.map(intervalName) ?? "(other)", open: $0.open,
        durationNs: $0.lengths.summary(unitNs: unit))
    }.sorted { ($1.durationNs.sum, $0.name) < ($0.durationNs.sum, $1.name) }
    return result
  }

  private func intervalName(_ id: UInt32) -> String { names.string(id) ?? "interval" }

  func notes(_ result: MarkResults, _ book: MarkBook) -> [String] {
    var notes: [String] = []
    if result.marksOmitted > 0 {
      notes.append("\(result.marksOmitted) marks after the first \(AnalysisLimits.markRows) are not listed")
    }
    if book.rows.count > AnalysisLimits.intervalNames {
      notes.append(
        "more than \(AnalysisLimits.intervalNames) names of intervals: the rest share the row '(other)'")
    }
    if book.unfollowed > 0 {
      notes.append("\(book.unfollowed) intervals beyond those followed at once were left out")
    }
    if book.unmatched > 0 {
      notes.append("\(book.unmatched) begins or ends of intervals have no counterpart in the recording")
    }
    return notes
  }
}
