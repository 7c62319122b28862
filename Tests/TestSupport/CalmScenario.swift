import Scenario

/// A random scenario for a real kernel on a busy machine. Its events lie so far apart that their order is certain.
package struct CalmScenario {
  package private(set) var scenario = Scenario()

  /// Places everything on a grid of 40 ms: timers and other threads at 5, 13, 21 and 29 ms, the ends of runs at 37
  /// ms.
  package init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    scenario.name = "calm \(seed)"
    scenario.isOnMain = false
    scenario.commonModes = [ModeName.tracking]
    scenario.observers = [
      Scenario.Observer(
        name: "activity", activities: Activity.allCases, order: -1000,
        modes: [ModeName.default, ModeName.tracking])
    ]
    let slots: [UInt64] = [5, 13, 21, 29].map { $0 * 1_000_000 }
    for number in 0..<(1 + random.next() % 2) {
      let isCommon = random.oneIn(2)
      let steps: [Scenario.Step] = random.pick([
        [], [.work(.sleep, ns: 1_000_000)], [.perform(modes: [ModeName.default], body: [])], [.wakeUp],
      ])
      scenario.timers.append(
        Scenario.Timer(
          name: "t\(number)", firstNs: slots[Int(number)] + 40_000_000,
          intervalNs: random.oneIn(4) ? 0 : 40_000_000,
          modes: [isCommon ? ModeName.common : ModeName.default], body: steps))
    }
    let nested: [Scenario.Step] = [
      .run(mode: ModeName.tracking, forNs: 48_000_000, returnsAfterSource: false)
    ]
    scenario.sources = [
      Scenario.Source(name: "s0", body: random.oneIn(3) ? nested : [.work(.sleep, ns: 1_000_000)]),
      Scenario.Source(
        name: "s1", order: 1, modes: [ModeName.common], body: random.oneIn(3) ? [.stop] : []),
    ]
    for cycle in 0..<(1 + random.next() % 3) {
      let body: [Scenario.Step] = random.pick([
        [.signal("s0"), .wakeUp], [.signal("s1"), .wakeUp], [.signal("s0"), .signal("s1"), .wakeUp],
        [.perform(modes: [ModeName.common], body: []), .wakeUp],
      ])
      scenario.others.append(Scenario.Moment(atNs: cycle * 40_000_000 + slots[3], body: body))
    }
    scenario.body = [
      .run(mode: ModeName.default, forNs: 197_000_000, returnsAfterSource: random.oneIn(3)),
      .run(mode: ModeName.default, forNs: 40_000_000, returnsAfterSource: false),
    ]
  }
}
