import ReportWriting
import TraceAnalysis
import TraceFormat
import TraceReplay
import TraceTables

/// Lanes of frames and states.
extension TimelineEncoder {
  // MARK: Frames

  /// Returns the lanes of the judged sources, the most hitch time first; nil if there is none.
  mutating func frameLanes() -> [PageFrameLane]? {
    let sources = analysis.frames.judged.ordered { $0.hitchNs > $1.hitchNs }
      .prefix(TimelineEncoder.frameLimit)
    guard !sources.isEmpty else { return nil }
    let limit = builder.limits.frames / sources.count
    return sources.map { source in
      // A source can have a hitch in a span without a frame.
      let lane =
        builder.frames[source.timer]
        ?? FrameLane(timer: source.timer, place: 0, from: builder.from, to: builder.to, builder.limits)
      return encode(lane, source, limit: limit)
    }
  }

  private mutating func encode(
    _ lane: FrameLane, _ source: FrameSourceResult, limit: Int
  ) -> PageFrameLane {
    let windows = lane.detail.windows(limit: limit)
    let marks = windows.flatMap(\.marks).ordered { $0.due < $1.due }
    let column = FrameColumn.self
    let columns = [
      column.onTime(): PackedColumn(lane.bins.map(\.onTime)),
      column.late(): PackedColumn(lane.bins.map(\.late)),
      column.unknown(): PackedColumn(lane.bins.map(\.unknown)),
      column.longest(): PackedColumn(lane.bins.map(\.longest)),
    ]
    return PageFrameLane(
      timer: source.timer, name: names.number(of: source.name), thread: source.thread,
      interval: source.intervalNs, hitches: source.hitches, hitchTime: source.hitchNs,
      missing: source.missing,
      ratio: source.ratio, band: source.band.name,
      bins: bins(lane.time, columns),
      detail: detail(
        lane.detail.count, windows, kept: marks.count, end: \.ready, isLast: { _ in true },
        PageFrameMarks(
          due: PackedColumn(growing: marks.map { relative($0.due) }),
          length: PackedColumn(marks.map { relative($0.ready) &- relative($0.due) }),
          outcome: PackedColumn(marks.map { UInt64($0.outcome) }))))
  }

  // MARK: States

  /// Returns the lanes of the states, in the order in which they appeared; nil if there is none.
  mutating func states() -> PageStates? {
    let changes = builder.states
    var byName: [UInt32: [(start: UInt64, value: UInt64)]] = [:]
    var order: [UInt32] = []
    for change in changes.all {
      let value = traceNames.string(StringID(change.value)).map { UInt64(names.number(of: $0)) + 1 } ?? 0
      if byName[change.name] == nil { order.append(change.name) }
      byName[change.name, default: []].append((relative(change.time), value))
    }
    guard !order.isEmpty else { return nil }
    return PageStates(
      leftOut: max(order.count - TimelineEncoder.stateLimit, 0), cutAt: changes.cutAt.map { relative($0) },
      lanes: order.prefix(TimelineEncoder.stateLimit).map { state in
        let values = byName[state] ?? []
        return PageStateLane(
          name: names.number(of: traceNames.string(StringID(state)) ?? "state"),
          start: PackedColumn(growing: values.map(\.start)), value: PackedColumn(values.map(\.value)))
      })
  }
}
