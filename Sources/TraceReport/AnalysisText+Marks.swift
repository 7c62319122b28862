import TraceAnalysis

extension AnalysisText {
  func intervals() -> [String] {
    var table = TextTable(["interval", "count", "time"] + AnalysisText.percentileTitles + ["open"])
    for row in analysis.marks.byName {
      table.add(
        [written(row.name), "\(row.durationNs.count)", Units.duration(row.durationNs.sum)]
          + percentiles(row.durationNs) + ["\(row.open)"])
    }
    return lines(table)
  }

  /// Marks by name, in the order of their first times.
  func marks() -> [String] {
    var table = TextTable(["mark", "count", "first at", "last at"])
    var rows: [(name: String, count: Int, first: UInt64, last: UInt64)] = []
    var place: [String: Int] = [:]
    for mark in analysis.marks.marks {
      if let known = place[mark.name] {
        rows[known].count += 1
        rows[known].last = mark.timeNs
      } else {
        place[mark.name] = rows.count
        rows.append((mark.name, 1, mark.timeNs, mark.timeNs))
      }
    }
    for row in rows {
      table.add([written(row.name), "\(row.count)", Units.moment(row.first), Units.moment(row.last)])
    }
    guard !table.isEmpty else { return [] }
    let omitted = analysis.marks.marksOmitted
    return lines(table)
      + (omitted > 0 ? ["  … \(Say.count(omitted, "later mark is", "later marks are")) not listed"] : [])
  }
}
