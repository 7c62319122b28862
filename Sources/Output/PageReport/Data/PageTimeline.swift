/// The timeline. Times are in the trace's units since the beginning of the span.
struct PageTimeline: Codable {
  var names: [String] = []
  var threads: [PageThreadLane]
  var timers: [PageTimerLane]
  var threadsLeftOut: Int
  var timersLeftOut: Int
  /// Nil = no work of queues.
  var queues: PageQueues?
  /// Nil = no frame source.
  var frames: [PageFrameLane]?
  /// Nil = no states.
  var states: PageStates?
  /// The distinct shapes of spans: what (0 pass, 1...7 phase, else a callout's kind), mode, depth, name.
  var shapes: [[Int]]
  /// The words for each kind of callout, by its number.
  var kinds: [String: String]
  var modes: [String]
}

struct PageThreadLane: Codable {
  var index: UInt32
  /// The mode of each column `mode…`.
  var modes: [Int]
  var sharesLastMode: Bool
  var bins: PageBins
  var detail: PageDetail<PageSpanMarks>
}

struct PageQueues: Codable {
  var leftOut: Int
  var lanes: [PageQueueLane]
}

/// The slices of work of the queues of one name. Their marks are callouts, whose depths are rows of slices that do not
/// overlap. The sums of callouts count each slice.
struct PageQueueLane: Codable {
  var name: Int
  /// The index is not that of a thread.
  var lane: PageThreadLane
}

struct PageTimerLane: Codable {
  var id: Int
  var bins: PageBins
  var detail: PageDetail<PageDueMarks>
}

/// The frames of one source.
struct PageFrameLane: Codable {
  /// The id of the timer class.
  var timer: Int
  var name: Int
  var thread: UInt32?
  /// In nanoseconds.
  var interval: UInt64
  /// All of its hitches; the page lists the longest.
  var hitches: UInt64
  var hitchTime: UInt64
  /// The due points without a frame; nil = not known.
  var missing: UInt64?
  /// Milliseconds of hitch per second of active time; nil = it was never active.
  var ratio: Double?
  var band: String
  var bins: PageBins
  var detail: PageDetail<PageFrameMarks>
}

struct PageStates: Codable {
  /// The number of states without a lane.
  var leftOut: Int
  /// The changes from this moment on are left out; nil = none is.
  var cutAt: UInt64?
  var lanes: [PageStateLane]
}

/// The values of one state.
struct PageStateLane: Codable {
  var name: Int
  /// When it took each value. Ascending.
  var start: PackedColumn
  /// The number of the value's name + 1; 0 = no value.
  var value: PackedColumn
}

/// Sums over equal parts of the span.
struct PageBins: Codable {
  var width: UInt64
  var count: Int
  /// By the name of a `ThreadColumn` or `TimerColumn`. Columns that contain only zeros are left out.
  var columns: [String: PackedColumn]
}

/// Individual marks, where they are complete.
struct PageDetail<Marks: Codable>: Codable {
  var whole: Bool
  /// The start and end of each period with complete marks.
  var spans: [PagePair]
  var total: UInt64
  var kept: Int
  var marks: Marks
}

struct PageSpanMarks: Codable {
  /// Ascending.
  var start: PackedColumn
  var length: PackedColumn
  var shape: PackedColumn
}

struct PageDueMarks: Codable {
  /// Ascending.
  var due: PackedColumn
  /// The time from the due point to its outcome.
  var late: PackedColumn
  /// The time from the due point to the last skipped point.
  var stretch: PackedColumn
  var count: PackedColumn
  /// outcome · 16 + cause; a cause of 15 is not known.
  var fate: PackedColumn
  var mode: PackedColumn
}

struct PageFrameMarks: Codable {
  /// Ascending.
  var due: PackedColumn
  /// The time from the due point until the frame was ready.
  var length: PackedColumn
  /// The number of a `FrameOutcome`.
  var outcome: PackedColumn
}

/// The name of a column of bins. `…` stands for a number: of a phase, mode or cause.
protocol BinColumn: RawRepresentable<String>, CaseIterable, Hashable {}

extension BinColumn {
  func callAsFunction(_ number: Int? = nil) -> String {
    number.map { "\(rawValue.dropLast())\($0)" } ?? rawValue
  }
}

enum ThreadColumn: String, BinColumn {
  case passes, callouts, calloutCount, worst
  case phase = "phase…"
  case mode = "mode…"
}

enum TimerColumn: String, BinColumn {
  case fired, skipped, withdrawn, pending, worst
  case late = "late…"
  case cause = "cause…"
}

enum FrameColumn: String, BinColumn {
  case onTime, late, unknown, longest
}
