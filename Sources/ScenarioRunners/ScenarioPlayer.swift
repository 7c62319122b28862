import Scenario

/// Plays a scenario on a loop: makes its items, and does what its threads do.
package final class ScenarioPlayer<Host: LoopHost> {
  /// Runs inside runs: deeper ones are left out, before the stack ends.
  private static var depthLimit: Int { 64 }

  private let host: Host
  private let scenario: Scenario
  private var timers: [String: Host.Timer] = [:]
  private var sources: [String: Host.Source] = [:]
  private var observers: [String: Host.Observer] = [:]
  private var services: [String: ServiceState] = [:]
  /// By task: how often it began and ended; odd = begun.
  private var tasks: [String: Int] = [:]
  private var depth = 0
  /// Steps that may still be played. Steps that call for each other can multiply without end.
  private var stepsLeft: Int
  /// The scenario is over: other threads do nothing more.
  private var isOver = false
  /// Told what happens, after it was noticed: for comparisons.
  private let log: ((String) -> Void)?

  private struct ServiceState {
    var isOn = false
    var starts = 0
    var fixes = 0
  }

  package init(
    _ scenario: Scenario, on host: Host, stepLimit: Int = 100_000_000, log: ((String) -> Void)? = nil
  ) {
    stepsLeft = stepLimit
    self.scenario = scenario.withGesturesAsItems
    self.host = host
    self.log = log
  }

  /// Makes the items. Others' moments come from now on.
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
      add(item) { [unowned self] in callout("source \(item.name)", item.body) }
    }
    for item in scenario.services {
      services[item.name] = ServiceState()
      add(Scenario.Source(name: item.name, modes: item.modes)) { [unowned self] in fix(item) }
    }
    for item in scenario.timers {
      let timer = host.makeTimer(item) { [unowned self] in callout("timer \(item.name)", item.body) }
      timers[item.name] = timer
      for mode in item.modes { host.add(timer, to: mode) }
    }
    for moment in scenario.others { schedule(moment, at: moment.atNs) }
  }

  private func add(_ item: Scenario.Source, _ perform: @escaping () -> Void) {
    let source = host.makeSource(item, perform)
    sources[item.name] = source
    for mode in item.modes { host.add(source, to: mode) }
  }

  /// Does what the loop's thread does, from beginning to end.
  package func play() {
    play(scenario.body)
    isOver = true
  }

  /// Takes the items away: the loop may be used again.
  package func end() {
    for item in scenario.timers { timers[item.name].map(host.invalidate) }
    for name in scenario.sources.map(\.name) + scenario.services.map(\.name) { sources[name].map(host.invalidate) }
    for item in scenario.observers { observers[item.name].map(host.invalidate) }
  }

  // MARK: Other threads

  private func schedule(_ moment: Scenario.Moment, at ns: UInt64) {
    host.at(ns) { [weak self] in
      guard let self, !isOver else { return }
      log?("other thread")
      for step in moment.body { play(step, isOnLoopsThread: false) }
      let next = ns + moment.everyNs
      if moment.everyNs > 0, next <= moment.untilNs { schedule(moment, at: next) }
    }
  }

  private func start(_ item: Scenario.Service) {
    guard services[item.name]?.isOn == false else { return }
    services[item.name]?.isOn = true
    services[item.name]?.fixes = 0
    services[item.name]?.starts += 1
    deliver(item, start: services[item.name]?.starts ?? 0)
  }

  private func deliver(_ item: Scenario.Service, start: Int) {
    host.at(host.nowNs + item.everyNs) { [weak self] in
      guard let self, !isOver, services[item.name]?.isOn == true, services[item.name]?.starts == start else {
        return
      }
      sources[item.name].map(host.signal)
      host.wakeUp()
      deliver(item, start: start)
    }
  }

  private func fix(_ item: Scenario.Service) {
    services[item.name]?.fixes += 1
    callout("fix of \(item.name)", item.body)
    if services[item.name]?.fixes == item.fixes { play(item.afterFixes) }
  }

  private func begin(_ task: Scenario.Task) {
    guard tasks[task.name, default: 0].isMultiple(of: 2) else { return }
    tasks[task.name, default: 0] += 1
    let begin = tasks[task.name]
    host.note(.taskBegins(task))
    host.at(host.nowNs + task.budgetNs) { [weak self] in
      guard let self, !isOver, tasks[task.name] == begin else { return }
      tasks[task.name, default: 0] += 1
      host.note(.taskExpires(task))
      host.performOnMainQueue { [weak self] in self?.callout("expiry of \(task.name)", task.onExpiry) }
    }
  }

  private func end(_ task: Scenario.Task) {
    guard !tasks[task.name, default: 0].isMultiple(of: 2) else { return }
    tasks[task.name, default: 0] += 1
    host.note(.taskEnds(task))
  }

  // MARK: Steps

  private func callout(_ name: String, _ body: [Scenario.Step]) {
    log?(name)
    play(body)
    if !body.isEmpty { log?("end of \(name)") }
  }

  private func play(_ steps: [Scenario.Step]) {
    for step in steps { play(step, isOnLoopsThread: true) }
  }

  private func play(_ step: Scenario.Step, isOnLoopsThread: Bool) {
    guard stepsLeft > 0 else { return }
    stepsLeft -= 1
    switch step {
    case .work(let work, let ns): host.spend(work, ns: ns)
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
    case .halt(let name): services[name]?.isOn = false
    }
  }

  private func run(_ mode: String, _ forNs: UInt64?, _ returnsAfterSource: Bool) {
    guard depth < Self.depthLimit else {
      log?("too deep")
      return
    }
    depth += 1
    defer { depth -= 1 }
    log?("run \(mode)")
    let result = host.run(mode: mode, forNs: forNs, returnsAfterSource: returnsAfterSource)
    log?("result \(result)")
  }
}

extension Scenario {
  /// A gesture is a source that enters a nested run when the finger goes down, one for the touch events, and one that
  /// ends the run when the finger lifts; another thread signals them.
  var withGesturesAsItems: Scenario {
    guard !gestures.isEmpty else { return self }
    var scenario = self
    scenario.gestures = []
    for (number, gesture) in gestures.enumerated() {
      let suffix = gestures.count > 1 ? " \(number + 1)" : ""
      let down = "finger down" + suffix, touch = "touch events" + suffix, up = "finger up" + suffix
      scenario.sources += [
        Source(
          name: down, modes: [Scenario.defaultMode],
          body: [.run(mode: Scenario.trackingMode, forNs: nil, returnsAfterSource: false)]),
        Source(name: touch, modes: [Scenario.trackingMode], body: gesture.body),
        Source(name: up, modes: [Scenario.trackingMode], body: [.stop]),
      ]
      let end = gesture.atNs + gesture.forNs
      scenario.others += [
        Moment(atNs: gesture.atNs, body: [.signal(down), .wakeUp]),
        Moment(
          atNs: gesture.atNs + gesture.everyNs, everyNs: gesture.everyNs, untilNs: end - 1,
          body: [.signal(touch), .wakeUp]),
        Moment(atNs: end, body: [.signal(up), .wakeUp]),
      ]
    }
    return scenario
  }
}
