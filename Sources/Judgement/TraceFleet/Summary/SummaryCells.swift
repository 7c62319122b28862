import TraceResults

/// Rounds values to cells, and reads percentiles from cells.
package enum SummaryCells {
  /// Returns the value rounded to eight significant bits: at most 0.4 % off. Values below 256 stay as they are. Values
  /// above `SessionSummary.most` become the largest cell.
  package static func rounded(_ value: UInt64) -> UInt64 {
    let value = min(value, SessionSummary.most)
    let shift = max(0, 56 - value.leadingZeroBitCount)
    guard shift > 0 else { return value }
    // fits: the shift is above 0
    return ((value >> UInt64(shift)) << UInt64(shift)) | 1 << UInt64(shift - 1)
  }

  /// Returns the smallest value that at least this share of all values does not exceed; nil if there are none.
  /// `cells` in the order of values.
  package static func percentile(_ share: Double, _ cells: [(value: UInt64, count: UInt64)]) -> UInt64? {
    let total = cells.reduce(0.0) { $0 + Double($1.count) }
    guard total > 0 else { return nil }
    let wanted = max(1, (share * total).rounded(.up))
    var seen = 0.0
    for cell in cells {
      seen += Double(cell.count)
      if seen >= wanted { return cell.value }
    }
    return cells.last?.value
  }

  /// Returns the cells of a distribution.
  static func cells(of distribution: Distribution) -> [UInt64: UInt64] {
    distribution.buckets.reduce(into: [:]) { cells, bucket in
      let value = rounded(bucket.middleNs)
      cells[value] = SessionSummary.sum(cells[value, default: 0], bucket.count)
    }
  }

  static func ordered(_ cells: [UInt64: UInt64]) -> [(value: UInt64, count: UInt64)] {
    cells.map { (value: $0.key, count: $0.value) }.ordered { $0.value < $1.value }
  }
}
