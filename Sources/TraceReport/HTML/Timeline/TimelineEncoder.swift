import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceTables

/// The timeline in the form that the report's script reads. Times are in the trace's units since the beginning of the
/// span.
struct Timeline {
  /// The maximum number of lanes; the tables hold the others.
  static let threadLimit = 8
  static let timerLimit = 40

  let fields: [String: any ValueConvertible]
  /// The ids of the timer classes with lanes.
  let timers: [Int]
}

/// Encodes the contents of a builder as data for the report.
struct TimelineEncoder {
  private let builder: TimelineBuilder
  private let analysis: Analysis
  private let traceNames: TraceNames
  private(set) var names: NameList
  private var shapes: [[Int]] = []
  private var numberOfShape: [Shape: Int] = [:]
  private var modes: [String] = []
  private var numberOfMode: [UInt8: Int] = [:]
  private var kinds: [String: Value] = [:]

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

  mutating func encode() -> Timeline {
    builder.finish()
    // Lanes are addressed by index.
    func marks(thread: Int) -> UInt64 { builder.threads[thread].detail.count }
    func marks(timer: Int) -> UInt64 { builder.timers[timer].detail.count }
    let threads = (0..<builder.threads.count).filter { marks(thread: $0) > 0 }
      .ordered { marks(thread: $0) > marks(thread: $1) }
    let shown = threads.prefix(Timeline.threadLimit)
    let timers = shownTimers()
    let total = shown.reduce(0) { $0 + marks(thread: $1) } + timers.reduce(0) { $0 + marks(timer: $1) }
    let isWhole = total <= UInt64(builder.limits.marks)
    // Lanes with few marks leave the rest of their share to the others.
    var left = isWhole ? builder.limits.marks : builder.limits.marks / 3
    var timerLanes: [Int: Value] = [:]
    for (place, lane) in timers.enumerated().ordered(by: {
      marks(timer: $0.element) < marks(timer: $1.element)
    }) {
      let share = isWhole ? left : left / max(1, timers.count - timerLanes.count)
      timerLanes[place] = encode(builder.timers[lane], limit: share, &left)
    }
    if !isWhole { left += builder.limits.marks * 2 / 3 }
    var threadLanes: [(thread: UInt32, value: Value)] = []
    for (done, lane) in shown.reversed().enumerated() {
      let share = isWhole ? left : left / (shown.count - done)
      threadLanes.append((builder.threads[lane].thread, encode(builder.threads[lane], limit: share, &left)))
    }
    return Timeline(
      fields: [
        "threads": threadLanes.ordered { $0.thread < $1.thread }.map(\.value),
        "timers": timers.indices.map { timerLanes[$0] ?? .unknown },
        "threadsLeftOut": threads.count - shown.count + builder.threadsLeftOut,
        "timersLeftOut": analysis.timers.count - timers.count,
        // The distinct shapes of spans: what (0 pass, 1...7 phase, else a callout's kind), mode, depth, name.
        "shapes": shapes, "kinds": Value.object(kinds), "modes": modes,
      ], timers: timers.map { builder.timers[$0].timer })
  }

  /// Returns the timers with the greatest trouble, in the order of the report's table.
  private func shownTimers() -> [Int] {
    let lanes = Dictionary(
      (0..<builder.timers.count).map { (builder.timers[$0].timer, $0) }, uniquingKeysWith: { a, _ in a })
    // A lane holds the points of one class.
    return analysis.timers.mostStarvedFirst.map { analysis.timers[$0] }.filter { !$0.isVarying }
      .compactMap { lanes[$0.id] }.prefix(Timeline.timerLimit).map { $0 }
  }

  // MARK: Threads

  private mutating func encode(_ lane: borrowing ThreadLane, limit: Int, _ left: inout Int) -> Value {
    let windows = lane.detail.windows(limit: limit)
    let marks = windows.flatMap(\.marks).ordered { ($0.start, $1.end) < ($1.start, $0.end) }
    var columns: [String: PackedColumn] = [
      "passes": PackedColumn(lane.bins.map { UInt64($0.passes) }),
      "callouts": PackedColumn(lane.bins.map(\.callouts)),
      "calloutCount": PackedColumn(lane.bins.map { UInt64($0.calloutCount) }),
      "worst": PackedColumn(lane.bins.map(\.worst)),
    ]
    for phase in Phase.allCases.map(\.rawValue) {
      columns["phase\(phase)"] = PackedColumn(lane.time(phase: phase))
    }
    for mode in 0..<8 { columns["mode\(mode)"] = PackedColumn(lane.time(mode: mode)) }
    let shapes = PackedColumn(marks.map { UInt64(number(of: $0)) })
    left -= marks.count
    return .known([
      "index": lane.thread, "modes": lane.modes.map { number(ofMode: $0) },
      "sharesLastMode": lane.sharesLastMode, "bins": bins(lane.time, columns),
      "detail": detail(
        lane.detail.count, windows, kept: marks.count, end: \.end,
        isLast: { $0.what == .pass && $0.depth == 0 },
        [
          "start": PackedColumn(growing: marks.map { relative($0.start) }),
          "length": PackedColumn(marks.map { $0.end &- $0.start }),
          "shape": shapes,
        ]),
    ])
  }

