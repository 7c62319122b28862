import CheckedYAML
import Yams

/// The written form of one kind of step, for reading and writing.
struct StepForm: Sendable {
  typealias Step = Scenario.Step

  let key: String
  /// Whether the step is a word without a value.
  let isWord: Bool
  /// Whether only the main loop serves the step.
  let needsMain: Bool
  /// Reads the value of the key and returns the step.
  let read: @Sendable (inout ScenarioReader, Node) throws(TextFileError) -> Step
  /// Returns the values of a step of this kind; nil for others.
  let parts: @Sendable (Step) -> [FormPart]?
  /// Returns a step of this kind with all times multiplied by `factor`; nil for others.
  let scaled: @Sendable (Step, _ factor: Double) -> Step?

  /// A single word.
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
    _ key: String, _ value: FormValue<Value>, needsMain: Bool = false,
    make: @escaping @Sendable (Value) -> Step, values: @escaping @Sendable (Step) -> Value?
  ) {
    self.key = key
    isWord = false
    self.needsMain = needsMain
    read = { (reader, node) throws(TextFileError) in make(try value.read(&reader, node)) }
    parts = { step in values(step).map { [value.part($0)] } }
    scaled = { step, factor in values(step).map { make(value.scaled($0, factor)) } }
  }

  init<Value>(
    _ key: String, _ value: FormValue<Value>, needsMain: Bool = false,
    _ make: @escaping @Sendable (Value) -> Step
  ) {
    self.init(key, value, needsMain: needsMain, make: make) { $0.values(make) }
  }

  /// `key: {a: value, b: value}`. `short`: the field whose value may be written in place of all fields.
  init<A, B>(
    _ key: String, short: String? = nil, _ a: FormField<A>, _ b: FormField<B>,
    _ make: @escaping @Sendable (A, B) -> Step
  ) {
    let values: @Sendable (Step) -> (A, B)? = { $0.values { make($0.0, $0.1) } }
    self.init(key, short: short) { (reader, fields) throws(TextFileError) in
      make(try a.read(&reader, &fields), try b.read(&reader, &fields))
    } parts: {
      values($0).map { [a.part($0), b.part($1)] }
    } scaled: { step, factor in
      values(step).map { make(a.value.scaled($0, factor), b.value.scaled($1, factor)) }
    }
  }

  init<A, B, C>(
    _ key: String, short: String? = nil, _ a: FormField<A>, _ b: FormField<B>, _ c: FormField<C>,
    _ make: @escaping @Sendable (A, B, C) -> Step
  ) {
    let values: @Sendable (Step) -> (A, B, C)? = { $0.values { make($0.0, $0.1, $0.2) } }
    self.init(key, short: short) { (reader, fields) throws(TextFileError) in
      make(try a.read(&reader, &fields), try b.read(&reader, &fields), try c.read(&reader, &fields))
    } parts: {
      values($0).map { [a.part($0), b.part($1), c.part($2)] }
    } scaled: { step, factor in
      values(step).map {
        make(a.value.scaled($0, factor), b.value.scaled($1, factor), c.value.scaled($2, factor))
      }
    }
  }

  private init(
    _ key: String, short: String?,
    read: @escaping @Sendable (inout ScenarioReader, inout Fields) throws(TextFileError) -> Step,
    parts: @escaping @Sendable (Step) -> [FormPart]?, scaled: @escaping @Sendable (Step, Double) -> Step?
  ) {
    self.key = key
    isWord = false
    needsMain = false
    self.read = { (reader, node) throws(TextFileError) in
      var fields =
        if let short, node.mapping == nil { Fields(node, as: short, key) } else {
          try reader.fields(node, key)
        }
      let step = try read(&reader, &fields)
      try fields.end()
      return step
    }
    self.parts = parts
    self.scaled = scaled
  }
}

extension Scenario.Step {
  /// Returns the values from which `make` makes this step; nil when there are none.
  fileprivate func values<Values>(_ make: (Values) -> Scenario.Step) -> Values? {
    guard let inside = Mirror(reflecting: self).children.first?.value else { return nil }
    // A single value with a label is in a tuple of its own.
    let values = inside as? Values ?? Mirror(reflecting: inside).children.first?.value as? Values
    return values.flatMap { make($0) == self ? $0 : nil }
  }

  private var parts: [FormPart] {
    for form in Scenario.Step.forms { if let parts = form.parts(self) { return parts } }
    return []
  }

  /// The step, and all steps inside it.
  var withInner: [Scenario.Step] { [self] + parts.flatMap(\.steps).flatMap(\.withInner) }

  /// The minimum time that the thread needs for the step.
  var spentNs: UInt64 { parts.reduce(0) { $0 + $1.spentNs } }

  func scaled(by factor: Double) -> Scenario.Step {
    for form in Scenario.Step.forms { if let step = form.scaled(self, factor) { return step } }
    return self
  }

  /// The step in YAML; nil for a step without a form.
  var node: Node? {
    for form in Scenario.Step.forms {
      guard let parts = form.parts(self) else { continue }
      if form.isWord { return ScenarioWriter.text(form.key) }
      let isAlone = parts.count == 1 && parts[0].key.isEmpty
      let value = isAlone ? parts[0].node : ScenarioWriter.mapping(parts)
      return value.map { Node([(Node(form.key), $0)]) }
    }
    return nil
  }
}
