import RunLoopVocabulary
import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  /// `loops`: the results about loops, their busy intervals and stalls.
  func marks(_ replay: borrowing Replay, _ loops: Analysis) -> MarkResults {
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
    if !result.intervals.isEmpty { addHolds(&result, LoopHolds(loops)) }
    return result
  }

  private func addHolds(_ marks: inout MarkResults, _ holds: LoopHolds) {
    var byName: [String: (ns: UInt64, longest: MarkResults.Hold)] = [:]
    for place in marks.intervals.indices {
      guard let hold = holds.hold(of: marks.intervals[place]) else { continue }
      marks.intervals[place].hold = hold
      let name = marks.intervals[place].name
      let (sum, longest) = byName[name] ?? (0, hold)
      byName[name] = (sum.saturated(adding: hold.ns), hold.ns > longest.ns ? hold : longest)
    }
    for place in marks.byName.indices {
      guard let held = byName[marks.byName[place].name] else { continue }
      marks.byName[place].heldNs = held.ns
      marks.byName[place].holder = held.longest.holder
    }
  }

  private func intervalName(_ id: StringID) -> String { names.string(id) ?? "interval" }
}
