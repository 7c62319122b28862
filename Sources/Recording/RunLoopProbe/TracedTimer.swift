import CRLTraceLoops
import CRLTraceShims
import CRLTraceStacks
import CoreFoundation
import SystemSupport
import TraceFormat
import TraceRecorder

/// A CFRunLoopTimer whose life, due points and callouts are recorded.
///
/// Create it with `RunLoopTracer.timer`. The timer behaves like one made with CFRunLoopTimerCreate.
public final class TracedTimer: @unchecked Sendable {
  /// The underlying timer. Calls on it work but are not recorded.
  public let timer: CFRunLoopTimer
  fileprivate let callout: TimerCallout
  private let tracer: RunLoopTracer
  /// The loop that the timer was last added to.
  private let loop = Locked<CFRunLoop?>(nil)

  init(timer: CFRunLoopTimer, callout: TimerCallout, tracer: RunLoopTracer) {
    self.timer = timer
    self.callout = callout
    self.tracer = tracer
  }

  /// Adds the timer to a mode of a loop (by default the calling thread's). Use `ModeName.common` for the common
  /// modes.
  public func add(mode: String, loop: CFRunLoop = CFRunLoopGetCurrent()) {
    let attachment = tracer.attachment(loop)
    self.loop.withLock { $0 = loop }
    tracer.recorder.emit(
      .timerAdd, object: callout.object, UInt64(tracer.recorder.mode(mode)), UInt64(attachment.object))
    CFRunLoopAddTimer(loop, timer, CF.mode(mode))
    // The call may have created the mode.
    attachment.attach(mode: mode)
  }

  /// Removes the timer from a mode of a loop, by default the calling thread's.
  public func remove(mode: String, loop: CFRunLoop = CFRunLoopGetCurrent()) {
    // CoreFoundation does nothing if the timer is not in the mode.
    let isMember = CFRunLoopContainsTimer(loop, timer, CF.mode(mode))
    CFRunLoopRemoveTimer(loop, timer, CF.mode(mode))
    guard isMember else { return }
    tracer.recorder.emit(.timerRemove, object: callout.object, UInt64(tracer.recorder.mode(mode)))
  }

  /// Moves the next due point, as CFRunLoopTimerSetNextFireDate does.
  public func setNextFireDate(_ date: CFAbsoluteTime) {
    let loop = self.loop.withLock { $0 }
    guard let loop, loop !== CFRunLoopGetCurrent() else {
      CFRunLoopTimerSetNextFireDate(timer, date)
      tracer.recorder.emit(.timerReschedule, object: callout.object, timer.dueNs)
      return
    }
    // A loop on another thread may fire before this thread continues, so the change is recorded first.
    tracer.recorder.emit(.timerReschedule, object: callout.object, rlt_due_of_date_ns(date))
    CFRunLoopTimerSetNextFireDate(timer, date)
  }

  /// Invalidates the timer permanently.
  public func invalidate() { CFRunLoopTimerInvalidate(timer) }
}

/// The callout of a traced timer.
final class TimerCallout: CountedContext, @unchecked Sendable {
  func fire(_ timer: CFRunLoopTimer) {
    guard recorder.isRecording else { return handler() }
    rlt_emit_timer_begin(
      EventKind.timerDue.rawValue, EventKind.timerBegin.rawValue, object, timer.dueNs)
    handler()
    recorder.emit(.timerEnd, object: object)
  }
}

extension CFRunLoopTimer {
  /// The due point in force, on CLOCK_MONOTONIC.
  fileprivate var dueNs: UInt64 { unsafe rlt_due_ns(Unmanaged.passUnretained(self).toOpaque()) }
}

extension RunLoopTracer {
  /// Makes a timer that is not in any mode yet.
  ///
  /// - Parameters:
  ///   - name: The name in reports.
  ///   - interval: The seconds between due points; 0 = one-shot.
  ///   - firstFire: The first due point; nil = one interval from now.
  ///   - handler: The callout, called on the thread of the loop that the timer is added to.
  public func timer(
    name: String, interval: CFTimeInterval, firstFire: CFAbsoluteTime? = nil, file: StaticString = #fileID,
    line: UInt = #line, handler: @escaping () -> Void
  ) -> TracedTimer {
    let callout = TimerCallout(recorder, ending: .timerInvalidate, handler: mirrored(name, handler))
    var context = unsafe CFRunLoopTimerContext(
      version: 0, info: Unmanaged.passUnretained(callout).toOpaque(),
      retain: CountedContext.retain, release: CountedContext.release, copyDescription: nil)
    let first = firstFire ?? CFAbsoluteTimeGetCurrent() + interval
    let timer = withExtendedLifetime(callout) {
      unsafe CFRunLoopTimerCreate(
        nil, first, interval, 0, 0,
        { timer, info in
          guard let timer, let info = unsafe info else { return }
          let callout = unsafe Unmanaged<TimerCallout>.fromOpaque(info).takeUnretainedValue()
          callout.fire(timer)
        }, &context)!
    }
    recorder.emit(
      .timerCreate, object: callout.object, UInt64(recorder.string(name)),
      rlt_interval_ns(interval), rlt_interval_ns(CFRunLoopTimerGetTolerance(timer)), timer.dueNs,
      UInt64(recorder.string("\(file):\(line)")))
    return TracedTimer(timer: timer, callout: callout, tracer: self)
  }

  /// Declares a repeating timer a frame source: its due points are the beginnings of frames, and a frame is ready at
  /// the end of its callout. Call it before the timer is added to a mode.
  ///
  /// Reports then show which callout made which frame late. While the timer is valid, stacks are sampled at half its
  /// interval, unless sampling is off.
  public func frames(_ timer: TracedTimer) {
    if let preload { return preload.frames(timer.timer) }
    guard recorder.isRecording else { return }
    recorder.emit(.timerFrames, object: timer.callout.object)
    rlt_follow_frames(timer.callout.object, rlt_interval_ns(CFRunLoopTimerGetInterval(timer.timer)))
  }
}
