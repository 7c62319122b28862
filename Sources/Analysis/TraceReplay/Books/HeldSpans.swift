import TraceFacts

/// A gap above the threshold.
package struct FoundGap: HasExtent {
  package var lane: Int
  package var start: Moment
  package var end: Moment
  package var suspended: Length
  package var phase: Phase
  package var mode: ModeID
  /// The callouts with the most self time, longest first.
  package var callouts: [SpanCallout]
  package var calloutCount: UInt64
  /// The time in which a callout or an observer ran.
  package var explained: Length
  package var isOpen: Bool
  package var isUncertain: Bool
  /// The due points that passed between the waits around the gap.
  package var duePoints: UInt64 = 0
  /// The wait and the pass that followed the gap of an event loop.
  package var next: FoundNext?

  /// The length without suspension.
  package var length: Length { end &- start &- suspended }
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
}

/// The wait that returned after a gap or busy interval of an event loop, and the pass after it.
package struct FoundNext {
  package var wait: Length
  /// The callouts of that pass with the most self time, longest first, and the number of all.
  package var callouts: [SpanCallout] = []
  package var calloutCount: UInt64 = 0
}

/// A busy interval above the threshold.
package struct FoundBusy: HasExtent {
  package var lane: Int
  package var start: Moment
  var end: Moment
  package var suspended: Length
  /// When the first suspension in the interval began.
  var suspendedFrom: Moment
  package var mode: ModeID
  package var outside: Length
  /// The longest stretch of `outside`.
  package var longestOutside: Length
  /// The callouts inside runs with the most self time, longest first.
  package var callouts: [SpanCallout]
  package var calloutCount: UInt64
  package var explained: Length
  /// The last BeforeWaiting.low in the interval, when the program's observers of that activity begin.
  var beforeWaiting: Moment
  /// Whether the interval began at the end of a wait, not with a run.
  var isAfterWait: Bool
  package var isOpen: Bool
  package var isUncertain: Bool
  /// The due points that passed in the interval.
  package var duePoints: UInt64 = 0
  /// The wait and the pass that followed the interval of an event loop.
  package var next: FoundNext?

  /// The length without suspension.
  package var length: Length { end &- start &- suspended }
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
  /// The length that counts as a hang.
  var hangLength: Length { length.asHang(outside: outside) }
}

/// The number and time of the certain busy intervals of a thread that are not listed.
package struct BusySums {
  /// Intervals of 100 ms and more, hangs included.
  package internal(set) var count: UInt64 = 0
  package internal(set) var length = Length.zero
  package internal(set) var hangs: UInt64 = 0
  package internal(set) var hangLength = Length.zero
}

/// The part inside the span of a busy interval that began before the span or continues at its end.
package typealias FoundEdge = (lane: Int, mode: ModeID, length: Length)

/// The gaps and busy intervals above their thresholds, and the busy intervals that the span cuts.
package final class HeldSpans {
  package internal(set) var gaps = Longest<FoundGap>()
  package private(set) var busy = Longest<FoundBusy>()
  /// The sums of what `busy` dropped, by lane.
  package private(set) var unlisted: [Int: BusySums] = [:]
  /// At most one per thread.
  package internal(set) var atStart: [FoundEdge] = []
  package internal(set) var atEnd: [FoundEdge] = []

  private var sink: SinkLink?
  /// By lane.
  private var threads: [ThreadIndex] = []
  private let shortFrom: Length
  private let hangFrom: Length

  init(_ scale: TimeScale) {
    shortFrom = scale.length(atLeastNs: BusyClass.briefUnresponsiveness.fromNs)
    hangFrom = scale.length(atLeastNs: BusyClass.hangNs)
  }

  /// Notes what followed the gap and the busy interval of a lane that ended at `end`, if they are still held.
  func note(_ next: FoundNext, lane: Int, end: Moment) {
    if let gap = gaps.elements.lastIndex(where: { $0.end == end && $0.lane == lane }) {
      gaps.elements[gap].next = next
    }
    if let interval = busy.elements.lastIndex(where: { $0.end == end && $0.lane == lane }) {
      busy.elements[interval].next = next
    }
  }

  /// Sends the spans that end from now on to the sink.
  func begin(sending sink: SinkLink?, _ threads: [ThreadIndex]) {
    (self.sink, self.threads) = (sink, threads)
  }

  func add(_ found: FoundGap) {
    gaps.add(found)
    report(.gap, found.lane, found.mode, found.start, found.length, hang: .zero)
  }

  func add(_ found: FoundBusy) {
    busy.add(found) { sumUp($0) }
    let hang = found.isUncertain ? .zero : found.hangLength
    report(.busy, found.lane, found.mode, found.start, found.length, hang: hang < hangFrom ? .zero : hang)
  }

  private func report(
    _ what: LongSpanFact.What, _ lane: Int, _ mode: ModeID, _ start: Moment, _ length: Length, hang: Length
  ) {
    guard let sink else { return }
    let fact = LongSpanFact(
      thread: threads[lane].rawValue, what: what, mode: mode.rawValue, start: start.rawValue,
      length: length.rawValue, hang: hang.rawValue)
    sink.report { $0.longSpan(fact) }
  }

  private func sumUp(_ dropped: FoundBusy) {
    let length = dropped.hangLength
    guard !dropped.isUncertain, length >= shortFrom else { return }
    var sums = unlisted[dropped.lane] ?? BusySums()
    sums.count &+= 1
    sums.length &+= length
    if length >= hangFrom {
      sums.hangs &+= 1
      sums.hangLength &+= length
    }
    unlisted[dropped.lane] = sums
  }

  func finish() {
    gaps.finish()
    busy.finish { sumUp($0) }
  }

  func reset() {
    gaps = Longest()
    busy = Longest()
    unlisted = [:]
    atStart = []
    atEnd = []
  }
}
