import CheckedYAML
import Durations
import RunLoopVocabulary
import Yams

/// A kind of value that steps have: how it is read and written, and what of it is time or further steps.
struct StepValue<Value: Sendable>: Sendable {
  let read: @Sendable (inout ScenarioReader, Node) throws(TextFileError) -> Value
  /// Nil: is left out.
  let write: @Sendable (Value) -> Node?
  var scaled: @Sendable (Value, _ factor: Double) -> Value = { value, _ in value }
  var steps: @Sendable (Value) -> [Scenario.Step] = { _ in [] }
  /// What the thread spends on it itself, at least.
  var spentNs: @Sendable (Value) -> UInt64 = { _ in 0 }

  func part(_ value: Value) -> StepForm.Part {
    StepForm.Part(node: write(value), steps: steps(value), spentNs: spentNs(value))
  }
}

extension StepValue<UInt64> {
  /// A time that the thread spends.
  static var duration: StepValue {
    StepValue(
      read: { (_, node) throws(TextFileError) in try node.duration() }, write: ScenarioWriter.duration,
      scaled: Scenario.scale, spentNs: { $0 })
  }
}

extension StepValue<ClosedRange<UInt64>> {
  static var durationRange: StepValue {
    StepValue(
      read: { (_, node) throws(TextFileError) in try node.durationRange() },
      write: { range in
        let low = DurationText.word(range.lowerBound), high = DurationText.word(range.upperBound)
        return Node(low == high ? low : low + ".." + high)
      },
      scaled: { Scenario.scale($0.lowerBound, $1)...Scenario.scale($0.upperBound, $1) },
      spentNs: { $0.lowerBound })
  }
}

extension StepValue<Int64> {
  static var signedDuration: StepValue {
    StepValue(
      read: { (_, node) throws(TextFileError) in try node.signedDuration() },
      write: { Node(DurationText.signedWord($0)) },
      scaled: { Int64(Scenario.scale($0.magnitude, $1)) * $0.signum() })
  }
}

extension StepValue<String> {
  static var text: StepValue {
    StepValue(
      read: { (_, node) throws(TextFileError) in try node.text() }, write: ScenarioWriter.text)
  }

  static var mode: StepValue {
    StepValue(
      read: { (reader, node) throws(TextFileError) in try reader.mode(node) },
      write: { ScenarioWriter.text(ModeWord.word($0)) })
  }

  /// An item of the scenario, of one of these kinds.
  static func name(of kinds: [ItemNames.Kind]) -> StepValue {
    StepValue(
      read: { (reader, node) throws(TextFileError) in try reader.names.refer(kinds, node) },
      write: ScenarioWriter.text)
  }
}

extension StepValue<LifePhase> {
  static var phase: StepValue {
    StepValue(
      read: { (_, node) throws(TextFileError) in
        let word = try node.oneOf(LifePhase.allCases.map(\.name), "phase")
        return LifePhase(name: word) ?? .active
      }, write: { ScenarioWriter.text($0.name) })
  }
}

extension StepValue<[String]> {
  static var modes: StepValue {
    StepValue(
      read: { (reader, node) throws(TextFileError) in try reader.modes(node, none: []) },
      write: ScenarioWriter.modes)
  }
}

extension StepValue<Bool> {
  /// Left out where it is false.
  static var flag: StepValue {
    StepValue(
      read: { (_, node) throws(TextFileError) in try node.truth() }, write: { $0 ? Node("true") : nil })
  }
}

extension StepValue<[Scenario.Step]> {
  static var steps: StepValue {
    StepValue(
      read: { (reader, node) throws(TextFileError) in try reader.steps(node) }, write: ScenarioWriter.steps,
      scaled: { steps, factor in steps.map { $0.scaled(by: factor) } }, steps: { $0 })
  }
}

extension StepValue {
  static func optional<Wrapped>(_ value: StepValue<Wrapped>) -> StepValue where Value == Wrapped? {
    StepValue(
      read: { (reader, node) throws(TextFileError) in try value.read(&reader, node) },
      write: { $0.flatMap(value.write) },
      scaled: { wrapped, factor in wrapped.map { value.scaled($0, factor) } },
      steps: { $0.map(value.steps) ?? [] }, spentNs: { $0.map(value.spentNs) ?? 0 })
  }
}
