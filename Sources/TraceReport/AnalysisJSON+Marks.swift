// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import TraceAnalysis

extension AnalysisJSON {
  struct MarkRow: Encodable {
    let name: String
    let time_ns: UInt64
    let thread: UInt32

    init(_ mark: MarkResults.Mark) {
      name = mark.name
      time_ns = mark.timeNs
      thread = mark.thread
    }
  }

  struct IntervalRow: Encodable {
    let name: String
    let start_ns: UInt64
    let duration_ns: UInt64
    let suspended_ns: UInt64
    let thread: UInt32
    @OrNull var end_thread: UInt32?
    let open: Bool
    let cut: Bool

    init(_ interval: MarkResults.Interval) {
      name = interval.name
      start_ns = interval.startNs
      duration_ns = interval.durationNs
      suspended_ns = interval.suspendedNs
      thread = interval.thread
      end_thread = interval.endThread
      open = interval.isOpen
      cut = interval.isCut
    }
  }

  struct IntervalNameRow: Encodable {
    let name: String
    let open: UInt64
    let duration_ns: DistributionRow

    init(_ row: MarkResults.NamedIntervals) {
      name = row.name
      open = row.open
      duration_ns = DistributionRow(row.durationNs)
    }
  }
}
