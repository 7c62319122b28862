/// A gap as found, in time units.
package struct FoundGap {
  package var lane: Int
  package var start: UInt64
  package var end: UInt64
  package var suspended: UInt64
  package var phase: Phase
  package var mode: UInt8
  /// Those that took most by themselves, most first.
  package var callouts: [SpanCallout]
  package var calloutCount: UInt64
  /// In which a callout or observers ran.
  package var explained: UInt64
  package var isOpen: Bool
  package var isUncertain: Bool

  /// Without suspension.
  package var length: UInt64 { end &- start &- suspended }
}

/// A busy interval as found, in time units.
package struct FoundBusy {
  package var lane: Int
  package var start: UInt64
  var end: UInt64
  package var suspended: UInt64
  /// Where the first suspension in it began.
  var suspendedFrom: UInt64
  package var mode: UInt8
  package var outside: UInt64
  /// As of a gap; those inside runs.
  package var callouts: [SpanCallout]
  package var calloutCount: UInt64
  package var explained: UInt64
  /// The last BeforeWaiting.low in it, where the program's observers of that activity begin.
  var beforeWaiting: UInt64
  /// Began when a wait ended, not with a run.
  var isAfterWait: Bool
  package var isOpen: Bool
  package var isUncertain: Bool

  /// Without suspension.
  package var length: UInt64 { end &- start &- suspended }
}

/// The part in the span of a busy interval that began before it, or is under way at its end; in time units.
package struct FoundEdge {
  package var lane: Int
  package var mode: UInt8
  package var length: UInt64
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
