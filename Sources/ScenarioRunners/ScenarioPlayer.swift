import Scenario

/// Plays a scenario on a loop: makes its items, and does what its threads do.
package final class ScenarioPlayer<Host: LoopHost> {
  private let host: Host
  private let scenario: Scenario
  private var timers: [String: Host.Timer] = [:]
  private var sources: [String: Host.Source] = [:]
  private var observers: [String: Host.Observer] = [:]
  /// Runs inside runs: deeper ones are left out, before the stack ends.
  private static var depthLimit: Int { 64 }
  private var depth = 0
  /// Told what happens, after it was noticed: for comparisons.
  private let log: ((String) -> Void)?

  package init(_ scenario: Scenario, on host: Host, log: ((String) -> Void)? = nil) {
    self.scenario = scenario
    self.host = host
    self.log = log
  }

  /// Makes the items. Others' moments are due from now on.
  package func prepare() {
    for mode in scenario.commonModes { host.addCommonMode(mode) }
    for item in scenario.observers {
      let observer = host.makeObserver(item) { [unowned self] activity in
        log?("\(item.name) \(activity.rawValue)")
        play(item.body)
      }
      observers[item.name] = observer
      for mode in item.modes { host.add(observer, to: mode) }
    }
    for item in scenario.sources {
      let source = host.makeSource(item) { [unowned self] in callout("source \(item.name)", item.body) }
      sources[item.name] = source
      for mode in item.modes { host.add(source, to: mode) }
    }
    for item in scenario.timers {
      let timer = host.makeTimer(item) { [unowned self] in callout("timer \(item.name)", item.body) }
      timers[item.name] = timer
      for mode in item.modes { host.add(timer, to: mode) }
    }
  }

  /// Does what the loop's thread does.
  package func play() { play(scenario.body) }

  /// Does what another thread does at a moment.
  package func play(_ moment: Scenario.Moment) {
    log?("other thread")
    for step in moment.body { play(step, isOnLoopsThread: false) }
  }

  private func callout(_ name: String, _ body: [Scenario.Step]) {
    log?(name)
    play(body)
    if !body.isEmpty { log?("end of \(name)") }
  }

  private func play(_ steps: [Scenario.Step]) {
    for step in steps { play(step, isOnLoopsThread: true) }
  }

  private func play(_ step: Scenario.Step, isOnLoopsThread: Bool) {
    switch step {
    case .work(let work, let ns): host.spend(work, ns: ns)
    case .run(let mode, let forNs, let returnsAfterSource):
      guard depth < Self.depthLimit else {
        log?("too deep")
        return
      }
      depth += 1
      defer { depth -= 1 }
      log?("run \(mode)")
      let result = host.run(mode: mode, forNs: forNs, returnsAfterSource: returnsAfterSource)
      log?("result \(result)")
    case .signal(let name): sources[name].map(host.signal)
    case .wakeUp: host.wakeUp()
    case .stop: host.stop()
    case .perform(let modes, let body):
      host.perform(inModes: modes) { [unowned self] in callout("block", body) }
    case .main(let body): host.performOnMainQueue { [unowned self] in callout("main block", body) }
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
    case .mark(let name): host.mark(name)
    }
  }
}
