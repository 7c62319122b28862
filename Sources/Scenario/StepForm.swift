import CheckedYAML
import Yams

/// How one kind of step is written, in both directions.
struct StepForm: Sendable {
  typealias Step = Scenario.Step

  let key: String
  /// Written without a value.
  let isWord: Bool
  /// Only the main loop serves it.
  let needsMain: Bool
  /// What belongs to the key becomes a step.
  let read: @Sendable (inout ScenarioReader, Node) throws(TextFileError) -> Step
  /// The values of a step of this kind; nil for others.
  let parts: @Sendable (Step) -> [Part]?
  /// A step of this kind with all times `factor` times as long; nil for others.
  let scaled: @Sendable (Step, _ factor: Double) -> Step?

  struct Part {
    /// Empty: the step has this value alone.
    var key = ""
    /// Nil: left out.
    var node: Node?
    var steps: [Step]
    var spentNs: UInt64
  }

  /// A word alone.
  init(_ word: String, _ step: Step) {
    key = word
    isWord = true
    needsMain = false
    read = { _, _ in step }
    parts = { $0 == step ? [] : nil }
    scaled = { other, _ in other == step ? step : nil }
  }

  /// `key: value`.
  init<Value>(
    _ key: String, _ value: StepValue<Value>, needsMain: Bool = false,
    make: @escaping @Sendable (Value) -> Step, values: @escaping @Sendable (Step) -> Value?
  ) {
    self.key = key
    isWord = false
    self.needsMain = needsMain
    read = { (reader, node) throws(TextFileError) in make(try value.read(&reader, node)) }
    parts = { step in values(step).map { [value.part($0)] } }
    scaled = { step, factor in values(step).map { make(value.scaled($0, factor)) } }
  }

  /// `key: {field: value, …}`. `short`: the field whose value may be written in place of the fields.
  init<each Value>(
    _ key: String, short: String? = nil, _ fields: repeat StepField<each Value>,
    make: @escaping @Sendable (repeat each Value) -> Step,
    values: @escaping @Sendable (Step) -> (repeat each Value)?
  ) {
    self.key = key
    isWord = false
    needsMain = false
    let fields = (repeat each fields)
    read = { (reader, node) throws(TextFileError) in
      var given =
        if let short, node.mapping == nil { Fields(node, as: short, key) } else {
          try reader.fields(node, key)
        }
      let step = make(repeat try (each fields).read(&reader, &given))
      try given.end()
      return step
    }
    parts = { step in
      guard let values = values(step) else { return nil }
      var parts: [Part] = []
      for (field, value) in repeat (each fields, each values) {
        var part = field.value.part(value)
        part.key = field.key
        parts.append(part)
      }
      return parts
    }
    scaled = { step, factor in
      guard let values = values(step) else { return nil }
      return make(repeat (each fields).value.scaled(each values, factor))
    }
  }
}

/// One of the values of a step.
struct StepField<Value: Sendable>: Sendable {
  let key: String
  let value: StepValue<Value>
  /// What holds without the key; nil = the key is required.
  let absent: Value?

  init(_ key: String, _ value: StepValue<Value>, absent: Value? = nil) {
    self.key = key
    self.value = value
    self.absent = absent
  }

  func read(_ reader: inout ScenarioReader, _ fields: inout Fields) throws(TextFileError) -> Value {
    guard let absent else { return try value.read(&reader, fields.required(key)) }
    guard let node = fields.take(key) else { return absent }
    return try value.read(&reader, node)
  }
}

extension Scenario.Step {
  private var parts: [StepForm.Part] {
    for form in Scenario.Step.forms { if let parts = form.parts(self) { return parts } }
    return []
  }

  /// The steps that it hands on.
  var inner: [Scenario.Step] { parts.flatMap(\.steps) }

  /// How long the thread needs for it at least.
  var spentNs: UInt64 { parts.reduce(0) { $0 + $1.spentNs } }

  func scaled(by factor: Double) -> Scenario.Step {
    for form in Scenario.Step.forms { if let step = form.scaled(self, factor) { return step } }
    return self
  }

  /// In YAML; nil for a step that has no form.
  var node: Node? {
    for form in Scenario.Step.forms {
      guard let parts = form.parts(self) else { continue }
      if form.isWord { return ScenarioWriter.text(form.key) }
      let isAlone = parts.count == 1 && parts[0].key.isEmpty
      let fields = parts.compactMap { part in part.node.map { (part.key, $0) } }
      return ScenarioWriter.mapping([(form.key, isAlone ? fields[0].1 : ScenarioWriter.mapping(fields))])
    }
    return nil
  }
}
