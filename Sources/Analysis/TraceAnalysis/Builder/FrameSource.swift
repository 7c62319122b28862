import TraceReplay
import TraceResults

/// The timer whose fires a monitor counts: the one that its option names, or else the frame source of the results.
struct FrameSource {
  /// Nil = there is none, or there are several.
  let timer: TimerResult?
  /// The number of timers that may be meant.
  let candidates: Int

  init(_ rate: FrameRate, _ result: Analysis) {
    let chosen = result.frames.chosen
    let sources = Set((chosen.isEmpty ? result.frames.sources : chosen).map(\.timer))
    let found = result.timers.filter { timer in
      timer.ledger != nil && timer.fired > 0 && !timer.isVarying
        && FrameIntervals.ns.contains(timer.intervalNs)
        && (rate.source.map { timer.names.contains($0) } ?? timer.classes.contains { sources.contains($0) })
    }
    candidates = found.count
    timer = found.count == 1 ? found[0] : nil
  }
}
