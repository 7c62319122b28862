import Scenario

/// A run loop that scenarios run on, the real one or the model: what steps ask of it, and how each is played there.
///
/// Items are handles of its own. Everything is called on the loop's thread, or by `at` on another one.
package protocol LoopHost: AnyObject {
  associatedtype Timer
  associatedtype Source
  associatedtype Observer

  /// Nanoseconds since the scenario began.
  var nowNs: UInt64 { get }
  /// Lets time pass on the calling thread.
  func spend(_ work: Scenario.Work, ns: UInt64)
  /// The whole process is stopped.
  func suspend(ns: UInt64)
  /// Another thread calls `body` when the scenario is `ns` old; what is called so is called in order, one at a time.
  func at(_ ns: UInt64, _ body: @escaping () -> Void)

  /// The first due point is `firstNs` from now.
  func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> Timer
  func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> Source
  func makeObserver(_ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void)
    -> Observer

  func add(_ timer: Timer, to mode: String)
  func add(_ source: Source, to mode: String)
  func add(_ observer: Observer, to mode: String)
  func remove(_ timer: Timer, from mode: String)
  func remove(_ source: Source, from mode: String)
  func remove(_ observer: Observer, from mode: String)
  func invalidate(_ timer: Timer)
  func invalidate(_ source: Source)
  func invalidate(_ observer: Observer)

  func signal(_ source: Source)
  func reschedule(_ timer: Timer, inNs: Int64, isOnLoopsThread: Bool)
  func wakeUp()
  func stop()
  func perform(inModes modes: [String], _ body: @escaping () -> Void)
  func performOnMainQueue(_ body: @escaping () -> Void)
  func addCommonMode(_ mode: String)
  /// Returns CFRunLoopRunResult.
  func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int

  /// The program says something about itself.
  func note(_ note: HostNote)
}

/// What the program says about itself.
package enum HostNote {
  case mark(String)
  case lifeCycle(LifePhase)
  case taskBegins(Scenario.Task)
  case taskEnds(Scenario.Task)
  case taskExpires(Scenario.Task)
  case serviceStarts(Scenario.Service)
  case serviceHalts(Scenario.Service)
}

extension ScenarioPlayer {
  func play(_ step: Scenario.Step, isOnLoopsThread: Bool) {
    guard stepsLeft > 0 else { return }
    if isOnLoopsThread { stepsLeft -= 1 }
    switch step {
    case .work(let work, let ns): host.spend(work, ns: ns)
    case .someWork(let work, let range):
      host.spend(work, ns: shared.withLock { UInt64.random(in: range, using: &$0.random) })
    case .run(let mode, let forNs, let returnsAfterSource):
      if isOnLoopsThread { run(mode, forNs, returnsAfterSource) }
    case .signal(let name): sources[name].map(host.signal)
    case .wakeUp: host.wakeUp()
    case .stop: host.stop()
    case .perform(let modes, let body):
      host.perform(inModes: modes) { [unowned self] in callout("block", body) }
    case .main(let body): host.performOnMainQueue { [weak self] in self?.callout("main block", body) }
    case .add(let name, let modes):
      for mode in modes {
        timers[name].map { host.add($0, to: mode) }
        sources[name].map { host.add($0, to: mode) }
        observers[name].map { host.add($0, to: mode) }
      }
    case .remove(let name, let modes):
      for mode in modes {
        timers[name].map { host.remove($0, from: mode) }
        sources[name].map { host.remove($0, from: mode) }
        observers[name].map { host.remove($0, from: mode) }
      }
    case .invalidate(let name):
      timers[name].map(host.invalidate)
      sources[name].map(host.invalidate)
      observers[name].map(host.invalidate)
    case .reschedule(let name, let ns):
      timers[name].map { host.reschedule($0, inNs: ns, isOnLoopsThread: isOnLoopsThread) }
    case .addCommonMode(let mode): host.addCommonMode(mode)
    case .mark(let name): host.note(.mark(name))
    case .lifeCycle(let phase): host.note(.lifeCycle(phase))
    case .suspend(let ns): host.suspend(ns: ns)
    case .beginTask(let name): scenario.tasks.first { $0.name == name }.map(begin)
    case .endTask(let name): scenario.tasks.first { $0.name == name }.map(end)
    case .start(let name): scenario.services.first { $0.name == name }.map(start)
    case .halt(let name): scenario.services.first { $0.name == name }.map(halt)
    }
  }
}
