import CRLTraceShims
import CoreFoundation
import Foundation
import RunLoopProbe
import Scenario
import ScenarioRunners

/// A host that plays scenarios on the real CFRunLoop of the calling thread, with a kernel from the caller. It does
/// not record.
final class RealHost: LoopHost {
  private let loop: CFRunLoop = CFRunLoopGetCurrent()
  private let startNs: UInt64
  private let kernel: Kernel

  /// The functions that spend time.
  struct Kernel {
    var spend: (_ ns: UInt64) -> Void
    /// Calls `body` at a time of the monotonic clock, on another thread.
    var at: (_ ns: UInt64, _ body: @escaping () -> Void) -> Void

    init(
      spend: @escaping (_ ns: UInt64) -> Void,
      at: @escaping (_ ns: UInt64, _ body: @escaping () -> Void) -> Void
    ) {
      self.spend = spend
      self.at = at
    }
  }

  init(_ kernel: Kernel) {
    self.kernel = kernel
    startNs = rlt_monotonic_ns()
  }

  var nowNs: UInt64 { rlt_monotonic_ns() - startNs }
  func spend(_ work: Scenario.Work, ns: UInt64) { kernel.spend(ns) }
  func suspend(ns: UInt64) { kernel.spend(ns) }
  var wallNs: Int64 { Int64(clamping: rlt_realtime_ns()) }
  func setClock(byNs: Int64) {}
  func at(_ ns: UInt64, _ body: @escaping () -> Void) { kernel.at(startNs + ns, body) }

  /// The closure of a callback. It lives as long as the item.
  private final class Closure<Argument> {
    let body: (Argument) -> Void
    init(_ body: @escaping (Argument) -> Void) { self.body = body }
  }

  private func context<Argument>(_ body: @escaping (Argument) -> Void) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Closure(body)).toOpaque()
  }

  func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> LoopItem {
    let made: CFRunLoopTimer = CFRunLoopTimerCreateWithHandler(
      nil, CFAbsoluteTimeGetCurrent() + Double(timer.firstNs) / 1e9, Double(timer.intervalNs) / 1e9, 0, 0
    ) { _ in callout() }
    CFRunLoopTimerSetTolerance(made, Double(timer.toleranceNs) / 1e9)
    var item = LoopItem(
      add: { [loop] in CFRunLoopAddTimer(loop, made, CF.mode($0)) },
      remove: { [loop] in CFRunLoopRemoveTimer(loop, made, CF.mode($0)) },
      invalidate: { CFRunLoopTimerInvalidate(made) })
    item.reschedule = { inNs, _ in
      CFRunLoopTimerSetNextFireDate(made, CFAbsoluteTimeGetCurrent() + Double(inNs) / 1e9)
    }
    return item
  }

  func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> LoopItem {
    var context = CFRunLoopSourceContext()
    context.info = self.context { (_: Void) in perform() }
    context.perform = { info in
      Unmanaged<Closure<Void>>.fromOpaque(info!).takeUnretainedValue().body(())
    }
    context.release = { info in
      Unmanaged<Closure<Void>>.fromOpaque(info!).release()
    }
    let made: CFRunLoopSource = CFRunLoopSourceCreate(nil, CFIndex(source.order), &context)
    var item = LoopItem(
      add: { [loop] in CFRunLoopAddSource(loop, made, CF.mode($0)) },
      remove: { [loop] in CFRunLoopRemoveSource(loop, made, CF.mode($0)) },
      invalidate: { CFRunLoopSourceInvalidate(made) })
    item.signal = { CFRunLoopSourceSignal(made) }
    return item
  }

  func makeObserver(_ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void) -> LoopItem {
    let made: CFRunLoopObserver = CFRunLoopObserverCreateWithHandler(
      nil, CFOptionFlags(observer.activities.reduce(0) { $0 | $1.rawValue }), observer.repeats,
      CFIndex(observer.order)
    ) { _, activity in Activity(rawValue: UInt(activity.rawValue)).map(callout) }
    return LoopItem(
      add: { [loop] in CFRunLoopAddObserver(loop, made, CF.mode($0)) },
      remove: { [loop] in CFRunLoopRemoveObserver(loop, made, CF.mode($0)) },
      invalidate: { CFRunLoopObserverInvalidate(made) })
  }

  func wakeUp() { CFRunLoopWakeUp(loop) }
  func stop() { CFRunLoopStop(loop) }

  func perform(inModes modes: [String], _ body: @escaping () -> Void) {
    if modes.count == 1 {
      CFRunLoopPerformBlock(loop, CF.mode(modes[0]), body)
    } else {
      CFRunLoopPerformBlock(loop, modes.map { CF.mode($0) } as NSArray, body)
    }
  }

  func performOnMainQueue(_ body: @escaping () -> Void) {
    let block = UncheckedBody(body)
    DispatchQueue.main.async { block.body() }
  }

  func addCommonMode(_ mode: String) { CFRunLoopAddCommonMode(loop, CF.mode(mode)) }

  func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int {
    Int(
      CFRunLoopRunInMode(CF.mode(mode), forNs.map { Double($0) / 1e9 } ?? 1e10, returnsAfterSource).rawValue)
  }

  func note(_ note: HostNote) {}
}

/// A body that is handed to the loop's own thread.
private struct UncheckedBody: @unchecked Sendable {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}
