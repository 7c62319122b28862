import RunLoopVocabulary

/// A row of a list.
package struct SummaryRow: Sendable, Equatable {
  /// By field, for sums and maxima; nil = not known in any session.
  package internal(set) var numbers: [UInt64?]
  /// By field, for cells: count by value.
  package internal(set) var cells: [[UInt64: UInt64]]
  /// The session with the largest number.
  package internal(set) var longestIn: String?

  init(_ list: SummaryList) {
    numbers = Array(repeating: nil, count: list.fields.count)
    cells = Array(repeating: [:], count: list.fields.count)
  }

  /// Returns a sum or the longest number; 0 if it is not known.
  package func number(_ field: String, of list: SummaryList) -> UInt64 {
    list.place(field).flatMap { numbers[$0] } ?? 0
  }

  mutating func merge(_ other: SummaryRow, _ list: SummaryList) {
    for (place, field) in list.fields.enumerated() {
      switch field.kind {
      case .sum:
        if let more = other.numbers[place] {
          numbers[place] = SessionSummary.sum(numbers[place] ?? 0, more)
        }
      case .longest:
        guard let length = other.numbers[place] else { continue }
        if let own = numbers[place] {
          // Among equal ones, the smaller name wins: the result does not depend on the order.
          if (length, longestIn ?? "") > (own, other.longestIn ?? "") { longestIn = other.longestIn }
          numbers[place] = max(own, length)
        } else {
          (numbers[place], longestIn) = (length, other.longestIn)
        }
      case .cells:
        for (value, count) in other.cells[place] {
          cells[place][value] = SessionSummary.sum(cells[place][value, default: 0], count)
        }
      }
    }
  }
}

/// The numbers of one recording, or of many recordings. They can be added. Merging is associative and commutative, so
/// the order and grouping of summaries do not change the result.
package struct SessionSummary: Sendable, Equatable {
  package static let schema = "rltrace.summary/1"
  /// The largest number, that of SQL's BIGINT: 292 years in nanoseconds. Sums saturate at this value.
  package static let most = UInt64(Int64.max)

  static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 { min(one.saturated(adding: other), most) }

  /// The identity of the trace; nil for merged summaries.
  package var id: String?
  /// The number of recordings.
  package var sessions: UInt64 = 1
  /// The values that distinguish recordings: build, os, device …
  package var keys: [String: String] = [:]
  /// The rows by identity, for each list of `SummaryList.all`.
  var lists: [[[String]: SummaryRow]] = SummaryList.all.map { _ in [:] }

  package init() {}

  /// Whether events were lost, or the trace is damaged: then its numbers may be too small.
  package var isLossy: Bool { sum(.recordings, "lossy_sessions") > 0 && id != nil }

  /// Returns the rows of a list by importance.
  package func rows(_ list: SummaryList) -> [(identity: [String], row: SummaryRow)] {
    lists[list.index].map { (identity: $0.key, row: $0.value) }.ordered {
      let (a, b) = ($0.row.numbers[list.weight] ?? 0, $1.row.numbers[list.weight] ?? 0)
      return a != b ? a > b : $0.identity.lexicographicallyPrecedes($1.identity)
    }
  }

  /// Returns the sum of a field over all rows of a list.
  package func sum(_ list: SummaryList, _ field: String) -> UInt64 {
    lists[list.index].values.reduce(0) { $0.saturated(adding: $1.number(field, of: list)) }
  }

  /// Adds a row, or merges it with the one of equal identity.
  mutating func add(_ row: SummaryRow, _ identity: [String], to list: Int) {
    if lists[list][identity] == nil {
      lists[list][identity] = row
    } else {
      lists[list][identity]?.merge(row, SummaryList.all[list])
    }
  }

  /// Adds the recordings of another summary. For a session with losses, only its `recordings` row is added. The caller
  /// decides whether keys agree.
  package mutating func merge(_ other: SessionSummary) {
    sessions = SessionSummary.sum(sessions, other.sessions)
    let isLossy = other.isLossy
    for place in SummaryList.all.indices where place == SummaryList.recordings.index || !isLossy {
      for (identity, row) in other.lists[place] { add(row, identity, to: place) }
    }
  }

  /// Returns a summary without recordings: adding it changes nothing.
  package static func empty(_ keys: [String: String]) -> SessionSummary {
    var summary = SessionSummary()
    (summary.sessions, summary.keys) = (0, keys)
    return summary
  }
}

extension SessionSummary {
  /// Adds the share of the main loop's time that each of its callouts took, for one recording that has callouts but not
  /// these measures. The subject "" has the share of all. A session with this row but without a callout's has the share 0.
  mutating func measureCallouts() {
    let levels = rows(.recordings).map(\.identity)
    let time = sum(.loops, "time_ns")
    guard sessions == 1, !isLossy, time > 0, levels == [["callouts"]] || levels == [["callouts+stacks"]],
      let place = SummaryList.measures.place("values"),
      lists[SummaryList.measures.index][[Question.shareOfCallout.rawValue, ""]] == nil
    else { return }
    var selfNs = ["": UInt64(0)]
    for (identity, row) in rows(.callouts) where identity[2] == "main" {
      for name in Set([identity[1], ""]) {
        selfNs[name] = row.number("self_ns", of: .callouts).saturated(adding: selfNs[name, default: 0])
      }
    }
    for (name, length) in selfNs {
      var row = SummaryRow(.measures)
      let share = UInt64(clamping: Double(length) / Double(time) * 1e6)
      row.cells[place] = [SummaryCells.rounded(share): 1]
      if let count = SummaryList.measures.place("sessions") { row.numbers[count] = 1 }
      add(row, [Question.shareOfCallout.rawValue, name], to: SummaryList.measures.index)
    }
  }

  /// Returns a percentile of a field of cells over the rows with a wanted identity; nil = no values.
  package func percentile(
    _ share: Double, _ list: SummaryList, _ field: String, where isWanted: ([String]) -> Bool = { _ in true }
  ) -> UInt64? {
    guard let place = list.place(field) else { return nil }
    var cells: [UInt64: UInt64] = [:]
    for (identity, row) in lists[list.index] where isWanted(identity) {
      cells.merge(row.cells[place]) { $0.saturated(adding: $1) }
    }
    return SummaryCells.percentile(share, SummaryCells.ordered(cells))
  }
}
