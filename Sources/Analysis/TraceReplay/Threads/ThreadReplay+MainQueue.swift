import TraceFormat

/// The main queue without a run loop. Its lane has one artificial run: drains are busy time, and the loop waits between
/// them. There are no passes and no other activities.
extension ThreadReplay {
  /// Notes that the queue is served from now on.
  mutating func serveQueue(_ stamp: Stamp, _ timers: inout TimerLedger) {
    guard depth == 0, stamp.mode != .outside else { return }
    endLoss(stamp.time)
    timers.seen(loop: stamp.loop, lane: lane, time: stamp.time, clock: clock)
    push(stamp, isExplicit: false, isSeen: true)
    frames[0].phase = Phase.waiting.rawValue
    busy.end(stamp.time, books)
  }

  /// Call it before the drain's callout begins.
  mutating func beginDrain(_ stamp: Stamp, _ timers: inout TimerLedger) {
    serveQueue(stamp, &timers)
    if depth == 1, isInCallout {
      // The end of the previous drain is missing.
      endCallout(.mainQueueDrainEnd, stamp.loop.object, lastTime, &timers)
      endDrain(lastTime)
    }
    guard depth == 1, !isInCallout, frames[0].phase != Phase.afterWaiting.rawValue else { return }
    endLoss(stamp.time)
    let frame = frames.address(0)
    endPhase(frame, stamp.time)
    frame.pointee.phase = Phase.afterWaiting.rawValue
    frame.pointee.phaseStart = stamp.time
    gap.begin(.afterWaiting, stamp.mode, stamp.time)
    if !busy.isKnown { busy.begin(stamp.time, stamp.mode, frame.pointee.cell, afterWait: true) }
  }

  /// Call it after the drain's callout has ended.
  mutating func endDrain(_ time: Moment) {
    guard depth == 1, !isInCallout, frames[0].phase != Phase.waiting.rawValue else { return }
    endLoss(time)
    busy.beforeWaiting = time
    beginWaiting(time)
  }
}
