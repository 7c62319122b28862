/// A gap as found.
package struct FoundGap {
  package var lane: Int
  package var start: Moment
  package var end: Moment
  package var suspended: Length
  package var phase: Phase
  package var mode: ModeID
  /// Those that took most by themselves, most first.
  package var callouts: [SpanCallout]
  package var calloutCount: UInt64
  /// In which a callout or observers ran.
  package var explained: Length
  package var isOpen: Bool
  package var isUncertain: Bool

  /// Without suspension.
  package var length: Length { end &- start &- suspended }
}

/// A busy interval as found.
package struct FoundBusy {
  package var lane: Int
  package var start: Moment
  var end: Moment
  package var suspended: Length
  /// Where the first suspension in it began.
  var suspendedFrom: Moment
  package var mode: ModeID
  package var outside: Length
  /// As of a gap; those inside runs.
  package var callouts: [SpanCallout]
  package var calloutCount: UInt64
  package var explained: Length
  /// The last BeforeWaiting.low in it, where the program's observers of that activity begin.
  var beforeWaiting: Moment
  /// Began when a wait ended, not with a run.
  var isAfterWait: Bool
  package var isOpen: Bool
  package var isUncertain: Bool

  /// Without suspension.
  package var length: Length { end &- start &- suspended }
}

/// The part in the span of a busy interval that began before it, or is under way at its end.
package struct FoundEdge {
  package var lane: Int
  package var mode: ModeID
  package var length: Length
}

/// The gaps and busy intervals above their thresholds: the longest are kept, all are counted.
package final class HeldSpans {
  package private(set) var gaps: [FoundGap] = []
  package private(set) var busy: [FoundBusy] = []
  package private(set) var gapCount = 0
  package private(set) var busyCount = 0
  /// One per thread at most.
  package var atStart: [FoundEdge] = []
  package var atEnd: [FoundEdge] = []

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
