import TraceAnalysis

/// Tables of the program's marks.
package enum MarkTables {
  package static let marks = ResultTable<MarkResults.Mark>(
    "marks", "marks of the program, one row per mark, in time order"
  ) {
    Column("name", "name that the program gave") { $0.name }.named("mark", at: 1, in: .page)
    Column("time_ns", "moment of the mark, in nanoseconds since the trace's origin") { $0.timeNs }.moment {
      _ in 1
    }
    .headed("at", at: 2, in: .page)
    Column.thread { $0.thread }.headed("thread", at: 3, in: .page)
  }

  package typealias NamedMarks = (name: String, count: Int, firstNs: UInt64, lastNs: UInt64)

  /// Marks by name, in the order of their first occurrence.
  package static let markNames = ResultTable<NamedMarks>(
    "mark_names", "marks of the program, one row per name"
  ) {
    Column("name", "") { $0.name }.named("mark", at: 1)
    Column("count", "") { $0.count }.headed("count", at: 2)
    Column("first_ns", "") { $0.firstNs }.moment { _ in 1 }.headed("first at", at: 3)
    Column("last_ns", "") { $0.lastNs }.moment { _ in 1 }.headed("last at", at: 4)
  }

  package static func names(_ marks: [MarkResults.Mark]) -> [NamedMarks] {
    var rows: [NamedMarks] = []
    var places: [String: Int] = [:]
    for mark in marks {
      if let place = places[mark.name] {
        rows[place].count += 1
        rows[place].lastNs = mark.timeNs
      } else {
        places[mark.name] = rows.count
        rows.append((mark.name, 1, mark.timeNs, mark.timeNs))
      }
    }
    return rows
  }

  package static let intervals = ResultTable<MarkResults.Interval>(
    "intervals", "the 1000 longest intervals of the program, one row per interval, in order of their starts"
  ) {
    Column("name", "name that the program gave") { $0.name }
    Column.start { $0.startNs }
    Column("duration_ns", "duration without suspension") { $0.durationNs }
    Column("suspended_ns", "suspended time, in addition to duration_ns") { $0.suspendedNs }
    Column.thread("index of the thread that began it") { $0.thread }
    Column("end_thread", "index of the thread that ended it") { $0.endThread }
    Column("open", "whether the interval was still open at the end of the span") { $0.isOpen }
    Column("cut", "whether the interval began before the span; start_ns is then the beginning of the span") {
      $0.isCut
    }
    Column(
      "held_ns",
      "part in listed busy intervals of the loop whose thread ended it, of its own or other work; null = no such loop"
    ) { $0.hold?.ns }
    Column("held_kind", "kind of the callout that took at least half of held_ns; null = none certainly did") {
      $0.hold?.kind
    }
    Column("held_callout", "name of that callout") { $0.hold?.callout }
    Column(
      "held_function",
      "function that took at least half of held_ns, by sampled stacks, with its file and line; null = not known"
    ) { $0.hold?.function }
  }

  package static let intervalNames = ResultTable<MarkResults.NamedIntervals>(
    "interval_names", "intervals of the program, one row per name, longest total time first"
  ) {
    Column("name", "") { $0.name }.named("interval", at: 1)
    Column("open", "intervals that were still open at the end of the span") { $0.open }
      .headed("open", "Intervals that were still open at the end of the span.", at: 4)
    duration.headed("", at: 5)
    duration.cell(DistributionColumns.count)
      .headed("count", "Intervals that began and ended in the span.", at: 2)
    duration.cell(DistributionColumns.sum).headed("time", "Total duration. Intervals may overlap.", at: 3)
    Column(
      "held_ns", "sum of held_ns of the listed intervals; null = none of them ended on a loop's thread"
    ) { $0.heldNs }
    Column(
      Heading(
        "held", "The part of the time in which the loop that ended them was busy for 100 ms or longer.",
        at: 6, isOptional: true)
    ) { row -> UInt64? in row.heldNs == 0 ? nil : row.heldNs }.shown(as: .time)
    Column(
      Heading(
        "held by", "The work that took most of it in the interval that was held longest.", at: 7,
        isOptional: true)
    ) { $0.holder }.shown(as: .name)
  }

  private static let duration = Column<MarkResults.NamedIntervals>.distribution(
    "duration_ns", "duration of the intervals that began and ended in the span"
  ) { $0.durationNs }
}