  private func bins(_ time: TimeBins, _ columns: [String: PackedColumn]) -> Value {
    // Columns that contain only zeros are left out.
    .known([
      "width": time.width, "count": time.count,
      "columns": Value.known(columns.filter { !$0.value.isAllZero }),
    ])
  }

  /// Returns the marks in windows. `spans` holds the begin and end of each period with complete marks. Marks are in
  /// the order of their ends, so a span that began in a window and ended after it is missing. A window is therefore
  /// complete up to its last outermost mark.
  private func detail<Mark>(
    _ total: UInt64, _ windows: [DetailLane<Mark>.Window], kept: Int, end: KeyPath<Mark, UInt64>,
    isLast: (Mark) -> Bool, _ marks: [String: PackedColumn]
  ) -> Value {
    let spans = windows.compactMap { window -> [UInt64]? in
      guard let first = window.marks.first else { return nil }
      let start = window.first == 0 ? 0 : relative(first[keyPath: end])
      let last =
        window.end == total
        ? relative(builder.to) : window.marks.last(where: isLast).map { relative($0[keyPath: end]) } ?? 0
      return last > start ? [start, last] : nil
    }
    return .known([
      "whole": windows.count == 1 && UInt64(kept) == total, "spans": spans, "total": total, "kept": kept,
      "marks": Value.known(marks),
    ])
  }

  private mutating func number(of mark: SpanMark) -> Int {
    let shape = Shape(what: mark.what, mode: mark.mode, depth: mark.depth)
    if let number = numberOfShape[shape] { return number }
    let what = mark.what
    var row = [Int(what.kind), number(ofMode: mark.mode), Int(mark.depth)]
    if what.kind >= SpanMark.What.firstCallout {
      let kind = what.kind - SpanMark.What.firstCallout
      kinds["\(kind)"] = .text(traceNames.calloutKind(EventKind(kind)))
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

  private mutating func encode(_ lane: borrowing TimerLane, limit: Int, _ left: inout Int) -> Value {
    let windows = lane.detail.windows(limit: limit)
    let marks = windows.flatMap(\.marks).ordered { $0.due < $1.due }
    var columns: [String: PackedColumn] = [
      "fired": PackedColumn(lane.bins.map { UInt64($0.fired) }),
      "skipped": PackedColumn(lane.bins.map { UInt64($0.skipped) }),
      "withdrawn": PackedColumn(lane.bins.map { UInt64($0.withdrawn) }),
      "pending": PackedColumn(lane.bins.map { UInt64($0.pending) }),
      "worst": PackedColumn(lane.bins.map(\.worst)),
    ]
    for cause in Cause.allCases.map(\.rawValue) {
      columns["late\(cause)"] = PackedColumn(lane.bins.map { $0.lateness[cause] })
      columns["cause\(cause)"] = PackedColumn(lane.count(of: cause))
    }
    left -= marks.count
    return .known([
      "id": lane.timer, "bins": bins(lane.time, columns),
      "detail": detail(
        lane.detail.count, windows, kept: marks.count, end: \.lastDue, isLast: { _ in true },
        [
          // The time from the due point to its outcome, and to the last skipped point.
          "due": PackedColumn(growing: marks.map { relative($0.due) }),
          "late": PackedColumn(marks.map(\.late)),
          "stretch": PackedColumn(marks.map { $0.lastDue &- $0.due }),
          "count": PackedColumn(marks.map(\.count)),
          // outcome · 16 + cause; a cause of 15 is not known.
          "fate": PackedColumn(marks.map { UInt64($0.outcome) << 4 | UInt64(min($0.cause, 15)) }),
          "mode": PackedColumn(marks.map { UInt64(number(ofMode: $0.mode)) }),
        ]),
    ])
  }

  // MARK: Time

  private func relative(_ time: UInt64) -> UInt64 { time > builder.from ? time - builder.from : 0 }
}
