import CoreFoundation
import Foundation
import RunLoopProbe
import Scenario

/// The real CFRunLoop of the calling thread as a place for scenarios, over a kernel that the caller gives. Nothing is
/// recorded here.
package final class RealHost: LoopHost {
  private let loop: CFRunLoop = CFRunLoopGetCurrent()
  private let startNs: UInt64
  private let kernel: Kernel

  /// What gives the time, and lets it pass.
  package struct Kernel {
    package var spend: (_ ns: UInt64) -> Void
    /// Calls back at a moment of the monotonic clock, from another thread.
    package var at: (_ ns: UInt64, _ body: @escaping () -> Void) -> Void

    package init(
      spend: @escaping (_ ns: UInt64) -> Void,
      at: @escaping (_ ns: UInt64, _ body: @escaping () -> Void) -> Void
    ) {
      self.spend = spend
      self.at = at
    }
  }

  package init(_ kernel: Kernel) {
    self.kernel = kernel
    startNs = monotonicNs()
  }

  package var nowNs: UInt64 { monotonicNs() - startNs }
  package func spend(_ work: Scenario.Work, ns: UInt64) { kernel.spend(ns) }
  package func suspend(ns: UInt64) { kernel.spend(ns) }
  package func at(_ ns: UInt64, _ body: @escaping () -> Void) { kernel.at(startNs + ns, body) }

  /// What a callback needs; lives as long as the item.
  private final class Closure<Argument> {
    let body: (Argument) -> Void
    init(_ body: @escaping (Argument) -> Void) { self.body = body }
  }

  private func context<Argument>(_ body: @escaping (Argument) -> Void) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Closure(body)).toOpaque()
  }

  package func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> CFRunLoopTimer {
    let made: CFRunLoopTimer = CFRunLoopTimerCreateWithHandler(
      nil, CFAbsoluteTimeGetCurrent() + Double(timer.firstNs) / 1e9, Double(timer.intervalNs) / 1e9, 0, 0
    ) { _ in callout() }
    CFRunLoopTimerSetTolerance(made, Double(timer.toleranceNs) / 1e9)
    return made
  }

  package func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> CFRunLoopSource {
    var context = CFRunLoopSourceContext()
    context.info = self.context { (_: Void) in perform() }
    context.perform = { info in
      Unmanaged<Closure<Void>>.fromOpaque(info!).takeUnretainedValue().body(())
    }
    context.release = { info in
      Unmanaged<Closure<Void>>.fromOpaque(info!).release()
    }
    return CFRunLoopSourceCreate(nil, CFIndex(source.order), &context)
  }

  package func makeObserver(
    _ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void
  ) -> CFRunLoopObserver {
    CFRunLoopObserverCreateWithHandler(
      nil, CFOptionFlags(observer.activities.reduce(0) { $0 | $1.rawValue }), observer.repeats,
      CFIndex(observer.order)
    ) { _, activity in Activity(rawValue: UInt(activity.rawValue)).map(callout) }
  }

  package func add(_ timer: CFRunLoopTimer, to mode: String) { CFRunLoopAddTimer(loop, timer, CF.mode(mode)) }
  package func add(_ source: CFRunLoopSource, to mode: String) {
    CFRunLoopAddSource(loop, source, CF.mode(mode))
  }
  package func add(_ observer: CFRunLoopObserver, to mode: String) {
    CFRunLoopAddObserver(loop, observer, CF.mode(mode))
  }
  package func remove(_ timer: CFRunLoopTimer, from mode: String) {
    CFRunLoopRemoveTimer(loop, timer, CF.mode(mode))
  }
  package func remove(_ source: CFRunLoopSource, from mode: String) {
    CFRunLoopRemoveSource(loop, source, CF.mode(mode))
  }
  package func remove(_ observer: CFRunLoopObserver, from mode: String) {
    CFRunLoopRemoveObserver(loop, observer, CF.mode(mode))
  }
  package func invalidate(_ timer: CFRunLoopTimer) { CFRunLoopTimerInvalidate(timer) }
  package func invalidate(_ source: CFRunLoopSource) { CFRunLoopSourceInvalidate(source) }
  package func invalidate(_ observer: CFRunLoopObserver) { CFRunLoopObserverInvalidate(observer) }
  package func signal(_ source: CFRunLoopSource) { CFRunLoopSourceSignal(source) }

  package func reschedule(_ timer: CFRunLoopTimer, inNs: Int64, isOnLoopsThread: Bool) {
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + Double(inNs) / 1e9)
  }

  package func wakeUp() { CFRunLoopWakeUp(loop) }
  package func stop() { CFRunLoopStop(loop) }

  package func perform(inModes modes: [String], _ body: @escaping () -> Void) {
    if modes.count == 1 {
      CFRunLoopPerformBlock(loop, CF.mode(modes[0]), body)
    } else {
      CFRunLoopPerformBlock(loop, modes.map { CF.mode($0) } as NSArray, body)
    }
  }

  package func performOnMainQueue(_ body: @escaping () -> Void) {
    let block = UncheckedBody(body)
    DispatchQueue.main.async { block.body() }
  }

  package func addCommonMode(_ mode: String) { CFRunLoopAddCommonMode(loop, CF.mode(mode)) }

  package func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int {
    Int(
      CFRunLoopRunInMode(CF.mode(mode), forNs.map { Double($0) / 1e9 } ?? 1e10, returnsAfterSource).rawValue)
  }

  package func note(_ note: HostNote) {}
}

/// Handed to the loop's own thread.
private struct UncheckedBody: @unchecked Sendable {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// CLOCK_MONOTONIC.
func monotonicNs() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
