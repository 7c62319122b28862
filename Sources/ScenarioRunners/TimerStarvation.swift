import CoreFoundation
import Foundation
import RunLoopProbe
import Synchronization

/// The experiment of a scroll view that starves a timer, on the real run loop of the calling thread.
///
/// Three timers of the same interval stand in the default mode only, in default and tracking, and in the common
/// modes. A second thread plays the finger: at 60 Hz it signals a source0 and wakes the loop. The first event of
/// the gesture is handled in the default mode and, as a scroll view does, enters a nested run in the tracking
/// mode that lasts until the finger lifts.
public struct TimerStarvation: Sendable {
  /// The parts of the experiment, in order.
  public enum Phase: String, Sendable, CaseIterable { case before, tracking, after }

  /// How long each part lasts, seconds.
  public var before = 1.0
  public var tracking = 2.0
  public var after = 1.0
  /// Seconds between due points of each timer.
  public var interval = 0.010
  /// Seconds of work in each scroll event, as layout and drawing cost.
  public var scrollWork = 0.002
  /// Seconds of work in each timer callout.
  public var timerWork = 0.0001

  /// All parts `scale` times as long.
  public init(scale: Double = 1) {
    before *= scale
    tracking *= scale
    after *= scale
  }

  public var duration: Double { before + tracking + after }

  /// Runs the experiment. `progress` is told each part as it begins, on the calling thread.
  public func run(_ tracer: RunLoopTracer, progress: @escaping (Phase) -> Void) {
    let loop: CFRunLoop = CFRunLoopGetCurrent()
    tracer.addCommonMode(ModeName.tracking)
    let timers = makeTimers(tracer)
    let gesture = Gesture(tracer: tracer, loop: Guard(loop), scrollWork: scrollWork)
    gesture.touches.add(mode: ModeName.common)

    progress(.before)
    tracer.mark("before tracking")
    tracer.run(seconds: before)
    progress(.tracking)
    tracer.mark("finger down")
    gesture.start(seconds: tracking)
    // Ends when the gesture's nested run has ended and its stop reaches this run.
    tracer.run(seconds: tracking + 10)
    progress(.after)
    tracer.mark("finger up")
    tracer.run(seconds: after)

    for timer in timers { timer.invalidate() }
    gesture.touches.invalidate()
  }

  private func makeTimers(_ tracer: RunLoopTracer) -> [TracedTimer] {
    let plans: [(name: String, modes: [String])] = [
      ("refresh (default only)", [ModeName.default]),
      ("refresh (default + tracking)", [ModeName.default, ModeName.tracking]),
      ("refresh (common)", [ModeName.common]),
    ]
    let start = CFAbsoluteTimeGetCurrent() + interval
    return plans.enumerated().map { number, plan in
      // A third of an interval apart, so that no timer is late because of its twin.
      let first = start + interval * Double(number) / Double(plans.count)
      let work = timerWork
      let timer = tracer.timer(name: plan.name, interval: interval, firstFire: first) { spin(seconds: work) }
      for mode in plan.modes { timer.add(mode: mode) }
      return timer
    }
  }
}

/// Run loops are guarded by CoreFoundation's own lock.
private struct Guard: @unchecked Sendable {
  let loop: CFRunLoop
  init(_ loop: CFRunLoop) { self.loop = loop }
}

/// A finger on another thread, and the scroll view that follows it.
private final class Gesture: @unchecked Sendable {
  private let tracer: RunLoopTracer
  private let loop: Guard
  private let scrollWork: Double
  private let isDown = Atomic(false)
  /// Touched by the loop's thread only.
  private var isTracking = false
  private(set) var touches: TracedSource!

  init(tracer: RunLoopTracer, loop: Guard, scrollWork: Double) {
    self.tracer = tracer
    self.loop = loop
    self.scrollWork = scrollWork
    touches = tracer.source0(name: "touch events") { [unowned self] in handleTouch() }
  }

  /// Signals at 60 Hz for `seconds`, then lifts the finger.
  func start(seconds: Double) {
    isDown.store(true, ordering: .releasing)
    let finger = Thread { [self] in
      Thread.current.name = "finger"
      let end = Date().addingTimeInterval(seconds)
      while Date() < end {
        touch()
        Thread.sleep(forTimeInterval: 1.0 / 60)
      }
      isDown.store(false, ordering: .releasing)
      touch()
    }
    finger.start()
  }

  private func touch() {
    touches.signal()
    tracer.wakeUp(loop.loop)
  }

  private func handleTouch() {
    guard isDown.load(ordering: .acquiring) else {
      // The finger lifted: ends the tracking run if there is one, else the run below it.
      tracer.stop(loop: loop.loop)
      return
    }
    guard !isTracking else {
      spin(seconds: scrollWork)
      return
    }
    isTracking = true
    tracer.run(mode: ModeName.tracking, seconds: 1e10)
    isTracking = false
    tracer.stop(loop: loop.loop)
  }
}

/// Keeps the processor busy.
private func spin(seconds: Double) {
  var now = timespec()
  func nanoseconds() -> UInt64 {
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
  let end = nanoseconds() + UInt64(seconds * 1e9)
  while nanoseconds() < end {}
}
