import TraceAnalysis

/// Finds which row of NEW is which of BASE.
///
/// Equal subjects are the same. Of timers left over, those that agree in less are, as long as nothing else on either
/// side agrees as much: a line moved, a timer was put into the common modes, an interval changed.
enum RowAlignment {
  static func align(_ base: [SideRow], _ new: [SideRow]) -> [ComparedRow] {
    var partner: [Int: Int] = [:]
    let places = Dictionary(uniqueKeysWithValues: base.enumerated().map { ($1.subject, $0) })
    for (number, row) in new.enumerated() {
      if let place = places[row.subject] { partner[number] = place }
    }
    for key in weakerKeys { match(base, new, by: key, &partner) }

    var rows: [ComparedRow] = new.enumerated().map { number, row in
      partner[number].map { compared(base[$0], row) } ?? single(row, .new)
    }
    let taken = Set(partner.values)
    rows += base.indices.filter { !taken.contains($0) }.map { single(base[$0], .base) }
    // Stable: within a section NEW's order, then what only BASE has.
    return Subject.sections.flatMap { section in rows.filter { $0.subject.kind == section } }
  }

  /// From the strongest to the weakest.
  private static let weakerKeys: [@Sendable (TimerIdentity) -> [String]] = [
    { ["\($0.intervalNs)", $0.name] + $0.modes }, { [$0.name, $0.site] }, { [$0.name] },
  ]

  private static func match(
    _ base: [SideRow], _ new: [SideRow], by key: (TimerIdentity) -> [String], _ partner: inout [Int: Int]
  ) {
    func left(_ rows: [SideRow], _ taken: Set<Int>) -> [[String]: [Int]] {
      var left: [[String]: [Int]] = [:]
      for (number, row) in rows.enumerated() where !taken.contains(number) {
        if case .timer(let timer) = row.subject { left[key(timer), default: []].append(number) }
      }
      return left
    }
    let ofBase = left(base, Set(partner.values))
    for (key, numbers) in left(new, Set(partner.keys)) where numbers.count == 1 {
      if let candidates = ofBase[key], candidates.count == 1 { partner[numbers[0]] = candidates[0] }
    }
  }

  private static func compared(_ base: SideRow, _ new: SideRow) -> ComparedRow {
    var changes: [String] = []
    if case .timer(let former) = base.subject, case .timer(let timer) = new.subject {
      changes = timer.changes(from: former)
    }
    return row(new.subject, .both, changes, base, new)
  }

  private static func single(_ row: SideRow, _ presence: Presence) -> ComparedRow {
    let empty = SideRow(subject: row.subject)
    return presence == .new
      ? self.row(row.subject, .new, [], empty, row) : self.row(row.subject, .base, [], row, empty)
  }

  private static func row(
    _ subject: Subject, _ presence: Presence, _ changes: [String], _ base: SideRow, _ new: SideRow
  ) -> ComparedRow {
    ComparedRow(
      subject: subject, presence: presence, changes: changes,
      counts: CountMeasure.allCases.compactMap { measure in
        let (a, b) = (base.counts[measure], new.counts[measure])
        return a == nil && b == nil ? nil : ComparedCount(measure: measure, base: a, new: b)
      },
      distributions: DistributionMeasure.allCases.compactMap { measure in
        let a = base.distributions[measure] ?? Distribution()
        let b = new.distributions[measure] ?? Distribution()
        return a.count == 0 && b.count == 0 ? nil : ComparedDistribution(measure, a, b)
      }, times: base.times.flatMap { a in new.times.map { ComparedTimes(base: a, new: $0) } })
  }
}

extension Subject {
  static let sections = ["trace", "mode", "timer", "callout", "source"]
}
