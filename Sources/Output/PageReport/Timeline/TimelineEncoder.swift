import ReportWriting
import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceTables

/// Encodes the contents of a builder as data for the report.
struct TimelineEncoder {
  /// The maximum number of lanes; the tables hold the others.
  static let threadLimit = 8
  static let queueLimit = 8
  static let timerLimit = 40
  static let frameLimit = 8
  static let stateLimit = 8

  let builder: TimelineBuilder
  let analysis: Analysis
  let traceNames: TraceNames
  var names: NameList
  private var shapes: [[Int]] = []
  private var numberOfShape: [Shape: Int] = [:]
  private var modes: [String] = []
  private var numberOfMode: [UInt8: Int] = [:]
  private var kinds: [String: String] = [:]

  private struct Shape: Hashable {
    let what: SpanMark.What
    let mode: UInt8
    let depth: UInt8
  }

  init(_ builder: TimelineBuilder, _ analysis: Analysis, _ traceNames: TraceNames, names: NameList) {
    self.builder = builder
    self.analysis = analysis
    self.traceNames = traceNames
    self.names = names
  }

  mutating func encode() -> PageTimeline {
    builder.finish()
    // Lanes are addressed by index.
    func marks(thread: Int) -> UInt64 { builder.threads[thread].detail.count }
    func marks(timer: Int) -> UInt64 { builder.timers[timer].detail.count }
    func marks(queue: Int) -> UInt64 { builder.queues[queue].lane.detail.count }
    // Threads that run loops come first: those of pools may be many.
    func rank(thread: Int) -> (Int, UInt64) {
      (builder.threads[thread].modes.isEmpty ? 0 : 1, marks(thread: thread))
    }
    let threads = (0..<builder.threads.count).filter { marks(thread: $0) > 0 }
    let shown = threads.ordered { rank(thread: $0) > rank(thread: $1) }.prefix(TimelineEncoder.threadLimit)
      .ordered { marks(thread: $0) > marks(thread: $1) }
    let timers = shownTimers()
    let queues = (0..<builder.queues.count).ordered { marks(queue: $0) > marks(queue: $1) }
      .prefix(TimelineEncoder.queueLimit)
    var total = shown.reduce(0) { $0 + marks(thread: $1) } + timers.reduce(0) { $0 + marks(timer: $1) }
    total += queues.reduce(0) { $0 + marks(queue: $1) }
    let isWhole = total <= UInt64(builder.limits.marks)
    // Lanes with few marks leave the rest of their share to the others.
    var left = isWhole ? builder.limits.marks : builder.limits.marks / 3
    var timerLanes: [Int: PageTimerLane] = [:]
    for (place, lane) in timers.enumerated().ordered(by: {
      marks(timer: $0.element) < marks(timer: $1.element)
    }) {
      let share = isWhole ? left : left / max(1, timers.count - timerLanes.count)
      timerLanes[place] = encode(builder.timers[lane], limit: share, &left)
    }
    if !isWhole { left += builder.limits.marks * 2 / 3 }
    var queueLanes: [PageQueueLane] = []
    for (done, place) in queues.reversed().enumerated() {
      let share = isWhole ? left : left / (queues.count + shown.count - done)
      queueLanes.append(encode(builder.queues[place], limit: share, &left))
    }
    var threadLanes: [PageThreadLane] = []
    for (done, lane) in shown.reversed().enumerated() {
      let share = isWhole ? left : left / (shown.count - done)
      // A thread without runs is alone with its work.
      let isAlone = builder.threads[lane].modes.isEmpty
      threadLanes.append(
        encode(builder.threads[lane], limit: share, &left) { $0.depth == 0 && (isAlone || $0.what == .pass) })
    }
    return PageTimeline(
      threads: threadLanes.ordered { $0.index < $1.index },
      timers: timers.indices.compactMap { timerLanes[$0] },
      threadsLeftOut: threads.count - shown.count + builder.threadsLeftOut,
      timersLeftOut: analysis.timers.count - timers.count,
      queues: queueLanes.isEmpty
        ? nil
        : PageQueues(
          leftOut: builder.queues.count - queues.count + builder.queuesLeftOut, lanes: queueLanes.reversed()),
      frames: frameLanes(), states: states(),
      shapes: shapes, kinds: kinds, modes: modes)
  }

  /// Returns the timers with the most severe problems, in the order of the report's table.
  private func shownTimers() -> [Int] {
    let lanes = Dictionary(
      (0..<builder.timers.count).map { (builder.timers[$0].timer, $0) }, uniquingKeysWith: { a, _ in a })
    // A lane holds the points of one class.
    return analysis.timers.mostStarvedFirst.map { analysis.timers[$0] }.filter { !$0.isVarying }
      .compactMap { lanes[$0.id] }.prefix(TimelineEncoder.timerLimit).map { $0 }
  }

  // MARK: Threads

  private mutating func encode(_ queue: borrowing QueueLane, limit: Int, _ left: inout Int) -> PageQueueLane {
    let (name, object) = (StringID(queue.queue.name), ObjectID(queue.queue.object))
    // While slices of several rows run at once, any of them may be missing.
    let isSerial = queue.rows <= 1
    return PageQueueLane(
      name: names.number(of: traceNames.queue(name, object: object)),
      lane: encode(queue.lane, limit: limit, &left) { _ in isSerial })
  }

