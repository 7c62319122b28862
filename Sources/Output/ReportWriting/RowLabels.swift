import TraceAnalysis

/// Distinct names for rows.
package enum RowLabels {
  /// Returns a label for each row: its name and, if other rows have the same name, as many marks as needed to
  /// distinguish them. Rows with equal names and marks are numbered.
  package static func labels(_ rows: [(name: String, marks: [String])]) -> [String] {
    let groups = Dictionary(grouping: rows.indices) { rows[$0].name }
    var labels = rows.map(\.name)
    for (name, group) in groups where group.count > 1 {
      let depth = group.map { rows[$0].marks.count }.max() ?? 0
      // Marks that all rows share do not distinguish them.
      let telling = (0..<depth).filter { at in Set(group.map { mark(rows[$0].marks, at) }).count > 1 }
      var used: [Int] = []
      for at in telling {
        if Set(group.map { row in used.map { mark(rows[row].marks, $0) } }).count == group.count { break }
        used.append(at)
      }
      var seen: [String: Int] = [:]
      for row in group {
        let marks = used.map { mark(rows[row].marks, $0) }.filter { !$0.isEmpty }
        let label = marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
        seen[label, default: 0] += 1
        let number = seen[label] ?? 1
        labels[row] = number > 1 ? "\(label) ~\(number)" : label
      }
    }
    return labels
  }

  private static func mark(_ marks: [String], _ at: Int) -> String { at < marks.count ? marks[at] : "" }

  /// Returns names of at most `limit` characters. Longer names are cut in the middle. If that would make two names
  /// equal, they are cut so that their difference stays visible.
  package static func shortened(_ names: [String], limit: Int) -> [String: String] {
    let distinct = Set(names)
    var shown: [String: String] = [:]
    var taken: Set<String> = []
    for name in distinct where name.count <= limit {
      shown[name] = name
      taken.insert(name)
    }
    let long = distinct.filter { $0.count > limit }.ordered()
    for (short, group) in Dictionary(grouping: long, by: { elided($0, limit: limit) }).ordered(by: {
      $0.key < $1.key
    }) {
      if group.count == 1, taken.insert(short).inserted {
        shown[group[0]] = short
        continue
      }
      let from = commonPrefix(group)
      for (number, name) in group.enumerated() {
        var text = around(name, from, limit)
        if !taken.insert(text).inserted {
          let mark = "~\(number + 1)"
          text = elided(name, limit: max(limit - mark.count, 1)) + mark
          taken.insert(text)
        }
        shown[name] = text
      }
    }
    return shown
  }

  /// Returns the length of the common prefix, in characters.
  private static func commonPrefix(_ names: [String]) -> Int {
    guard let first = names.first else { return 0 }
    return names.dropFirst().reduce(first.count) { length, name in
      min(length, zip(first, name).prefix { $0 == $1 }.count)
    }
  }

  /// Returns the beginning of the name, and the part from `place` on.
  private static func around(_ name: String, _ place: Int, _ limit: Int) -> String {
    let front = limit / 3
    guard place > front else { return TextTable.cut(name, limit) }
    let start = max(front, place - 2)
    let rest = name.dropFirst(start)
    let space = max(limit - front - 1, 1)
    return name.prefix(front) + "…" + (rest.count <= space ? String(rest) : rest.prefix(space - 1) + "…")
  }
}
