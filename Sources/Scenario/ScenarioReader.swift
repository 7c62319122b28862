import CheckedYAML
import Yams

/// Reads the YAML form of a scenario. Every key and value is checked; what is not known is refused.
public struct ScenarioReader {
  /// Texts that grow beyond it when their aliases are followed are refused.
  static let nodeLimit = 100_000

  private var nodes = 0
  var names = ItemNames()

  /// Throws `TextFileError` with the line of the first mistake.
  public static func read(_ text: String) throws(TextFileError) -> Scenario {
    let root = try YAMLDocument.root(of: text)
    var reader = ScenarioReader()
    let scenario = try reader.scenario(root)
    try reader.names.check(isOnMain: scenario.isOnMain)
    return scenario
  }

  // MARK: Parts

  private mutating func scenario(_ node: Node) throws(TextFileError) -> Scenario {
    var fields = try fields(node, "a scenario")
    var scenario = Scenario(name: try fields.required("scenario").text())
    scenario.about = try fields.take("about")?.text() ?? ""
    scenario.expect = try texts(fields.take("expect"))
    if let loop = fields.take("loop") {
      scenario.isOnMain = try loop.oneOf(["main", "thread"], "loop") == "main"
    }
    scenario.commonModes = try modes(fields.take("common modes"), none: [])
    scenario.timers = try list(fields.take("timers")) { reader, node throws(TextFileError) in
      try reader.timer(node)
    }
    scenario.sources = try list(fields.take("sources")) { reader, node throws(TextFileError) in
      try reader.source(node)
    }
    scenario.observers = try list(fields.take("observers")) { reader, node throws(TextFileError) in
      try reader.observer(node)
    }
    scenario.gestures = try list(fields.take("gestures")) { reader, node throws(TextFileError) in
      try reader.gesture(node)
    }
    scenario.tasks = try list(fields.take("background tasks")) { reader, node throws(TextFileError) in
      try reader.task(node)
    }
    scenario.services = try list(fields.take("services")) { reader, node throws(TextFileError) in
      try reader.service(node)
    }
    scenario.body = try steps(fields.required("thread"))
    scenario.others = try list(fields.take("others")) { reader, node throws(TextFileError) in
      try reader.moment(node)
    }
    try fields.end()
    return scenario
  }

  private mutating func timer(_ node: Node) throws(TextFileError) -> Scenario.Timer {
    var fields = try fields(node, "a timer")
    let name = try names.define(.timer, fields.required("name"))
    let every = try fields.take("every")?.duration()
    let first = try fields.take("first")?.duration()
    guard let first = first ?? every else {
      throw TextFileError(node, "timer '\(name)' needs 'every' or 'first'")
    }
    var timer = Scenario.Timer(
      name: name, firstNs: first, intervalNs: every ?? 0,
      modes: try modes(fields.take("modes"), none: [ModeName.default]),
      body: try steps(fields.take("do")))
    timer.toleranceNs = try fields.take("tolerance")?.duration() ?? 0
    timer.isDeferrable = try fields.take("deferrable")?.truth() ?? false
    try fields.end()
    return timer
  }

  private mutating func source(_ node: Node) throws(TextFileError) -> Scenario.Source {
    var fields = try fields(node, "a source")
    let source = Scenario.Source(
      name: try names.define(.source, fields.required("name")),
      order: try fields.take("order")?.number() ?? 0,
      modes: try modes(fields.take("modes"), none: [ModeName.default]),
      body: try steps(fields.take("do")))
    try fields.end()
    return source
  }

  private mutating func observer(_ node: Node) throws(TextFileError) -> Scenario.Observer {
    var fields = try fields(node, "an observer")
    let name = try names.define(.observer, fields.required("name"))
    let known = Activity.allCases.map(\.name)
    var activities: [Activity] = []
    for item in try items(fields.required("at")) {
      let name = try item.oneOf(known, "activity")
      activities.append(Activity(name: name) ?? .entry)
    }
    let observer = Scenario.Observer(
      name: name, activities: activities, order: try fields.take("order")?.number() ?? 0,
      modes: try modes(fields.take("modes"), none: [ModeName.default]),
      repeats: try fields.take("repeats")?.truth() ?? true, body: try steps(fields.take("do")))
    try fields.end()
    return observer
  }

