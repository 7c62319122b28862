import CRLTraceShims
import CoreFoundation
import Foundation
import RunLoopProbe
import Scenario
import SystemSupport

/// The real CFRunLoop of the calling thread, in real time, recorded by the probe.
final class RecordedHost: LoopHost {
  private let tracer: RunLoopTracer
  private let loop: CFRunLoop = CFRunLoopGetCurrent()
  private let startNs = rlt_monotonic_ns()
  private let work: RealWork
  private let others = OtherThreads()
  private let tasks = Locked<[String: BackgroundTaskMark]>([:])
  private let services = Locked<[String: ServiceMark]>([:])

  init(_ tracer: RunLoopTracer, work: RealWork) {
    self.tracer = tracer
    self.work = work
    tracer.observe(loop)
  }

  /// Ends the actions of other threads.
  func end() { others.end() }

  // MARK: Time

  var nowNs: UInt64 { rlt_monotonic_ns() - startNs }
  func spend(_ work: Scenario.Work, ns: UInt64) { self.work.spend(work, ns: ns) }
  func suspend(ns: UInt64) { work.suspend(ns: ns) }
  var wallNs: Int64 { Int64(clamping: rlt_realtime_ns()) }
  /// The clock belongs to the whole system, so commands refuse such scenarios.
  func setClock(byNs: Int64) {}
  func at(_ ns: UInt64, _ body: @escaping () -> Void) { others.at(startNs + ns, body) }

  // MARK: Items

  func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> LoopItem {
    let made = tracer.timer(
      name: timer.name, interval: Double(timer.intervalNs) / 1e9,
      firstFire: CFAbsoluteTimeGetCurrent() + Double(timer.firstNs) / 1e9, handler: callout)
    CFRunLoopTimerSetTolerance(made.timer, Double(timer.toleranceNs) / 1e9)
    if timer.isFrameSource { tracer.frames(made) }
    var item = LoopItem(
      add: { [loop] in made.add(mode: $0, loop: loop) },
      remove: { [loop] in made.remove(mode: $0, loop: loop) },
      invalidate: made.invalidate)
    item.reschedule = { inNs, _ in made.setNextFireDate(CFAbsoluteTimeGetCurrent() + Double(inNs) / 1e9) }
    return item
  }

  func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> LoopItem {
    let made = tracer.source0(name: source.name, order: CFIndex(source.order), perform: perform)
    var item = LoopItem(
      add: { [loop] in made.add(mode: $0, loop: loop) },
      remove: { [loop] in made.remove(mode: $0, loop: loop) },
      invalidate: made.invalidate)
    item.signal = made.signal
    return item
  }

  /// Uses CoreFoundation directly, because the probe records activities, not observers.
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

  // MARK: The loop

  func wakeUp() { tracer.wakeUp(loop) }
  func stop() { tracer.stop(loop: loop) }

  func perform(inModes modes: [String], _ body: @escaping () -> Void) {
    tracer.perform(name: "block", modes: modes, loop: loop, block: body)
  }

  func performOnMainQueue(_ body: @escaping () -> Void) {
    let body = Handed(body)
    tracer.mainQueue(name: "main-queue block") { body.value() }
  }

  func addCommonMode(_ mode: String) { tracer.addCommonMode(mode, loop: loop) }

  func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int {
    Int(
      clamping:
        tracer.run(
          mode: mode, seconds: forNs.map { Double($0) / 1e9 } ?? 1e10,
          returnAfterSourceHandled: returnsAfterSource
        ).rawValue)
  }

  func note(_ note: HostNote) {
    switch note {
    case .mark(let name): tracer.mark(name)
    case .lifeCycle(let phase): tracer.lifeCycle(phase)
    case .state(let name, let value): tracer.state(name, value)
    case .taskBegins(let task):
      let mark = tracer.beginBackgroundTask(name: task.name, budget: Double(task.budgetNs) / 1e9)
      tasks.withLock { $0[task.name] = mark }
    case .taskEnds(let task): tasks.withLock { $0[task.name] }?.end()
    case .taskExpires(let task): tasks.withLock { $0[task.name] }?.expired()
    case .serviceStarts(let service):
      let mark = tracer.beginService(name: service.name)
      services.withLock { $0[service.name] = mark }
    case .serviceHalts(let service): services.withLock { $0[service.name] }?.end()
    }
  }
}

/// A value that is handed over to another thread and not used elsewhere afterwards.
struct Handed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
