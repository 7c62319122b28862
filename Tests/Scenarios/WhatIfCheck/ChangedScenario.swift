import Scenario
import TestSupport
import WhatIf

/// A random change to a scenario: as the text of `--do`, and as the scenario of a program with that change.
package struct ChangedScenario {
  package private(set) var texts: [String] = []
  package private(set) var scenario: Scenario
  private let original: Scenario
  private var random: SeededGenerator

  /// Makes one or two changes; none if the scenario has nothing to change.
  package init(_ scenario: Scenario, seed: UInt64) {
    original = scenario
    self.scenario = scenario
    random = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 7)
    for _ in 0..<(random.oneIn(4) ? 2 : 1) { change() }
  }

  private mutating func change() {
    switch random.next() % 8 {
    case 0, 1: moveTimer()
    case 2: changeInterval()
    case 3, 4, 5: changeLength()
    case 6: remove()
    default: split()
    }
  }

  private var changedNames: Set<String> = []

  /// Picks an item that has no change yet.
  private mutating func pick(_ names: [String]) -> String? {
    let free = names.filter { !changedNames.contains($0) }
    guard !free.isEmpty else { return nil }
    let name = random.pick(free)
    changedNames.insert(name)
    return name
  }

  private mutating func moveTimer() {
    guard let name = pick(scenario.timers.map(\.name)) else { return }
    let mode = random.pick([
      ModeName.common, ModeName.default, ModeName.tracking, "another mode", "a new mode",
    ])
    let isOther = random.oneIn(3)
    texts.append(
      "timer \(name) \(isOther ? "also " : "")in \(mode == ModeName.common && random.oneIn(2) ? "common" : mode)"
    )
    func changed(_ modes: [String]) -> [String] { modes.flatMap { isOther ? [$0, mode] : [mode] } }
    for at in scenario.timers.indices where scenario.timers[at].name == name {
      scenario.timers[at].modes = changed(scenario.timers[at].modes)
    }
    scenario.mapSteps { step in
      switch step {
      case .add(name, let modes): .add(name, modes: changed(modes))
      case .remove(name, let modes): .remove(name, modes: changed(modes))
      default: step
      }
    }
  }

  private mutating func changeInterval() {
    guard let name = pick(scenario.timers.filter { $0.intervalNs > 0 }.map(\.name)) else { return }
    let milliseconds = 1 + random.next() % 50
    texts.append("timer \(name) every \(milliseconds)ms")
    for at in scenario.timers.indices where scenario.timers[at].name == name {
      scenario.timers[at].intervalNs = milliseconds * 1_000_000
    }
  }

  private mutating func changeLength() {
    guard let name = pick(scenario.timers.map(\.name) + scenario.sources.map(\.name)) else { return }
    let body = self.body(of: name)
    let own = body.ownNs
    let new: UInt64
    switch random.next() % 3 {
    case 0:
      new = (1 + random.next() % 30) * 500_000
      texts.append("callout \(name) takes \(new / 1000)us")
    case 1:
      let most = (1 + random.next() % 20) * 700_000
      new = min(own, most)
      texts.append("callout \(name) takes at most \(most / 1000)us")
    default:
      let percent = random.next() % 200
      new = UInt64((Double(own) * (Double(percent) / 100)).rounded())
      texts.append("callout \(name) takes x \(Double(percent) / 100)")
    }
    setBody(of: name, body.withOwnTime(new))
  }

  private mutating func remove() {
    guard let name = pick(scenario.timers.map(\.name) + scenario.sources.map(\.name)) else { return }
    texts.append("remove \(name)")
    scenario.timers.removeAll { $0.name == name }
    scenario.sources.removeAll { $0.name == name }
    scenario.mapLists { $0.withoutSignals(of: name) }
  }

  /// Only a body that consists of work alone can be split, because any other steps would move.
  private mutating func split() {
    let isPlain: ([Scenario.Step]) -> Bool = { body in
      body.allSatisfy { if case .work = $0 { true } else { false } } && body.ownNs > 0
    }
    let names =
      scenario.timers.filter { isPlain($0.body) }.map(\.name)
      + scenario.sources.filter { isPlain($0.body) }.map(\.name)
    guard let name = pick(names) else { return }
    let part = (1 + random.next() % 10) * 900_000
    texts.append("split \(name) at \(part / 1000)us")
    setBody(of: name, ChangedScenario.parts(body(of: name).ownNs, part))
  }

  private static func parts(_ ns: UInt64, _ part: UInt64) -> [Scenario.Step] {
    guard ns > part else { return [.work(.sleep, ns: ns)] }
    return [
      .work(.sleep, ns: part), .perform(modes: [ModeName.common], body: parts(ns - part, part)), .wakeUp,
    ]
  }

  private func body(of name: String) -> [Scenario.Step] {
    scenario.timers.first { $0.name == name }?.body ?? scenario.sources.first { $0.name == name }?.body ?? []
  }

  private mutating func setBody(of name: String, _ body: [Scenario.Step]) {
    for at in scenario.timers.indices where scenario.timers[at].name == name {
      scenario.timers[at].body = body
    }
    for at in scenario.sources.indices where scenario.sources[at].name == name {
      scenario.sources[at].body = body
    }
  }
}

extension [Scenario.Step] {
  /// The time of the steps themselves, without runs and queued blocks.
  var ownNs: UInt64 {
    reduce(0) { sum, step in if case .work(_, let ns) = step { sum + ns } else { sum } }
  }

  /// Returns the steps without the signals of a source, and without the wake-ups that came only with them.
  func withoutSignals(of name: String) -> [Scenario.Step] {
    var steps: [Scenario.Step] = []
    var hasRemoved = false, hasOther = false
    for step in self {
      switch step {
      case .signal(name):
        hasRemoved = true
        continue
      case .signal, .perform, .main: hasOther = true
      case .wakeUp:
        defer { (hasRemoved, hasOther) = (false, false) }
        if hasRemoved, !hasOther { continue }
      default: (hasRemoved, hasOther) = (false, false)
      }
      steps.append(step)
    }
    return steps
  }

  /// Returns the steps with their own time changed to `new`.
  func withOwnTime(_ new: UInt64) -> [Scenario.Step] {
    let own = ownNs
    guard own > 0 else { return new > 0 ? self + [.work(.sleep, ns: new)] : self }
    var passed: UInt64 = 0, given: UInt64 = 0
    return map { step in
      guard case .work(let work, let ns) = step else { return step }
      passed += ns
      let end = own.dividingFullWidth(passed.multipliedFullWidth(by: new)).quotient
      defer { given = end }
      return .work(work, ns: end - given)
    }
  }
}

extension Scenario {
  /// Replaces each step, including those inside others.
  mutating func mapSteps(_ change: (Step) -> Step) { mapLists { $0.map(change) } }

  /// Replaces each list of steps, the inner ones first.
  mutating func mapLists(_ change: ([Step]) -> [Step]) {
    func mapped(_ steps: [Step]) -> [Step] {
      change(
        steps.map { step in
          switch step {
          case .perform(let modes, let body): .perform(modes: modes, body: mapped(body))
          case .main(let body): .main(mapped(body))
          default: step
          }
        })
    }
    body = mapped(body)
    for at in timers.indices { timers[at].body = mapped(timers[at].body) }
    for at in sources.indices { sources[at].body = mapped(sources[at].body) }
    for at in observers.indices { observers[at].body = mapped(observers[at].body) }
    for at in others.indices { others[at].body = mapped(others[at].body) }
  }
}
