/// A gap as found.
package struct FoundGap: Lasting {
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
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
}

/// A busy interval as found.
package struct FoundBusy: Lasting {
  package var lane: Int
  package var start: Moment
  var end: Moment
  package var suspended: Length
  /// Where the first suspension in it began.
  var suspendedFrom: Moment
  package var mode: ModeID
  package var outside: Length
  /// The longest stretch of `outside`.
  package var longestOutside: Length
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
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
}

/// The part in the span of a busy interval that began before it, or is under way at its end.
package typealias FoundEdge = (lane: Int, mode: ModeID, length: Length)

/// The gaps and busy intervals above their thresholds.
package final class HeldSpans {
  package internal(set) var gaps = Longest<FoundGap>()
  package internal(set) var busy = Longest<FoundBusy>()
  /// One per thread at most.
  package internal(set) var atStart: [FoundEdge] = []
  package internal(set) var atEnd: [FoundEdge] = []

  func finish() {
    gaps.finish()
    busy.finish()
  }

  func reset() {
    gaps = Longest()
    busy = Longest()
    atStart = []
    atEnd = []
  }
}
