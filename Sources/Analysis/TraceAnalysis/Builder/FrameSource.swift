import TraceReplay
import TraceResults

/// The choice of the timer whose fires are frames.
struct FrameSource {
  /// Nil = there is none, or there are several.
  let timer: TimerResult?
  /// The number of timers that may be meant.
  let candidates: Int

  init(_ rate: FrameRate, _ timers: [TimerResult]) {
    let found = timers.filter { timer in
      timer.ledger != nil && timer.fired > 0 && !timer.isVarying
        && FrameIntervals.ns.contains(timer.intervalNs)
        && (rate.source.map { timer.names.contains($0) } ?? true)
    }
    candidates = found.count
    timer = found.count == 1 ? found[0] : nil
  }
}
