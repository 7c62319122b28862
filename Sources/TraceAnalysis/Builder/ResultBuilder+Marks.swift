import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  func marks(_ replay: borrowing Replay) -> MarkResults {
    let book = replay.books.marks
    let threads = replay.stream.threads
    var result = MarkResults()
    result.marks = book.marks.map { row in
      filled(MarkResults.Mark()) { it in
        it.name = names.string(row.name) ?? "mark"
        it.timeNs = row.time &* unit
        it.thread = threads[row.lane]
      }
    }
    result.marksOmitted = book.markCount - book.marks.count
    result.intervals = book.intervals.map { row in
      filled(MarkResults.Interval()) { it in
        it.name = intervalName(row.name)
        it.startNs = row.start &* unit
        it.durationNs = row.length &* unit
        it.suspendedNs = row.suspended &* unit
        it.thread = threads[row.lane]
        it.endThread = row.endLane.map { threads[$0] }
        it.isCut = row.isCut
      }
    }
    result.intervalsOmitted = book.intervalCount - book.intervals.count
    result.byName = book.rows.map { row in
      filled(MarkResults.NamedIntervals()) { it in
        it.name = row.name.map(intervalName) ?? Remainder.rows
        it.open = row.open
        it.durationNs = row.lengths.summary(unitNs: unit)
      }
    }.sorted { ($1.durationNs.sum, $0.name) < ($0.durationNs.sum, $1.name) }
    return result
  }

  private func intervalName(_ id: UInt32) -> String { names.string(id) ?? "interval" }
}