  private mutating func gesture(_ node: Node) throws(TextFileError) -> Scenario.Gesture {
    var fields = try fields(node, "a gesture")
    var gesture = Scenario.Gesture(
      atNs: try fields.required("at").duration(), forNs: try fields.required("for").duration())
    if let every = fields.take("every") { gesture.everyNs = try every.duration(atLeast: 100_000) }
    gesture.body = try steps(fields.take("do"))
    try fields.end()
    return gesture
  }

  private mutating func task(_ node: Node) throws(TextFileError) -> Scenario.Task {
    var fields = try fields(node, "a background task")
    let task = Scenario.Task(
      name: try names.define(.task, fields.required("name")),
      budgetNs: try fields.required("budget").duration(),
      onExpiry: try steps(fields.take("on expiry")))
    try fields.end()
    return task
  }

  private mutating func service(_ node: Node) throws(TextFileError) -> Scenario.Service {
    var fields = try fields(node, "a service")
    let service = Scenario.Service(
      name: try names.define(.service, fields.required("name")),
      everyNs: try fields.required("every").duration(atLeast: 100_000),
      modes: try modes(fields.take("modes"), none: [ModeName.common]),
      body: try steps(fields.take("do")),
      fixes: try fields.take("fixes")?.number() ?? 0, afterFixes: try steps(fields.take("then")))
    try fields.end()
    return service
  }

  private mutating func moment(_ node: Node) throws(TextFileError) -> Scenario.Moment {
    var fields = try fields(node, "a moment")
    var moment = Scenario.Moment(
      atNs: try fields.required("at").duration(), body: try steps(fields.required("do")))
    if let every = fields.take("every") {
      moment.everyNs = try every.duration(atLeast: 100_000)
      moment.untilNs = try fields.required("until").duration()
    }
    try fields.end()
    return moment
  }

  // MARK: Steps

  mutating func steps(_ node: Node?) throws(TextFileError) -> [Scenario.Step] {
    guard let node else { return [] }
    var steps: [Scenario.Step] = []
    for item in try items(node) { steps.append(try step(item)) }
    return steps
  }

  /// One step: a word, or one key with what belongs to it.
  private mutating func step(_ node: Node) throws(TextFileError) -> Scenario.Step {
    try count(node)
    if node.scalar != nil {
      switch try node.oneOf(StepKey.words, "step") {
      case "wake up": return .wakeUp
      default: return .stop
      }
    }
    guard let mapping = node.mapping, mapping.count == 1, let (key, value) = mapping.first else {
      throw TextFileError(node, "a step is a word or one 'key: value'; steps: \(StepKey.allNames)")
    }
    let name = try key.oneOf(StepKey.keys, "step")
    if let work = Scenario.Work(rawValue: name) {
      let range = try value.durationRange()
      return range.count == 1 ? .work(work, ns: range.lowerBound) : .someWork(work, ns: range)
    }
    switch name {
    case "run": return try run(value)
    case "signal": return .signal(try names.refer([.source], value))
    case "perform": return try perform(value)
    case "main":
      names.needsMain(key)
      return .main(try steps(value))
    case "add", "remove":
      var fields = try fields(value, name)
      let item = try names.refer(ItemNames.items, fields.required("item"))
      let modes = try modes(fields.required("modes"), none: [])
      try fields.end()
      return name == "add" ? .add(item, modes: modes) : .remove(item, modes: modes)
    case "invalidate": return .invalidate(try names.refer(ItemNames.items, value))
    case "reschedule":
      var fields = try fields(value, name)
      let step = Scenario.Step.reschedule(
        try names.refer([.timer], fields.required("timer")),
        inNs: try fields.required("in").signedDuration())
      try fields.end()
      return step
    case "common mode": return .addCommonMode(try mode(value))
    case "mark": return .mark(try value.text())
    case "phase":
      let phase = try value.oneOf(LifePhase.allCases.map(\.name), "phase")
      return .lifeCycle(LifePhase(name: phase) ?? .active)
    case "suspend": return .suspend(ns: try value.duration())
    case "begin task": return .beginTask(try names.refer([.task], value))
    case "end task": return .endTask(try names.refer([.task], value))
    case "start": return .start(service: try names.refer([.service], value))
    default: return .halt(service: try names.refer([.service], value))
    }
  }

