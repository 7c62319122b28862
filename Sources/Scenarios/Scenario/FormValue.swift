import CheckedYAML
import RunLoopVocabulary
import Yams

/// A kind of value in items and steps: how to read and write it, and which parts of it are times or further steps.
struct FormValue<Value: Sendable>: Sendable {
  var read: @Sendable (inout ScenarioReader, Node) throws(TextFileError) -> Value
  /// Nil = the value is left out.
  let write: @Sendable (Value) -> Node?
  var scaled: @Sendable (Value, _ factor: Double) -> Value = { value, _ in value }
  var steps: @Sendable (Value) -> [Scenario.Step] = { _ in [] }
  /// The minimum time that the thread itself spends on the value.
  var spentNs: @Sendable (Value) -> UInt64 = { _ in 0 }

  func part(_ value: Value, key: String = "") -> FormPart {
    FormPart(key: key, node: write(value), steps: steps(value), spentNs: spentNs(value))
  }
}

/// A value of an item or a step, ready to be written.
struct FormPart {
  /// The key; empty when the step has only this value.
  var key: String
  /// Nil = left out.
  var node: Node?
  var steps: [Scenario.Step]
  var spentNs: UInt64
}

extension FormValue<UInt64> {
  /// Time that the thread spends.
  static var duration: FormValue { duration(atLeast: 0) }

  static func duration(atLeast: UInt64) -> FormValue {
    FormValue(
      read: { (_, node) throws(TextFileError) in try node.duration(atLeast: atLeast) },
      write: { Node(DurationText.word($0)) }, scaled: scale, spentNs: { $0 })
  }
}

/// Returns a time multiplied by `factor`.
@Sendable private func scale(_ ns: UInt64, _ factor: Double) -> UInt64 {
  UInt64(clamping: min(Double(ns) * factor, 1e18).rounded())
}

extension FormValue<ClosedRange<UInt64>> {
  static var durationRange: FormValue {
    FormValue(
      read: { (_, node) throws(TextFileError) in try node.durationRange() },
      write: { range in
        let low = DurationText.word(range.lowerBound), high = DurationText.word(range.upperBound)
        return Node(low == high ? low : low + ".." + high)
      },
      scaled: { scale($0.lowerBound, $1)...scale($0.upperBound, $1) },
      spentNs: { $0.lowerBound })
  }
}

extension FormValue<Int64> {
  static var signedDuration: FormValue {
    FormValue(
      read: { (_, node) throws(TextFileError) in try node.signedDuration() },
      write: { Node(DurationText.signedWord($0)) },
      scaled: { Int64(scale($0.magnitude, $1)) * $0.signum() })
  }
}

extension FormValue<Int> {
  static var number: FormValue {
    FormValue(read: { (_, node) throws(TextFileError) in try node.number() }, write: { Node("\($0)") })
  }
}

extension FormValue<String> {
  static var text: FormValue {
    FormValue(read: { (_, node) throws(TextFileError) in try node.text() }, write: ScenarioWriter.text)
  }

  /// A mode. The usual ones have short names.
  static var mode: FormValue {
    FormValue(
      read: { (_, node) throws(TextFileError) in
        let name = try node.text()
        return ModeWord.modes[name] ?? name
      }, write: { ScenarioWriter.text(ModeWord.word($0)) })
  }

  /// A reference to an item of one of these kinds.
  static func name(of kinds: [ItemNames.Kind]) -> FormValue {
    FormValue(
      read: { (reader, node) throws(TextFileError) in try reader.names.refer(kinds, node) },
      write: ScenarioWriter.text)
  }

  /// The name that an item defines.
  static func newName(_ kind: ItemNames.Kind) -> FormValue {
    FormValue(
      read: { (reader, node) throws(TextFileError) in try reader.names.define(kind, node) },
      write: ScenarioWriter.text)
  }
}

extension FormValue where Value: Named {
  /// `what`: the kind of value, for messages.
  static func named(_ what: String) -> FormValue {
    FormValue(
      read: { (_, node) throws(TextFileError) in
        let names = Value.allCases.map(\.name)
        let name = try node.oneOf(names, what)
        guard let value = Value(name: name) else { throw TextFileError(node, "no \(what) '\(name)'") }
        return value
      }, write: { ScenarioWriter.text($0.name) })
  }
}

extension FormValue<[String]> {
  /// A list of modes. A single mode may be written without a list.
  static var modes: FormValue {
    let list = FormValue.list(.mode)
    return FormValue(
      read: { (reader, node) throws(TextFileError) in
        node.scalar == nil
          ? try list.read(&reader, node) : [try FormValue<String>.mode.read(&reader, node)]
      }, write: list.write)
  }
}

extension FormValue<Bool> {
  static var flag: FormValue {
    FormValue(read: { (_, node) throws(TextFileError) in try node.truth() }, write: { Node("\($0)") })
  }

  /// A flag written as one word for true and another for false.
  static func word(_ words: (yes: String, no: String), _ what: String) -> FormValue {
    FormValue(
      read: { (_, node) throws(TextFileError) in try node.oneOf([words.yes, words.no], what) == words.yes },
      write: { ScenarioWriter.text($0 ? words.yes : words.no) })
  }
}

extension FormValue<[Scenario.Step]> {
  static var steps: FormValue {
    FormValue(
      read: { (reader, node) throws(TextFileError) in try reader.steps(node) },
      write: { Node($0.compactMap(\.node)) },
      scaled: { steps, factor in steps.map { $0.scaled(by: factor) } }, steps: { $0 })
  }
}

extension FormValue {
  static func optional<Wrapped>(_ value: FormValue<Wrapped>) -> FormValue where Value == Wrapped? {
    FormValue(
      read: { (reader, node) throws(TextFileError) in try value.read(&reader, node) },
      write: { $0.flatMap(value.write) },
      scaled: { wrapped, factor in wrapped.map { value.scaled($0, factor) } },
      steps: { $0.map(value.steps) ?? [] }, spentNs: { $0.map(value.spentNs) ?? 0 })
  }

  static func list<Element>(_ element: FormValue<Element>) -> FormValue where Value == [Element] {
    FormValue(
      read: { (reader, node) throws(TextFileError) in
        var elements: [Element] = []
        for node in try reader.items(node) { elements.append(try element.read(&reader, node)) }
        return elements
      }, write: { Node($0.compactMap(element.write)) },
      scaled: { elements, factor in elements.map { element.scaled($0, factor) } },
      steps: { $0.flatMap(element.steps) })
  }
}

extension FormValue {
  /// An item with its own loop. Only its own steps can use the names in it.
  static func ofAnotherLoop(_ form: ItemForm<Value>) -> FormValue {
    var value = form.value
    let read = value.read
    value.read = { (reader, node) throws(TextFileError) in
      reader.names.beginLoop()
      defer { reader.names.endLoop() }
      return try read(&reader, node)
    }
    return value
  }
}
