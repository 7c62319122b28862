import TraceFacts
import TraceReplay

/// A frame of a timer class. Times are in the trace's units.
struct FrameMark: Equatable {
  var due: UInt64
  /// At least `due`.
  var ready: UInt64
  /// `FrameOutcome.rawValue`.
  var outcome: UInt8
}

/// The frames of one timer class: sums in equal bins of time over the whole span, and individual marks.
///
/// There are at most a few hundred frames in a second, so it need not be as fast as `TimerLane`. It has limits of its
/// own: frames take no room from the marks of threads and timers.
final class FrameLane {
  /// The frames that came due in the bin.
  struct Bin {
    var onTime: UInt64 = 0
    var late: UInt64 = 0
    var unknown: UInt64 = 0
    /// The longest time from a due point until the frame was ready.
    var longest: UInt64 = 0
  }

  let timer: Int
  private(set) var time: TimeBins
  private(set) var bins: [Bin]
  private(set) var detail: DetailLane<FrameMark>
  private let whole: UInt64

  /// `place`: the number of lanes before this one.
  init(timer: Int, place: Int, from: UInt64, to: UInt64, _ limits: TimelineLimits) {
    self.timer = timer
    time = TimeBins(from: from, to: to, atMost: limits.bins(ofTimer: place))
    bins = Array(repeating: Bin(), count: time.count)
    detail = DetailLane(capacity: limits.window(ofTimer: place), worstKept: 6)
    whole = UInt64(limits.frames)
  }

  func add(_ frame: FrameFact) {
    let bin = time.index(frame.due)
    let ready = max(frame.ready, frame.due)
    switch frame.outcome {
    case .onTime: bins[bin].onTime &+= 1
    case .late: bins[bin].late &+= 1
    case .unknown: bins[bin].unknown &+= 1
    }
    bins[bin].longest = max(bins[bin].longest, ready &- frame.due)
    detail.add(FrameMark(due: frame.due, ready: ready, outcome: frame.outcome.rawValue))
    detail.mark(asBadAs: frame.outcome == .late ? ready &- frame.due : 0)
    if detail.count == whole { detail.forgetWhole() }
  }
}