  private mutating func run(_ node: Node) throws(TextFileError) -> Scenario.Step {
    if node.scalar != nil { return .run(mode: try mode(node), forNs: nil, returnsAfterSource: false) }
    var fields = try fields(node, "run")
    let step = Scenario.Step.run(
      mode: try fields.take("mode").map { node throws(TextFileError) in try mode(node) }
        ?? ModeName.default,
      forNs: try fields.take("for")?.duration(),
      returnsAfterSource: try fields.take("until source")?.truth() ?? false)
    try fields.end()
    return step
  }

  private mutating func perform(_ node: Node) throws(TextFileError) -> Scenario.Step {
    if node.sequence != nil { return .perform(modes: [ModeName.default], body: try steps(node)) }
    var fields = try fields(node, "perform")
    let step = Scenario.Step.perform(
      modes: try modes(fields.take("modes"), none: [ModeName.default]),
      body: try steps(fields.required("do")))
    try fields.end()
    return step
  }

  // MARK: Values

  private mutating func list<Value>(
    _ node: Node?, _ read: (inout ScenarioReader, Node) throws(TextFileError) -> Value
  ) throws(TextFileError) -> [Value] {
    guard let node else { return [] }
    var values: [Value] = []
    for item in try items(node) { values.append(try read(&self, item)) }
    return values
  }

  private mutating func items(_ node: Node) throws(TextFileError) -> [Node] {
    try count(node)
    guard let sequence = node.sequence else { throw TextFileError(node, "expected a list") }
    return Array(sequence)
  }

  private mutating func texts(_ node: Node?) throws(TextFileError) -> [String] {
    try list(node) { _, node throws(TextFileError) in try node.text() }
  }

  private mutating func modes(_ node: Node?, none: [String]) throws(TextFileError) -> [String] {
    guard let node else { return none }
    if node.scalar != nil { return [try mode(node)] }
    return try list(node) { reader, node throws(TextFileError) in try reader.mode(node) }
  }

  /// The usual modes have short names.
  private func mode(_ node: Node) throws(TextFileError) -> String {
    let name = try node.text()
    return ModeWord.modes[name] ?? name
  }

  private mutating func fields(_ node: Node, _ what: String) throws(TextFileError) -> Fields {
    try count(node)
    return try Fields(node, what)
  }

  private mutating func count(_ node: Node) throws(TextFileError) {
    nodes += 1
    if nodes > ScenarioReader.nodeLimit {
      throw TextFileError(node, "more than \(ScenarioReader.nodeLimit) parts")
    }
  }
}

/// Short names of modes in the text form.
enum ModeWord {
  static let modes = [
    "default": ModeName.default, "tracking": ModeName.tracking, "common": ModeName.common,
  ]
  static func word(_ mode: String) -> String { modes.first { $0.value == mode }?.key ?? mode }
}

/// The words of steps.
enum StepKey {
  static let words = ["wake up", "stop"]
  static let keys =
    Scenario.Work.allCases.map(\.rawValue) + [
      "run", "signal", "perform", "main", "add", "remove", "invalidate", "reschedule", "common mode", "mark",
      "phase", "suspend", "begin task", "end task", "start", "halt",
    ]
  static let allNames = (words + keys).joined(separator: ", ")
}
