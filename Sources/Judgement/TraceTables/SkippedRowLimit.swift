import TraceFacts
import TraceFormat
import TraceReplay
import TraceResults

/// Limits the rows for skipped points: between any two events, every waiting timer may skip a point.
package struct SkippedRowLimit {
  private let limit: UInt64
  private var rows: UInt64 = 0

  package init(_ reader: TraceReader) {
    limit =
      UInt64(AnalysisLimits.skippedRowsOfAnyTrace)
      + UInt64(AnalysisLimits.skippedRowsPerEvent) * reader.eventCount
  }

  /// Returns whether the row may be written, and counts it.
  package mutating func hasRoom(for points: PointFact) -> Bool {
    guard points.outcome == .skipped else { return true }
    rows += 1
    return rows <= limit
  }

  /// Notes about rows that are left out.
  package var omissions: [Note] { rows > limit ? [.skippedRowsOmitted(rows - limit, limit: limit)] : [] }
}