  /// `isOutermost`: whether no mark can be missing that began before the end of this one and ended after it.
  private mutating func encode(
    _ lane: borrowing ThreadLane, limit: Int, _ left: inout Int, isOutermost: (SpanMark) -> Bool
  ) -> PageThreadLane {
    let windows = lane.detail.windows(limit: limit)
    let marks = windows.flatMap(\.marks).ordered { ($0.start, $1.end) < ($1.start, $0.end) }
    let column = ThreadColumn.self
    var columns = [
      column.passes(): PackedColumn(lane.bins.map { UInt64($0.passes) }),
      column.callouts(): PackedColumn(lane.bins.map(\.callouts)),
      column.calloutCount(): PackedColumn(lane.bins.map { UInt64($0.calloutCount) }),
      column.worst(): PackedColumn(lane.bins.map(\.worst)),
    ]
    for phase in Phase.allCases.map(\.rawValue) {
      columns[column.phase(phase)] = PackedColumn(lane.time(phase: phase))
    }
    for mode in 0..<8 { columns[column.mode(mode)] = PackedColumn(lane.time(mode: mode)) }
    let shapes = PackedColumn(marks.map { UInt64(number(of: $0)) })
    left -= marks.count
    return PageThreadLane(
      index: lane.thread, modes: lane.modes.map { number(ofMode: $0) },
      sharesLastMode: lane.sharesLastMode, bins: bins(lane.time, columns),
      detail: detail(
        lane.detail.count, windows, kept: marks.count, end: \.end,
        isLast: isOutermost,
        PageSpanMarks(
          start: PackedColumn(growing: marks.map { relative($0.start) }),
          length: PackedColumn(marks.map { $0.end &- $0.start }), shape: shapes)))
  }

  func bins(_ time: TimeBins, _ columns: [String: PackedColumn]) -> PageBins {
    PageBins(width: time.width, count: time.count, columns: columns.filter { !$0.value.isAllZero })
  }

  /// Returns the marks in windows. Marks are in the order of their ends, so a span that began in a window and ended
  /// after it is missing. A window is therefore complete up to its last outermost mark.
  func detail<Mark, Marks>(
    _ total: UInt64, _ windows: [DetailLane<Mark>.Window], kept: Int, end: KeyPath<Mark, UInt64>,
    isLast: (Mark) -> Bool, _ marks: Marks
  ) -> PageDetail<Marks> {
    let spans = windows.compactMap { window -> PagePair? in
      guard let first = window.marks.first else { return nil }
      let start = window.first == 0 ? 0 : relative(first[keyPath: end])
      let last =
        window.end == total
        ? relative(builder.to) : window.marks.last(where: isLast).map { relative($0[keyPath: end]) } ?? 0
      return last > start ? PagePair(start, last) : nil
    }
    return PageDetail(
      whole: windows.count == 1 && UInt64(kept) == total, spans: spans, total: total, kept: kept, marks: marks
    )
  }

  private mutating func number(of mark: SpanMark) -> Int {
    let shape = Shape(what: mark.what, mode: mark.mode, depth: mark.depth)
    if let number = numberOfShape[shape] { return number }
    let what = mark.what
    var row = [Int(what.kind), number(ofMode: mark.mode), Int(mark.depth)]
    if what.kind >= SpanMark.What.firstCallout {
      let kind = what.kind - SpanMark.What.firstCallout
      kinds["\(kind)"] = traceNames.calloutKind(EventKind(kind))
      row.append(
        names.number(
          of: traceNames.callout(EventKind(kind), StringID(what.name), object: ObjectID(what.object))))
    }
    shapes.append(row)
    numberOfShape[shape] = shapes.count - 1
    return shapes.count - 1
  }

  private mutating func number(ofMode mode: UInt8) -> Int {
    if let number = numberOfMode[mode] { return number }
    modes.append(NameList.clean(traceNames.mode(ModeID(mode))))
    numberOfMode[mode] = modes.count - 1
    return modes.count - 1
  }

  // MARK: Timers

  private mutating func encode(_ lane: borrowing TimerLane, limit: Int, _ left: inout Int)
    -> PageTimerLane
  {
    let windows = lane.detail.windows(limit: limit)
    let marks = windows.flatMap(\.marks).ordered { $0.due < $1.due }
    let column = TimerColumn.self
    var columns = [
      column.fired(): PackedColumn(lane.bins.map { UInt64($0.fired) }),
      column.skipped(): PackedColumn(lane.bins.map { UInt64($0.skipped) }),
      column.withdrawn(): PackedColumn(lane.bins.map { UInt64($0.withdrawn) }),
      column.pending(): PackedColumn(lane.bins.map { UInt64($0.pending) }),
      column.worst(): PackedColumn(lane.bins.map(\.worst)),
    ]
    for cause in Cause.allCases.map(\.rawValue) {
      columns[column.late(cause)] = PackedColumn(lane.bins.map { $0.lateness[cause] })
      columns[column.cause(cause)] = PackedColumn(lane.count(of: cause))
    }
    left -= marks.count
    return PageTimerLane(
      id: lane.timer, bins: bins(lane.time, columns),
      detail: detail(
        lane.detail.count, windows, kept: marks.count, end: \.lastDue, isLast: { _ in true },
        PageDueMarks(
          due: PackedColumn(growing: marks.map { relative($0.due) }), late: PackedColumn(marks.map(\.late)),
          stretch: PackedColumn(marks.map { $0.lastDue &- $0.due }), count: PackedColumn(marks.map(\.count)),
          fate: PackedColumn(marks.map { UInt64($0.outcome) << 4 | UInt64(min($0.cause, 15)) }),
          mode: PackedColumn(marks.map { UInt64(number(ofMode: $0.mode)) }))))
  }

  // MARK: Time

  func relative(_ time: UInt64) -> UInt64 { time > builder.from ? time - builder.from : 0 }
}
