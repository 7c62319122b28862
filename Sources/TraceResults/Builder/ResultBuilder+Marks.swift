import TraceFormat
import TraceReplay

extension ResultBuilder {
  func marks(_ replay: borrowing Replay) -> MarkResults {
    let book = replay.books.marks
    let threads = replay.stream.threads.map(\.rawValue)
    let marks = book.marks.map { row in
      MarkResults.Mark(
        name: names.string(row.name) ?? "mark", timeNs: ns(row.time), thread: threads[row.lane])
    }
    let intervals = book.intervals.elements.map { row in
      MarkResults.Interval(
        name: intervalName(row.name), startNs: ns(row.start), durationNs: ns(row.length),
        suspendedNs: ns(row.suspended), thread: threads[row.lane], endThread: row.endLane.map { threads[$0] },
        isCut: row.isCut)
    }
    let byName = (0..<book.rows.count).map { index in
      MarkResults.NamedIntervals(
        name: book.rows[index].name.map(intervalName) ?? Remainder.rows, open: book.rows[index].open,
        durationNs: distribution(book.rows[index].lengths))
    }.sorted { ($1.durationNs.sum, $0.name) < ($0.durationNs.sum, $1.name) }
    return MarkResults(
      marks: marks, marksOmitted: book.markCount - book.marks.count, intervals: intervals,
      intervalsOmitted: book.intervals.omitted, byName: byName)
  }

  private func intervalName(_ id: StringID) -> String { names.string(id) ?? "interval" }
}
