import TraceReplay
import TraceResults

/// Combines the timers of one place, name, loop and set of modes into one row with a range of intervals if they have
/// many intervals. A few intervals keep their own rows, because one helper function may create all timers of a
/// program.
enum VaryingTimers {
  /// The maximum number of intervals of one place that have rows of their own.
  static let apart = 8

  private struct Place: Hashable {
    /// Without the interval.
    let key: TimerClassKey
    let names: [String]
  }

  /// Combines rows. `keys` holds the class of each row of `timers`. The combined row takes the place of the first of its
  /// rows.
  static func together(_ timers: [TimerResult], keys: [TimerClassKey]) -> [TimerResult] {
    var members: [Place: [Int]] = [:]
    for (row, timer) in timers.enumerated() where timer.intervalNs > 0 && !timer.hasMoreNames {
      var key = keys[row]
      key.intervalNs = 0
      members[Place(key: key, names: timer.names), default: []].append(row)
    }
    let ranges = members.values.filter { $0.count > apart }
    guard !ranges.isEmpty else { return timers }
    var merged = Dictionary(
      uniqueKeysWithValues: ranges.map { rows in (rows[0], sum(rows.map { timers[$0] })) })
    let gone = Set(ranges.joined())
    return timers.indices.compactMap { row in
      merged.removeValue(forKey: row) ?? (gone.contains(row) ? nil : timers[row])
    }
  }

  private static func sum(_ timers: [TimerResult]) -> TimerResult {
    var all = timers[0]
    func total(_ value: (TimerResult) -> UInt64) -> UInt64 { timers.map(value).saturatedSum }
    all.classes = timers.flatMap(\.classes)
    all.intervalNs = timers.map(\.intervalNs).min() ?? 0
    all.longestIntervalNs = timers.map(\.longestIntervalNs).max() ?? 0
    all.objects = total(\.objects)
    all.fired = total(\.fired)
    all.manual = total(\.manual)
    all.toleranceNs = timers.map(\.toleranceNs).max() ?? 0
    all.calloutNsByMode = sums(timers.flatMap(\.calloutNsByMode)).map { ($0, $1) }
    all.longestCalloutNs = timers.map(\.longestCalloutNs).max() ?? 0
    all.life = sum(timers.map(\.life))
    let ledgers = timers.compactMap(\.ledger)
    all.ledger = ledgers.count == timers.count ? sum(ledgers) : nil
    return all
  }

  private static func sum(_ lives: [ItemLives]) -> ItemLives {
    with(ItemLives()) { it in
      it.live = lives.map(\.live).saturatedSum
      it.ended = lives.map(\.ended).saturatedSum
      let parts = lives.map(\.atTenths.count).max() ?? 0
      it.atTenths = (0..<parts).map { part in
        lives.map { part < $0.atTenths.count ? $0.atTenths[part] : 0 }.saturatedSum
      }
      let coming = lives.filter { $0.firstNs <= $0.lastNs }
      it.firstNs = coming.map(\.firstNs).min() ?? lives[0].firstNs
      it.lastNs = coming.map(\.lastNs).max() ?? lives[0].lastNs
    }
  }

  private static func sum(_ ledgers: [TimerLedgerResult]) -> TimerLedgerResult {
    func total(_ value: (TimerLedgerResult) -> UInt64) -> UInt64 { ledgers.map(value).saturatedSum }
    return with(TimerLedgerResult()) { it in
      it.due = total(\.due)
      it.skipped = total(\.skipped)
      it.withdrawn = total(\.withdrawn)
      it.pending = total(\.pending)
      it.early = total(\.early)
      it.latenessNs = ledgers.reduce(Distribution()) { $0.merging($1.latenessNs) }
      it.overdueByModeNs = sums(ledgers.flatMap(\.overdueByModeNs)).map { ($0, $1) }
      it.skippedBy = Dictionary(
        uniqueKeysWithValues: Cause.allCases.map { cause in
          (cause, total { $0.skippedBy[cause, default: 0] })
        })
      it.longestMissedNs = ledgers.map(\.longestMissedNs).max() ?? 0
      it.longestMissedByNs = Dictionary(
        uniqueKeysWithValues: Cause.ofProgram.map { cause in
          (cause, ledgers.map { $0.longestMissedByNs[cause, default: 0] }.max() ?? 0)
        })
      it.wrongModeBy = sums(ledgers.flatMap(\.wrongModeBy)).map { ($0, $1) }
      it.pendingOverdueNs = ledgers.map(\.pendingOverdueNs).max() ?? 0
      it.ledgerNs = Dictionary(
        uniqueKeysWithValues: Cause.allCases.map { cause in
          (cause, total { $0.ledgerNs[cause, default: 0] })
        })
      it.byMode = byMode(ledgers.flatMap(\.byMode))
      it.blockers = blockers(ledgers.flatMap(\.blockers))
    }
  }

  /// Returns the sums by name, in the order of first appearance.
  private static func sums(_ parts: [(String, UInt64)]) -> [(String, UInt64)] {
    var order: [String] = []
    var sums: [String: UInt64] = [:]
    for (name, part) in parts {
      if sums[name] == nil { order.append(name) }
      sums[name] = (sums[name] ?? 0).saturated(adding: part)
    }
    return order.map { ($0, sums[$0] ?? 0) }
  }

  private static func byMode(_ rows: [PointsInMode]) -> [PointsInMode] {
    var order: [String] = []
    var byMode: [String: PointsInMode] = [:]
    for row in rows {
      guard var sum = byMode[row.mode] else {
        order.append(row.mode)
        byMode[row.mode] = row
        continue
      }
      sum.fired = sum.fired.saturated(adding: row.fired)
      sum.skipped = sum.skipped.saturated(adding: row.skipped)
      sum.withdrawn = sum.withdrawn.saturated(adding: row.withdrawn)
      sum.pending = sum.pending.saturated(adding: row.pending)
      sum.worstLatenessNs = max(sum.worstLatenessNs, row.worstLatenessNs)
      byMode[row.mode] = sum
    }
    return order.compactMap { byMode[$0] }
  }

  private static func blockers(_ rows: [BlockerResult]) -> [BlockerResult] {
    struct Who: Hashable {
      let kind: String
      let name: String
    }
    let groups = Dictionary(grouping: rows) { Who(kind: $0.kind, name: $0.name) }
    return groups.values.map { rows in
      var sum = rows[0]
      sum.latenessNs = rows.map(\.latenessNs).saturatedSum
      sum.points = rows.map(\.points).saturatedSum
      return sum
    }.ordered {
      ($1.latenessNs, $1.points, $0.kind, $0.name) < ($0.latenessNs, $0.points, $1.kind, $1.name)
    }
  }
}
