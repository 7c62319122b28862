/// A value of a named state of the program. Rows of results that a state splits also have one.
package protocol OfStateValue: Sendable {
  /// The name of the state.
  var state: String { get }
  /// Nil = the state has no value.
  var value: String? { get }
}

/// The stays of a state in one of its values.
package protocol StaysOfState: OfStateValue {
  /// How often the state took the value, or had it when the span began.
  var count: UInt64 { get }
  /// Without suspension.
  var timeNs: UInt64 { get }
}

/// How often and how long a state had a value.
package struct StateResult: StaysOfState {
  package var state: String = ""
  package var value: String?
  package var count: UInt64 = 0
  package var timeNs: UInt64 = 0
  package init() {}
}

/// The results of a span by the values of one state. Everything counts once, at the value that the state had when it
/// began.
package struct SplitResults: Sendable {
  /// Most time first.
  package var values: [Value] = []
  /// The rows of the values in their order.
  package var modes: [Mode] = []
  package var timers: [Timer] = []
  package var frames: [FrameSource] = []
  package var callouts: [Callout] = []
  package init() {}

  /// Sums of one value. Those of time and hangs are about the thread that receives input.
  package struct Value: StaysOfState {
    package var state: String = ""
    package var value: String?
    /// Whether it stands for all values beyond the limit.
    package var isRemainder = false
    package var count: UInt64 = 0
    package var timeNs: UInt64 = 0
    package var busyNs: UInt64 = 0
    package var hangs: UInt64 = 0
    package var hangNs: UInt64 = 0
    package var longestHangNs: UInt64 = 0
    /// The due points of all timers for which they are known, and the lateness of the fires.
    package var due: UInt64 = 0
    package var skipped: UInt64 = 0
    package var overdueNs: UInt64 = 0
    /// The hitches of the judged frame sources.
    package var frames = HitchTime()
    package init() {}
  }

  package struct Mode: OfStateValue {
    package var state: String = ""
    package var value: String?
    package var mode: String = ""
    package var thread: UInt32 = 0
    package var timeNs: UInt64 = 0
    package var waitingNs: UInt64 = 0
    package var busyNs: UInt64 { timeNs &- waitingNs }
    package var passNs = Distribution()
    /// Listed gaps, and hangs.
    package var gaps: UInt64 = 0
    package var gapNs: UInt64 = 0
    package var hangs: UInt64 = 0
    package var hangNs: UInt64 = 0
    package var longestHangNs: UInt64 = 0
    package init() {}
  }

  package struct Timer: OfStateValue {
    package var state: String = ""
    package var value: String?
    /// The `id` of the timer's row in `Analysis.timers`; nil = all timers beyond the limit.
    package var timer: Int?
    package var name: String = ""
    package var fired: UInt64 = 0
    /// Nil if the recording does not hold the timer's due points.
    package var points: Points?
    package init() {}
  }

  /// due = fired + skipped + withdrawn + pending.
  package struct Points: Sendable {
    package var due: UInt64 = 0
    package var skipped: UInt64 = 0
    package var withdrawn: UInt64 = 0
    package var pending: UInt64 = 0
    package var latenessNs = Distribution()
    /// Lateness of fires by cause, and skipped points by cause.
    package var ledgerNs: [Cause: UInt64] = [:]
    package var skippedBy: [Cause: UInt64] = [:]
    package init() {}
  }

  /// The frames and hitches of a source.
  package struct FrameSource: OfStateValue {
    package var state: String = ""
    package var value: String?
    /// `FrameSourceResult.timer`; nil = all sources beyond the limit.
    package var timer: Int?
    package var name: String = ""
    /// As in `FrameSourceResult`.
    package var isJudged = false
    /// Frames that came due while the state had the value, and how many of them were on time and late.
    package var frames: UInt64 = 0
    package var onTime: UInt64 = 0
    package var late: UInt64 = 0
    /// Hitches that began while the state had the value.
    package var hitchTime = HitchTime()
    /// The sum of the squares of their lengths, in square nanoseconds.
    package var squares = 0.0
    package init() {}
  }

  package struct Callout: OfStateValue {
    package var state: String = ""
    package var value: String?
    package var kind: String = ""
    package var name: String = ""
    package var thread: UInt32 = 0
    package var count: UInt64 = 0
    package var timeNs: UInt64 = 0
    package var longestNs: UInt64 = 0
    package init() {}
  }
}
