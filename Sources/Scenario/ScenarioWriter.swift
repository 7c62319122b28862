import CheckedYAML
import Durations
import Yams

/// Writes the YAML form of a scenario. Reading it gives the same scenario.
public enum ScenarioWriter {
  /// Throws when there is something that YAML cannot hold.
  public static func write(_ scenario: Scenario) throws -> String {
    try Yams.serialize(node: node(scenario), width: 100)
  }

  private typealias Pairs = [(String, Node)]

  private static func mapping(_ pairs: Pairs) -> Node {
    Node(pairs.map { (Node($0.0), $0.1) })
  }

  private static func list(_ nodes: [Node]) -> Node { Node(nodes) }

  private static func text(_ text: String) -> Node {
    // Quoted where a plain word would mean something else.
    Node.scalar(Node.Scalar(text, Tag(.str), text.isEmpty || Double(text) != nil ? .doubleQuoted : .any))
  }
  private static func duration(_ ns: UInt64) -> Node { Node(DurationText.word(ns)) }
  private static func modes(_ modes: [String]) -> Node { list(modes.map { text(ModeWord.word($0)) }) }

  private static func node(_ scenario: Scenario) -> Node {
    var pairs: Pairs = [("scenario", text(scenario.name))]
    if !scenario.about.isEmpty { pairs.append(("about", text(scenario.about))) }
    if !scenario.expect.isEmpty { pairs.append(("expect", list(scenario.expect.map(text)))) }
    if !scenario.isOnMain { pairs.append(("loop", text("thread"))) }
    if !scenario.commonModes.isEmpty { pairs.append(("common modes", modes(scenario.commonModes))) }
    func add(_ key: String, _ nodes: [Node]) { if !nodes.isEmpty { pairs.append((key, list(nodes))) } }
    add("timers", scenario.timers.map(node))
    add("sources", scenario.sources.map(node))
    add("observers", scenario.observers.map(node))
    add("gestures", scenario.gestures.map(node))
    add("background tasks", scenario.tasks.map(node))
    add("services", scenario.services.map(node))
    pairs.append(("thread", steps(scenario.body)))
    add("others", scenario.others.map(node))
    return mapping(pairs)
  }

  private static func node(_ timer: Scenario.Timer) -> Node {
    var pairs: Pairs = [("name", text(timer.name))]
    if timer.intervalNs > 0 { pairs.append(("every", duration(timer.intervalNs))) }
    if timer.firstNs != timer.intervalNs || timer.intervalNs == 0 {
      pairs.append(("first", duration(timer.firstNs)))
    }
    if timer.modes != [ModeName.default] { pairs.append(("modes", modes(timer.modes))) }
    if timer.toleranceNs > 0 { pairs.append(("tolerance", duration(timer.toleranceNs))) }
    if timer.isDeferrable { pairs.append(("deferrable", Node("true"))) }
    return mapping(pairs + body(timer.body))
  }

  private static func node(_ source: Scenario.Source) -> Node {
    var pairs: Pairs = [("name", text(source.name))]
    if source.order != 0 { pairs.append(("order", Node("\(source.order)"))) }
    if source.modes != [ModeName.default] { pairs.append(("modes", modes(source.modes))) }
    return mapping(pairs + body(source.body))
  }

  private static func node(_ observer: Scenario.Observer) -> Node {
    var pairs: Pairs = [
      ("name", text(observer.name)), ("at", list(observer.activities.map { text($0.name) })),
    ]
    if observer.order != 0 { pairs.append(("order", Node("\(observer.order)"))) }
    if observer.modes != [ModeName.default] { pairs.append(("modes", modes(observer.modes))) }
    if !observer.repeats { pairs.append(("repeats", Node("false"))) }
    return mapping(pairs + body(observer.body))
  }

  private static func node(_ gesture: Scenario.Gesture) -> Node {
    mapping(
      [
        ("at", duration(gesture.atNs)), ("for", duration(gesture.forNs)),
        ("every", duration(gesture.everyNs)),
      ]
        + body(gesture.body))
  }

  private static func node(_ task: Scenario.Task) -> Node {
    mapping(
      [("name", text(task.name)), ("budget", duration(task.budgetNs))]
        + (task.onExpiry.isEmpty ? [] : [("on expiry", steps(task.onExpiry))]))
  }

  private static func node(_ service: Scenario.Service) -> Node {
    var pairs: Pairs = [("name", text(service.name)), ("every", duration(service.everyNs))]
    if service.modes != [ModeName.common] { pairs.append(("modes", modes(service.modes))) }
    pairs += body(service.body)
    if service.fixes != 0 { pairs.append(("fixes", Node("\(service.fixes)"))) }
    if !service.afterFixes.isEmpty { pairs.append(("then", steps(service.afterFixes))) }
    return mapping(pairs)
  }

  private static func node(_ moment: Scenario.Moment) -> Node {
    var pairs: Pairs = [("at", duration(moment.atNs))]
    if moment.everyNs > 0 {
      pairs += [("every", duration(moment.everyNs)), ("until", duration(moment.untilNs))]
    }
    return mapping(pairs + [("do", steps(moment.body))])
  }

  private static func body(_ body: [Scenario.Step]) -> Pairs { body.isEmpty ? [] : [("do", steps(body))] }

  private static func steps(_ body: [Scenario.Step]) -> Node { list(body.map(node)) }

  private static func node(_ step: Scenario.Step) -> Node {
    func one(_ key: String, _ value: Node) -> Node { mapping([(key, value)]) }
    return switch step {
    case .work(let work, let ns): one(work.rawValue, duration(ns))
    case .someWork(let work, let range):
      one(
        work.rawValue, Node(DurationText.word(range.lowerBound) + ".." + DurationText.word(range.upperBound)))
    case .run(let mode, let forNs, let returnsAfterSource):
      one(
        "run",
        mapping(
          [("mode", text(ModeWord.word(mode)))] + (forNs.map { [("for", duration($0))] } ?? [])
            + (returnsAfterSource ? [("until source", Node("true"))] : [])))
    case .signal(let name): one("signal", text(name))
    case .wakeUp: text("wake up")
    case .stop: text("stop")
    case .perform(let modes, let body):
      one("perform", mapping([("modes", self.modes(modes)), ("do", steps(body))]))
    case .main(let body): one("main", steps(body))
    case .add(let name, let modes): one("add", mapping([("item", text(name)), ("modes", self.modes(modes))]))
    case .remove(let name, let modes):
      one("remove", mapping([("item", text(name)), ("modes", self.modes(modes))]))
    case .invalidate(let name): one("invalidate", text(name))
    case .reschedule(let name, let ns):
      one("reschedule", mapping([("timer", text(name)), ("in", Node(DurationText.signedWord(ns)))]))
    case .addCommonMode(let mode): one("common mode", text(ModeWord.word(mode)))
    case .mark(let name): one("mark", text(name))
    case .lifeCycle(let phase): one("phase", text(phase.name))
    case .suspend(let ns): one("suspend", duration(ns))
    case .beginTask(let name): one("begin task", text(name))
    case .endTask(let name): one("end task", text(name))
    case .start(let name): one("start", text(name))
    case .halt(let name): one("halt", text(name))
    }
  }
}
