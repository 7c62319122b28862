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

  /// The length without suspension.
  package var length: Length { end &- start &- suspended }
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
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

  /// The length without suspension.
  package var length: Length { end &- start &- suspended }
  package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, lane) }
}

/// The part inside the span of a busy interval that began before the span or continues at its end.
package typealias FoundEdge = (lane: Int, mode: ModeID, length: Length)

/// The gaps and busy intervals above their thresholds, and the busy intervals that the span cuts.
package final class HeldSpans {
  package internal(set) var gaps = Longest<FoundGap>()
  package internal(set) var busy = Longest<FoundBusy>()
  /// At most one per thread.
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
