import RunLoopModel
import Scenario

/// The model as a place for scenarios.
package final class ModelHost: LoopHost {
  package let loop: ModelRunLoop
  private let clock: VirtualClock
  /// When the scenario began, on the loop's clock.
  let startNs: UInt64

  package init(_ loop: ModelRunLoop) {
    self.loop = loop
    clock = loop.clock
    startNs = clock.now
  }

  package var nowNs: UInt64 { clock.now - startNs }
  package func spend(_ work: Scenario.Work, ns: UInt64) { clock.advance(by: ns) }
  package func suspend(ns: UInt64) { clock.jump(by: ns) }
  package func at(_ ns: UInt64, _ body: @escaping () -> Void) {
    clock.schedule(at: startNs + ns, .action, body)
  }

  package func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> ModelTimer {
    ModelTimer(
      fireDate: clock.absoluteTime + Double(timer.firstNs) / 1e9, interval: Double(timer.intervalNs) / 1e9,
      clock: clock
    ) { _ in callout() }
  }

  package func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> ModelSource0 {
    ModelSource0(order: source.order, perform: perform)
  }

  package func makeObserver(
    _ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void
  ) -> ModelObserver {
    ModelObserver(
      activities: observer.activities.reduce(0) { $0 | $1.rawValue }, order: observer.order,
      repeats: observer.repeats, callout: callout)
  }

  package func add(_ timer: ModelTimer, to mode: String) { loop.add(timer, to: mode) }
  package func add(_ source: ModelSource0, to mode: String) { loop.add(source, to: mode) }
  package func add(_ observer: ModelObserver, to mode: String) { loop.add(observer, to: mode) }
  package func remove(_ timer: ModelTimer, from mode: String) { loop.remove(timer, from: mode) }
  package func remove(_ source: ModelSource0, from mode: String) { loop.remove(source, from: mode) }
  package func remove(_ observer: ModelObserver, from mode: String) { loop.remove(observer, from: mode) }
  package func invalidate(_ timer: ModelTimer) { loop.invalidate(timer) }
  package func invalidate(_ source: ModelSource0) { loop.invalidate(source) }
  package func invalidate(_ observer: ModelObserver) { loop.invalidate(observer) }
  package func signal(_ source: ModelSource0) { loop.signal(source) }

  package func reschedule(_ timer: ModelTimer, inNs: Int64, isOnLoopsThread: Bool) {
    loop.setNextFireDate(
      timer, clock.absoluteTime + Double(inNs) / 1e9, isOnLoopsThread: isOnLoopsThread)
  }

  package func wakeUp() { loop.wakeUp() }
  package func stop() { loop.stop() }
  package func perform(inModes modes: [String], _ body: @escaping () -> Void) {
    loop.perform(inModes: Set(modes), body)
  }
  package func performOnMainQueue(_ body: @escaping () -> Void) { loop.mainQueue?.async(body) }
  package func addCommonMode(_ mode: String) { loop.addCommonMode(mode) }

  package func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int {
    loop.run(
      mode: mode, seconds: forNs.map { Double($0) / 1e9 } ?? 1e10,
      returnAfterSourceHandled: returnsAfterSource
    ).rawValue
  }

  package func note(_ note: HostNote) {}
}
