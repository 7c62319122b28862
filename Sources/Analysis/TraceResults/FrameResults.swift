import CallStacks
import RunLoopVocabulary

/// Frame sources and their hitches. Empty if no timer is, or looks like, a frame source.
///
/// Only the program's part of a frame is known: the time that a render server adds is not in a trace.
package struct FrameResults: Sendable {
  /// The declared sources. Without any, the timers that look like one.
  package var sources: [FrameSourceResult] = []
  /// The longest hitches of the judged sources, longest first.
  package var hitches: [HitchResult] = []
  /// The number of their hitches that are not listed.
  package var hitchesOmitted: UInt64 = 0
  package init() {}

  package var judged: [FrameSourceResult] { sources.filter(\.isJudged) }

  /// The sources that a number is about if none is named: the declared ones; else those that the reader named; else the
  /// only one that is offered.
  package var chosen: [FrameSourceResult] {
    let ofProgram = declared()
    return ofProgram.isEmpty ? judged : ofProgram
  }

  /// Returns the sources that the program declared, on a thread; nil = on any.
  package func declared(on thread: UInt32? = nil) -> [FrameSourceResult] {
    sources.filter { $0.choice == .program && (thread == nil || $0.thread == thread) }
  }
}

/// Hitches of some sources in some active time. All but the longest adds up over sources and successive spans.
package struct HitchTime: Sendable, Equatable {
  package var hitches: UInt64 = 0
  package var hitchNs: UInt64 = 0
  package var longestNs: UInt64 = 0
  package var activeNs: UInt64 = 0
  package init() {}

  /// Milliseconds of hitch per second of active time; nil if the sources were never active.
  package var ratio: Double? { activeNs > 0 ? Double(hitchNs) / Double(activeNs) * 1000 : nil }
  package var band: HitchBand { HitchBand(hitchNs: hitchNs, activeNs: activeNs) }

  package func adding(_ other: HitchTime) -> HitchTime {
    var sum = self
    sum.hitches = hitches.saturated(adding: other.hitches)
    sum.hitchNs = hitchNs.saturated(adding: other.hitchNs)
    sum.longestNs = max(longestNs, other.longestNs)
    sum.activeNs = activeNs.saturated(adding: other.activeNs)
    return sum
  }
}

extension Sequence<FrameSourceResult> {
  /// The hitches of all sources.
  package var hitchTime: HitchTime { reduce(HitchTime()) { $0.adding($1.hitchTime) } }
}

/// The way in which a timer became a frame source.
package enum FrameChoice: String, Sendable, CaseIterable, Named {
  /// The program declared it.
  case program
  /// The reader named it.
  case reader
  /// Neither: its interval looks like that of one.
  case offered

  package var name: String { rawValue }
}

/// The bands of a hitch ratio, in milliseconds of hitch per second of active time. Each begins at its lower bound.
package enum HitchBand: String, Sendable, CaseIterable, Named {
  case good, noticeable, bad

  package var name: String { rawValue }

  /// In milliseconds per second.
  package var fromRatio: Double {
    switch self {
    case .good: 0
    case .noticeable: 5
    case .bad: 10
    }
  }

  /// Returns the band of hitches in an active time.
  package init(hitchNs: UInt64, activeNs: UInt64) {
    self =
      HitchBand.allCases.last {
        $0 == .good || activeNs > 0 && isAtLeast(hitchNs, $0.fromRatio / 1000, of: activeNs)
      } ?? .good
  }
}

/// The timers of one class whose due points are the beginnings of frames.
package struct FrameSourceResult: Sendable {
  /// `TimerResult.id` of the class, or one of `TimerResult.classes`.
  package var timer: Int = 0
  package var name: String = ""
  package var loop: String = ""
  /// Nil if the loop never ran.
  package var thread: UInt32?
  package var intervalNs: UInt64 = 0
  package var choice = FrameChoice.offered
  /// Whether the user declared that the timer may wait while tracking.
  package var isDeferrable = false
  /// Whether it counts in findings. Timers that only look like frame sources do not, if there are several.
  package var isJudged = false
  /// Nil if due points of some fires are not in the recording.
  package var due: UInt64?
  /// Frames that were ready in the span. Those that are neither on time nor late had a suspension of the process or a
  /// loss of events between their due point and their end.
  package var frames: UInt64 = 0
  package var onTime: UInt64 = 0
  package var late: UInt64 = 0
  /// Due points that were skipped for a known cause while the process ran.
  package var missing: UInt64?
  package var hitches: UInt64 = 0
  package var hitchNs: UInt64 = 0
  package var longestHitchNs: UInt64 = 0
  /// From the first due point to the end of the source, without suspensions and without unknown time.
  package var activeNs: UInt64 = 0
  /// The causes of the hitches, most hitch time first.
  package var costs: [HitchCostResult] = []
  package init() {}

  package var hitchTime: HitchTime {
    var time = HitchTime()
    time.hitches = hitches
    time.hitchNs = hitchNs
    time.longestNs = longestHitchNs
    time.activeNs = activeNs
    return time
  }
  package var ratio: Double? { hitchTime.ratio }
  package var band: HitchBand { hitchTime.band }
}

/// The culprit of a late frame: a cause, and a callout or a mode if it is known.
package struct HitchBlame: Sendable, Equatable {
  package var cause = Cause.unknown
  /// For a callout or observers: kind and name; empty = not known, or none.
  package var kind: String = ""
  package var callout: String = ""
  /// For `wrongMode`, the mode; empty = not known.
  package var mode: String = ""
  package init() {}

  /// The callout or the mode to blame; nil = not known, or none.
  package var culprit: String? {
    if !kind.isEmpty { return "\(kind) \(callout)" }
    return mode.isEmpty ? nil : mode
  }

  /// `block decode`, a mode, or the cause.
  package var words: String { culprit ?? cause.name }
}

/// The hitches of a source that have the same blame.
package struct HitchCostResult: Sendable {
  package var blame = HitchBlame()
  package var hitches: UInt64 = 0
  package var hitchNs: UInt64 = 0
  package init() {}
}

/// A time in which a frame was overdue, so that the frame before it stayed on the screen.
package struct HitchResult: Sendable {
  /// The name of its source.
  package var source: String = ""
  /// `FrameSourceResult.timer`.
  package var timer: Int = 0
  package var thread: UInt32?
  /// When the frame should have been presented, and how much later it was.
  package var startNs: UInt64 = 0
  package var durationNs: UInt64 = 0
  /// The due point of the frame; nil = none was due.
  package var dueNs: UInt64?
  /// When the frame was ready; nil = it never was: the source, the span or the knowledge of it ended.
  package var readyNs: UInt64?
  package var blame = HitchBlame()
  /// The time of the cause between the due point and `readyNs`; nil = not known.
  package var causeNs: UInt64?
  /// The program's function in the blamed callout; nil = it was not sampled.
  package var function: StackFrame?
  package init() {}
}
