import Scenario

/// A run loop on which scenarios run, the real one or the model: the operations that steps need.
///
/// All calls come on the loop's thread, or through `at` on another one.
package protocol LoopHost: AnyObject {
  /// The nanoseconds since the scenario began.
  var nowNs: UInt64 { get }
  /// Lets time pass on the calling thread.
  func spend(_ work: Scenario.Work, ns: UInt64)
  /// Stops the whole process for a time.
  func suspend(ns: UInt64)
  /// The time of the wall clock.
  var wallNs: Int64 { get }
  /// Sets the wall clock forward, or back. Does nothing on a real system.
  func setClock(byNs: Int64)
  /// Makes another thread call `body` `ns` after the scenario began. Such calls come in order, one at a time.
  func at(_ ns: UInt64, _ body: @escaping () -> Void)

  /// Creates a timer whose first due point is `firstNs` from now.
  func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> LoopItem
  func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> LoopItem
  func makeObserver(_ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void) -> LoopItem

  func wakeUp()
  func stop()
  func perform(inModes modes: [String], _ body: @escaping () -> Void)
  func performOnMainQueue(_ body: @escaping () -> Void)
  func addCommonMode(_ mode: String)
  /// Runs the loop. Returns a CFRunLoopRunResult.
  func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int

  /// Records a statement that the program makes about itself.
  func note(_ note: HostNote)
}

/// A timer, source or observer of a host, as a set of operations.
package struct LoopItem {
  package let add: (_ mode: String) -> Void
  package let remove: (_ mode: String) -> Void
  package let invalidate: () -> Void
  /// For a source.
  package var signal: () -> Void = {}
  /// For a timer.
  package var reschedule: (_ inNs: Int64, _ isOnLoopsThread: Bool) -> Void = { _, _ in }

  package init(
    add: @escaping (_ mode: String) -> Void, remove: @escaping (_ mode: String) -> Void,
    invalidate: @escaping () -> Void
  ) {
    self.add = add
    self.remove = remove
    self.invalidate = invalidate
  }
}

/// A statement that the program makes about itself.
package enum HostNote {
  case mark(String)
  case lifeCycle(LifePhase)
  /// An empty value ends the state.
  case state(String, value: String)
  case taskBegins(Scenario.Task)
  case taskEnds(Scenario.Task)
  case taskExpires(Scenario.Task)
  case serviceStarts(Scenario.Service)
  case serviceHalts(Scenario.Service)
}

extension ScenarioPlayer {
  func play(_ step: Scenario.Step, isOnLoopsThread: Bool) {
    guard !isExhausted.isSet else { return }
    if isOnLoopsThread {
      stepsLeft -= 1
      if stepsLeft == 0 { isExhausted.isSet = true }
    }
    switch step {
    case .work(let work, let ns): host.spend(work, ns: ns)
    case .someWork(let work, let range):
      host.spend(work, ns: shared.withLock { UInt64.random(in: range, using: &$0.random) })
    case .run(let mode, let forNs, let returnsAfterSource):
      if isOnLoopsThread { run(mode, forNs, returnsAfterSource) }
    case .signal(let name): sources[name]?.signal()
    case .wakeUp: host.wakeUp()
    case .stop: host.stop()
    case .perform(let modes, let body):
      host.perform(inModes: modes) { [unowned self] in callout("block", body) }
    case .main(let body): host.performOnMainQueue { [weak self] in self?.callout("main block", body) }
    case .add(let name, let modes): for mode in modes { items(name).forEach { $0.add(mode) } }
    case .remove(let name, let modes): for mode in modes { items(name).forEach { $0.remove(mode) } }
    case .invalidate(let name): items(name).forEach { $0.invalidate() }
    case .reschedule(let name, let ns): timers[name]?.reschedule(ns, isOnLoopsThread)
    case .addCommonMode(let mode): host.addCommonMode(mode)
    case .mark(let name): host.note(.mark(name))
    case .state(let name, let value): host.note(.state(name, value: value))
    case .lifeCycle(let phase):
      host.note(.lifeCycle(phase))
      if phase == .foreground, isOnLoopsThread { correctCountdowns() }
    case .suspend(let ns): host.suspend(ns: ns)
    case .setClock(let ns): host.setClock(byNs: ns)
    case .beginTask(let name): scenario.tasks.first { $0.name == name }.map(begin)
    case .endTask(let name): scenario.tasks.first { $0.name == name }.map(end)
    case .start(let name): scenario.services.first { $0.name == name }.map(start)
    case .halt(let name): scenario.services.first { $0.name == name }.map(halt)
    }
  }

  private func items(_ name: String) -> [LoopItem] {
    [timers[name], sources[name], observers[name]].compactMap(\.self)
  }
}
