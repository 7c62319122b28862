import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  func marks(_ replay: borrowing Replay) -> MarkResults {
    let book = replay.books.marks
    let threads = replay.stream.threads.map(\.rawValue)
    var result = MarkResults()
    result.marks = book.marks.map {
      (names.string($0.name) ?? "mark", ns($0.time), threads[$0.lane])
    }
    result.marksOmitted = book.markCount - book.marks.count
    result.intervals = book.intervals.elements.map { row in
      with(MarkResults.Interval()) { it in
        it.name = intervalName(row.name)
        it.startNs = ns(row.start)
        it.durationNs = ns(row.length)
        it.suspendedNs = ns(row.suspended)
        it.thread = threads[row.lane]
        it.endThread = row.endLane.map { threads[$0] }
        it.isCut = row.isCut
      }
    }
    result.intervalsOmitted = book.intervals.omitted
    result.byName = (0..<book.rows.count).map { index in
      with(MarkResults.NamedIntervals()) { it in
        it.name = book.rows[index].name.map(intervalName) ?? Remainder.rows
        it.open = book.rows[index].open
        it.durationNs = distribution(book.rows[index].lengths)
      }
    }.ordered { ($1.durationNs.sum, $0.name) < ($0.durationNs.sum, $1.name) }
    return result
  }

  private func intervalName(_ id: StringID) -> String { names.string(id) ?? "interval" }
}
