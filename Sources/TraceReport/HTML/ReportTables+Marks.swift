import TraceAnalysis

extension ReportTables {
  mutating func intervals() -> Table {
    var table = Table(
      "intervals", "Intervals of the program, by name",
      [
        ("interval", ""), ("#count", "Those that began and ended in the span."),
        ("#time", "Their sum; intervals may overlap."), ("#open", "Not over at the end of the span."),
      ] + Self.percentiles)
    for (place, row) in analysis.marks.byName.enumerated() {
      let key = "interval_names[\(place)]"
      table.add(
        [
          .name(row.name, &names, isHead: true), .count(row.durationNs.count, "\(key).duration_ns.count"),
          .ns(row.durationNs.sum, "\(key).duration_ns.sum"), .count(row.open, "\(key).open"),
        ] + percentiles(row.durationNs, "\(key).duration_ns"))
    }
    return table
  }

  /// Marks that have rows in the page; the time line has all that are listed.
  private static let marksShown = 1000

  mutating func marks() -> Table {
    var table = Table("marks", "Marks of the program", [("mark", ""), ("#at", ""), ("thread", "")])
    for (place, mark) in analysis.marks.marks.prefix(Self.marksShown).enumerated() {
      let key = "marks[\(place)]"
      table.add([
        .name(mark.name, &names, isHead: true), .moment(mark.timeNs, length: 1, "\(key).time_ns"),
        .name(thread(mark.thread), &names),
      ])
    }
    let rest = analysis.marks.marks.count - Self.marksShown + analysis.marks.marksOmitted
    if rest > 0 { table.rest = "\(rest) later ones have no rows here." }
    return table
  }
}
