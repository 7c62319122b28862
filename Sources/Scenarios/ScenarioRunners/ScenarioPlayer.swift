import Scenario
import SystemSupport

/// Plays a scenario on a loop: creates its items, and performs the steps of its threads.
package final class ScenarioPlayer {
  /// The maximum depth of nested runs. Deeper ones are left out, so that the stack does not overflow.
  private static let depthLimit = 64

  let host: any LoopHost
  let scenario: Scenario
  var timers: [String: LoopItem] = [:]
  var sources: [String: LoopItem] = [:]
  var observers: [String: LoopItem] = [:]
  private var depth = 0
  /// Whether a step ran the loop.
  private var hasRun = false
  /// The number of steps that may still be played. Steps that trigger each other can multiply without end.
  var stepsLeft: Int
  /// Whether no steps are left, on any thread.
  let isExhausted = AtomicFlag()
  /// The number of fixes since the last start, by service.
  private var fixes: [String: Int] = [:]
  private var countdowns: [RunningCountdown] = []
  let shared: Locked<Shared>
  /// Called with a line for each thing that happens, for comparisons.
  private let log: ((String) -> Void)?

  /// The state that the loop's thread shares with the others.
  struct Shared {
    var random: SplitMix64
    /// Whether the scenario is over, so that other threads do nothing more.
    var isOver = false
    /// The number of starts and stops, by service; odd = on.
    var services: [String: Int] = [:]
    /// The number of begins and ends, by task; odd = begun.
    var tasks: [String: Int] = [:]
  }

  package init(
    _ scenario: Scenario, on host: any LoopHost, seed: UInt64 = 0, stepLimit: Int = 100_000_000,
    log: ((String) -> Void)? = nil
  ) {
    shared = Locked(Shared(random: SplitMix64(seed: seed)))
    stepsLeft = stepLimit
    self.scenario = scenario.withGesturesAsItems
    self.host = host
    self.log = log
  }

  /// Creates the items. The times of other threads' actions count from now.
  package func prepare() {
    for mode in scenario.commonModes { host.addCommonMode(mode) }
    for item in scenario.observers {
      let observer = host.makeObserver(item) { [unowned self] activity in
        log?("\(item.name) \(activity.rawValue)")
        play(item.body)
      }
      observers[item.name] = observer
      item.modes.forEach(observer.add)
    }
    for item in scenario.sources {
      add(item) { [unowned self] in callout("source \(item.name)", item.body) }
    }
    for item in scenario.services {
      add(Scenario.Source(name: item.name, modes: item.modes)) { [unowned self] in fix(item) }
    }
    for item in scenario.timers {
      let timer = host.makeTimer(item) { [unowned self] in callout("timer \(item.name)", item.body) }
      timers[item.name] = timer
      item.modes.forEach(timer.add)
    }
    for (place, item) in scenario.countdowns.enumerated() { add(item, place) }
    for moment in scenario.others { schedule(moment, at: moment.atNs) }
  }

  private func add(_ item: Scenario.Countdown, _ place: Int) {
    var timer = Scenario.Timer()
    (timer.name, timer.firstNs, timer.intervalNs) = (item.name, item.everyNs, item.everyNs)
    let made = host.makeTimer(timer) { [unowned self] in
      callout("countdown \(item.name)", [])
      guard countdowns[place].fire(nowNs: clockNs(item)) else { return }
      host.note(.mark("\(item.name) is over"))
      timers[item.name]?.invalidate()
    }
    timers[item.name] = made
    countdowns.append(RunningCountdown(item, nowNs: clockNs(item)))
    item.modes.forEach(made.add)
  }

  private func clockNs(_ item: Scenario.Countdown) -> Int64 {
    item.usesWallClock ? host.wallNs : Int64(clamping: host.nowNs)
  }

  /// Notifies the countdowns, which belong to the loop's thread, that the app returns to the foreground.
  func correctCountdowns() {
    for place in countdowns.indices { countdowns[place].correct(nowNs: clockNs(countdowns[place].item)) }
  }

  private func add(_ item: Scenario.Source, _ perform: @escaping () -> Void) {
    let source = host.makeSource(item, perform)
    sources[item.name] = source
    item.modes.forEach(source.add)
  }

  /// Plays the steps of the loop's thread, from beginning to end.
  package func play() {
    play(scenario.body)
    shared.withLock { $0.isOver = true }
  }

  /// Ends the recording of a loop. A loop that never ran keeps its items, as in a program that forgot to run it.
  func endRecording() { if hasRun { end() } }

  /// Invalidates the items, so that the loop may be used again.
  package func end() {
    for name in scenario.timers.map(\.name) + scenario.countdowns.map(\.name) { timers[name]?.invalidate() }
    for name in scenario.sources.map(\.name) + scenario.services.map(\.name) { sources[name]?.invalidate() }
    for item in scenario.observers { observers[item.name]?.invalidate() }
  }

  // MARK: Other threads

  private func schedule(_ moment: Scenario.Moment, at ns: UInt64) {
    host.at(ns) { [weak self] in
      guard let self, !shared.withLock({ $0.isOver }) else { return }
      log?("other thread")
      for step in moment.body { play(step, isOnLoopsThread: false) }
      let next = ns + moment.everyNs
      if moment.everyNs > 0, next <= moment.untilNs { schedule(moment, at: next) }
    }
  }

  /// Increments a count if it is odd or even, as requested. Returns the new count; nil = unchanged.
  private func count(
    _ path: WritableKeyPath<Shared, [String: Int]>, _ name: String, fromOdd: Bool
  ) -> Int? {
    shared.withLock { shared in
      let count = shared[keyPath: path][name, default: 0]
      guard count.isMultiple(of: 2) != fromOdd else { return nil }
      shared[keyPath: path][name] = count + 1
      return count + 1
    }
  }

  func start(_ item: Scenario.Service) {
    guard let start = count(\.services, item.name, fromOdd: false) else { return }
    fixes[item.name] = 0
    host.note(.serviceStarts(item))
    deliver(item, start: start)
  }

  func halt(_ item: Scenario.Service) {
    if count(\.services, item.name, fromOdd: true) != nil { host.note(.serviceHalts(item)) }
  }

  private func deliver(_ item: Scenario.Service, start: Int) {
    host.at(host.nowNs + item.everyNs) { [weak self] in
      guard let self, shared.withLock({ !$0.isOver && $0.services[item.name] == start }) else { return }
      sources[item.name]?.signal()
      host.wakeUp()
      deliver(item, start: start)
    }
  }

  private func fix(_ item: Scenario.Service) {
    fixes[item.name, default: 0] += 1
    callout("fix of \(item.name)", item.body)
    if fixes[item.name] == item.fixes { play(item.afterFixes) }
  }

  func begin(_ task: Scenario.Task) {
    guard let begin = count(\.tasks, task.name, fromOdd: false) else { return }
    host.note(.taskBegins(task))
    host.at(host.nowNs + task.budgetNs) { [weak self] in
      guard let self else { return }
      let isExpired = shared.withLock { shared in
        guard !shared.isOver, shared.tasks[task.name] == begin else { return false }
        shared.tasks[task.name] = begin + 1
        return true
      }
      guard isExpired else { return }
      host.performOnMainQueue { [weak self] in self?.callout("expiry of \(task.name)", task.onExpiry) }
      host.note(.taskExpires(task))
    }
  }

  func end(_ task: Scenario.Task) {
    if count(\.tasks, task.name, fromOdd: true) != nil { host.note(.taskEnds(task)) }
  }

  // MARK: Steps

  func callout(_ name: String, _ body: [Scenario.Step]) {
    log?(name)
    play(body)
    if !body.isEmpty { log?("end of \(name)") }
  }

  private func play(_ steps: [Scenario.Step]) {
    for step in steps { play(step, isOnLoopsThread: true) }
  }

  func run(_ mode: String, _ forNs: UInt64?, _ returnsAfterSource: Bool) {
    guard depth < Self.depthLimit else {
      log?("too deep")
      return
    }
    depth += 1
    hasRun = true
    defer { depth -= 1 }
    log?("run \(mode)")
    let result = host.run(mode: mode, forNs: forNs, returnsAfterSource: returnsAfterSource)
    log?("result \(result)")
  }
}

extension Scenario {
  /// The scenario with sources in place of gestures. For each gesture, one source enters a nested run when the finger
  /// goes down, one handles the touch events, and one ends the run when the finger lifts. Another thread signals
  /// them.
  var withGesturesAsItems: Scenario {
    guard !gestures.isEmpty else { return self }
    var scenario = self
    scenario.gestures = []
    for (number, gesture) in gestures.enumerated() {
      let suffix = gestures.count > 1 ? " \(number + 1)" : ""
      let down = "finger down" + suffix, touch = "touch events" + suffix, up = "finger up" + suffix
      scenario.sources += [
        Source(
          name: down, modes: [ModeName.default],
          body: [.run(mode: ModeName.tracking, forNs: nil, returnsAfterSource: false)]),
        Source(name: touch, modes: [ModeName.tracking], body: gesture.body),
        Source(name: up, modes: [ModeName.tracking], body: [.stop]),
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
