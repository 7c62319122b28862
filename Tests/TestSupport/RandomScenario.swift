import Scenario

/// A small random scenario: a few items, and steps that interact.
///
/// No two events happen at the same moment where the order could go either way. Timers are due at whole milliseconds,
/// other threads act 0.3 ms later, and runs end at 0.7 ms. No two timers are due together: their order may depend on
/// addresses.
package struct RandomScenario {
  private static let modes = [
    ModeName.default, ModeName.tracking, "another mode", "a mode made late",
  ]
  private var random: SeededGenerator
  package private(set) var scenario = Scenario()
  private var itemNames: [String] = []
  private var times: Int64 = 0
  private var timerNames: [String] = []
  private var sourceNames: [String] = []

  /// `changesModes`: adds items that join and leave the common modes, and the other changes of `addChanges`. `hasFrames`:
  /// adds frame sources.
  package init(seed: UInt64, changesModes: Bool = true, hasFrames: Bool = false) {
    random = SeededGenerator(seed: seed)
    scenario.name = "random \(seed)"
    // A scenario on the main loop needs its own process, so only one seed in ten uses the main loop.
    scenario.isOnMain = seed.isMultiple(of: 10)
    if random.oneIn(2) { scenario.commonModes = [ModeName.tracking] }
    let timers = Int(random.next() % 4), sources = Int(random.next() % 4), observers = Int(random.next() % 2)
    timerNames = (0..<timers).map { "t\($0)" }
    sourceNames = (0..<sources).map { "s\($0)" }
    itemNames = timerNames + sourceNames + (0..<observers).map { "o\($0)" }
    scenario.observers.append(
      Scenario.Observer(
        name: "activity", activities: Activity.allCases, order: -1000,
        modes: [ModeName.default, ModeName.tracking, "another mode"]))
    for (number, name) in timerNames.enumerated() {
      let interval = random.oneIn(4) ? 0 : (1 + random.next() % 30) * 1_000_000
      scenario.timers.append(
        Scenario.Timer(
          name: name, firstNs: random.next() % 40 * 1_000_000 + UInt64(number) * 1000, intervalNs: interval,
          modes: someModes(),
          body: body(depth: 1)))
      if random.oneIn(3) { scenario.timers[number].toleranceNs = random.next() % 10 * 100_000 }
    }
    for (order, name) in sourceNames.enumerated() {
      scenario.sources.append(
        Scenario.Source(name: name, order: order, modes: someModes(), body: body(depth: 1)))
    }
    for number in 0..<observers {
      scenario.observers.append(
        Scenario.Observer(
          name: "o\(number)", activities: [random.pick(Activity.allCases)], order: number,
          modes: [random.pick(Self.modes)], repeats: !random.oneIn(4), body: body(depth: 1)))
    }
    for _ in 0..<(1 + random.next() % 4) { scenario.body += body(depth: 0) + [run(depth: 0)] }
    var at: UInt64 = 0
    for _ in 0..<(random.next() % 8) {
      at += (1 + random.next() % 25) * 1_000_000
      scenario.others.append(Scenario.Moment(atNs: at + 300_000, body: otherBody()))
    }
    if changesModes {
      random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
      addChanges()
    }
    guard hasFrames else { return }
    random = SeededGenerator(seed: seed &* 0xBF58_476D_1CE4_E5B9 &+ 5)
    addFrames()
  }

  // MARK: Frames

  /// Adds one or two frame sources, runs in which they draw, and steps that add, remove or end them. They come due 0.1
  /// and 0.2 ms after whole milliseconds.
  private mutating func addFrames() {
    let names = Array(["display", "film"].prefix(random.oneIn(2) ? 2 : 1))
    for (number, name) in names.enumerated() {
      let interval = 4 + random.next() % 39
      var timer = Scenario.Timer()
      timer.name = name
      timer.firstNs = (1 + random.next() % 40) * 1_000_000 + UInt64(number + 1) * 100_000
      timer.intervalNs = interval * 1_000_000
      timer.isFrameSource = true
      timer.modes = random.oneIn(2) ? [ModeName.common] : someModes()
      timer.body = drawing(interval)
      scenario.timers.append(timer)
    }
    let runs = (0...random.next() % 4).map { _ -> Scenario.Step in
      .run(
        mode: random.oneIn(2) ? ModeName.default : random.pick(Self.modes),
        forNs: (20 + random.next() % 200) * 1_000_000 + 700_000, returnsAfterSource: false)
    }
    scenario.body = runs + scenario.body
    var at: UInt64 = 0
    for _ in 0..<(random.next() % 8) {
      at += (1 + random.next() % 60) * 1_000_000
      scenario.others.append(
        Scenario.Moment(
          atNs: at + 600_000, body: [random.oneIn(10) ? .invalidate(random.pick(names)) : membership(names)]))
    }
    for number in scenario.sources.indices where random.oneIn(3) {
      scenario.sources[number].body.append(membership(names))
    }
  }

  private mutating func membership(_ names: [String]) -> Scenario.Step {
    let name = random.pick(names), mode = random.oneIn(4) ? ModeName.common : random.pick(Self.modes)
    return random.oneIn(2) ? .add(name, modes: [mode]) : .remove(name, modes: [mode])
  }

  /// Returns the body of a frame source with an interval in milliseconds. Some frames take exactly one interval.
  private mutating func drawing(_ interval: UInt64) -> [Scenario.Step] {
    func work(_ milliseconds: UInt64) -> Scenario.Step { .work(.sleep, ns: milliseconds * 1_000_000) }
    switch random.next() % 6 {
    case 0: return [work(interval)]
    case 1: return [work(1 + random.next() % (2 * interval))]
    case 2: return [work(1), run(depth: 1)]
    case 3: return [.wakeUp]
    default: return [work(1 + random.next() % 4)]
    }
  }

  // MARK: Changes

  /// Adds items that leave the common modes or one of them, modes that become common later, and one-shots. Also adds
  /// timers that other threads move, and nested runs with observers of their Exit.
  private mutating func addChanges() {
    if random.oneIn(2) { addOneShots() }
    if random.oneIn(2) { addNestedRun() }
    for number in scenario.timers.indices where random.oneIn(3) {
      scenario.timers[number].modes = random.pick([
        [ModeName.common], [ModeName.common], [ModeName.common, "another mode"],
        [ModeName.common, ModeName.default],
        [ModeName.tracking, ModeName.default],
      ])
    }
    guard !itemNames.isEmpty else { return }
    for number in scenario.timers.indices where random.oneIn(3) {
      scenario.timers[number].body.append(change())
    }
    for number in scenario.sources.indices where random.oneIn(3) {
      scenario.sources[number].body.append(change())
    }
    // 0.5 ms after a whole millisecond: apart from the other changes and from the ends of runs.
    var at: UInt64 = 0
    for number in 0..<(random.next() % 6) {
      at += (1 + random.next() % 25) * 1_000_000
      scenario.others.append(
        Scenario.Moment(
          atNs: at + 500_000 + number * 10_000, body: [change()] + (random.oneIn(3) ? [change()] : [])))
    }
  }

  private mutating func addOneShots() {
    for _ in 0...(random.next() % 3) {
      let number = scenario.timers.count
      let name = "t\(number)"
      timerNames.append(name)
      itemNames.append(name)
      scenario.timers.append(
        Scenario.Timer(
          name: name, firstNs: random.next() % 60 * 1_000_000 + UInt64(number) * 1000, intervalNs: 0,
          modes: someModes(), body: [.work(.sleep, ns: 1_000_000)]))
    }
  }

  /// Adds a source that runs a nested loop, and an observer of that loop's Exit.
  private mutating func addNestedRun() {
    let mode = random.pick(Self.modes)
    scenario.sources.append(
      Scenario.Source(
        name: "nested", order: 50, modes: [random.oneIn(2) ? ModeName.common : random.pick(Self.modes)],
        body: [
          .run(mode: mode, forNs: (1 + random.next() % 20) * 1_000_000 + 700_000, returnsAfterSource: false)
        ]))
    scenario.observers.append(
      Scenario.Observer(
        name: "exit", activities: random.oneIn(3) ? [.entry, .exit] : [.exit], order: 50,
        modes: [random.oneIn(2) ? mode : ModeName.common],
        body: [.work(.sleep, ns: (1 + random.next() % 30) * 1_000_000)]))
    sourceNames.append("nested")
    itemNames += ["nested", "exit"]
    scenario.others.append(
      Scenario.Moment(
        atNs: (1 + random.next() % 60) * 1_000_000 + 400_000, body: [.signal("nested"), .wakeUp]))
  }

  private mutating func change() -> Scenario.Step {
    switch random.next() % 10 {
    case 0...2: return .remove(random.pick(itemNames), modes: [ModeName.common])
    case 3, 4: return .remove(random.pick(itemNames), modes: [random.pick(Self.modes)])
    case 5: return .add(random.pick(itemNames), modes: [ModeName.common])
    case 6: return .add(random.pick(itemNames), modes: [random.pick(Self.modes)])
    case 7: return .addCommonMode(random.pick(Self.modes))
    default:
      guard !timerNames.isEmpty else { return .wakeUp }
      return .reschedule(random.pick(timerNames), inNs: someTime() - 15_000_000)
    }
  }

  private mutating func someModes() -> [String] {
    random.oneIn(4)
      ? [ModeName.common]
      : random.oneIn(10)
        ? [] : Array(Set((0...random.next() % 2).map { _ in random.pick(Self.modes) })).sorted()
  }

  /// Returns a different time at each call.
  private mutating func someTime() -> Int64 {
    times += 1
    return Int64(random.next() % 40) * 1_000_000 + 7_000 * times
  }

  private mutating func run(depth: Int) -> Scenario.Step {
    let milliseconds = random.oneIn(6) ? 0 : 1 + random.next() % (depth == 0 ? 80 : 25)
    return .run(
      mode: random.oneIn(2) ? ModeName.default : random.pick(Self.modes),
      forNs: milliseconds == 0 ? 0 : milliseconds * 1_000_000 + 700_000, returnsAfterSource: random.oneIn(3))
  }

  private mutating func body(depth: Int) -> [Scenario.Step] {
    // Each callout takes some time: otherwise one that schedules itself again would never end.
    let pause: [Scenario.Step] = depth == 0 ? [] : [.work(.sleep, ns: 1_000_000)]
    return pause + (0..<(random.next() % 3)).map { _ in step(depth: depth) }
  }

  private mutating func step(depth: Int) -> Scenario.Step {
    switch random.next() % 20 {
    case 0...4: return .work(.sleep, ns: (1 + random.next() % (random.oneIn(4) ? 60 : 8)) * 1_000_000)
    case 5, 6: return sourceNames.isEmpty ? .wakeUp : .signal(random.pick(sourceNames))
    case 7: return .wakeUp
    case 8: return .stop
    case 9, 10, 11:
      guard depth < 3 else { return .wakeUp }
      return .perform(
        modes: random.oneIn(4) ? [ModeName.common] : [random.pick(Self.modes)],
        body: body(depth: depth + 1))
    case 12: return depth > 0 && depth < 3 ? run(depth: depth) : .wakeUp
    case 13 where !itemNames.isEmpty: return .add(random.pick(itemNames), modes: someModes())
    case 14 where !itemNames.isEmpty: return .remove(random.pick(itemNames), modes: someModes())
    case 15 where !itemNames.isEmpty && random.oneIn(3): return .invalidate(random.pick(itemNames))
    case 16, 17:
      guard !timerNames.isEmpty else { return .wakeUp }
      return .reschedule(random.pick(timerNames), inNs: someTime() - 5_000_000)
    case 13, 14, 15: return scenario.isOnMain && depth < 3 ? .main(body(depth: depth + 1)) : .wakeUp
    case 18: return random.oneIn(3) ? .addCommonMode(random.pick(Self.modes)) : .stop
    default: return .work(.sleep, ns: 1_000_000)
    }
  }

  /// Returns steps for another thread, which take no time.
  private mutating func otherBody() -> [Scenario.Step] {
    var steps: [Scenario.Step] = []
    for _ in 0...(random.next() % 3) {
      switch random.next() % 8 {
      case 0...2 where !sourceNames.isEmpty: steps.append(.signal(random.pick(sourceNames)))
      case 3, 4: steps.append(.wakeUp)
      case 5: steps.append(scenario.isOnMain ? .main(body(depth: 2)) : .stop)
      case 6:
        steps.append(.perform(modes: [random.pick(Self.modes)], body: body(depth: 2)))
      default:
        if let timer = timerNames.first {
          steps.append(.reschedule(timer, inNs: someTime()))
        }
      }
    }
    return steps
  }
}
