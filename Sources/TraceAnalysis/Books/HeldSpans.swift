/// A gap as found, in time units.
struct FoundGap {
  var lane: Int
  var start: UInt64
  var end: UInt64
  var suspended: UInt64
  var phase: Phase
  var mode: UInt8
  /// Those that took most by themselves, most first.
  var callouts: [SpanCallout]
  var calloutCount: UInt64
  /// In which a callout or observers ran.
  var explained: UInt64
  var isOpen: Bool
  var isUncertain: Bool

  /// Without suspension.
  var length: UInt64 { end &- start &- suspended }
}

/// A busy interval as found, in time units.
struct FoundBusy {
  var lane: Int
  var start: UInt64
  var end: UInt64
  var suspended: UInt64
  /// Where the first suspension in it began.
  var suspendedFrom: UInt64
  var mode: UInt8
  var outside: UInt64
  /// As of a gap; those inside runs.
  var callouts: [SpanCallout]
  var calloutCount: UInt64
  var explained: UInt64
  /// The last BeforeWaiting.low in it, where the program's observers of that activity begin.
  var beforeWaiting: UInt64
  /// Began when a wait ended, not with a run.
  var isAfterWait: Bool
  var isOpen: Bool
  var isUncertain: Bool

  /// Without suspension.
  var length: UInt64 { end &- start &- suspended }
}

/// The part in the span of a busy interval that began before it, or is under way at its end; in time units.
struct FoundEdge {
  var lane: Int
  var mode: UInt8
  var length: UInt64
}

/// The gaps and busy intervals above their thresholds: the longest are kept, all are counted.
final class HeldSpans {
  private(set) var gaps: [FoundGap] = []
  private(set) var busy: [FoundBusy] = []
  private(set) var gapCount = 0
  private(set) var busyCount = 0
  /// One per thread at most.
  var atStart: [FoundEdge] = []
  var atEnd: [FoundEdge] = []

  func add(_ gap: FoundGap) {
    gapCount += 1
    gaps.append(gap)
    if gaps.count >= 2 * AnalysisLimits.listed { keepLongest() }
  }

  func add(_ interval: FoundBusy) {
    busyCount += 1
    busy.append(interval)
    if busy.count >= 2 * AnalysisLimits.listed { keepLongest() }
  }

  /// Cuts the lists to the limit, longest first, and puts them in order of time.
  func finish() {
    keepLongest()
    gaps.sort { ($0.start, $0.lane) < ($1.start, $1.lane) }
    busy.sort { ($0.start, $0.lane) < ($1.start, $1.lane) }
  }

  func reset() {
    gaps = []
    busy = []
    gapCount = 0
    busyCount = 0
    atStart = []
    atEnd = []
  }

  private func keepLongest() {
    gaps.sort { ($1.length, $0.start, $0.lane) < ($0.length, $1.start, $1.lane) }
    busy.sort { ($1.length, $0.start, $0.lane) < ($0.length, $1.start, $1.lane) }
    gaps.removeLast(max(0, gaps.count - AnalysisLimits.listed))
    busy.removeLast(max(0, busy.count - AnalysisLimits.listed))
  }
}
