import CheckedYAML
import Yams

/// Reads the YAML form of a scenario. Checks every key and value, and refuses unknown ones.
package struct ScenarioReader {
  private var nodes = 0
  var names = ItemNames()

  /// Reads a scenario. Throws `TextFileError` with the line of the first mistake.
  package static func read(_ text: String) throws(TextFileError) -> Scenario {
    let root = try YAMLDocument.root(of: text)
    var reader = ScenarioReader()
    let scenario = try Scenario.form.read(&reader, root)
    try reader.names.check(isOnMain: scenario.isOnMain)
    return scenario
  }

  mutating func steps(_ node: Node) throws(TextFileError) -> [Scenario.Step] {
    var steps: [Scenario.Step] = []
    for item in try items(node) { steps.append(try step(item)) }
    return steps
  }

  /// Reads one step: a word, or one key with its value.
  private mutating func step(_ node: Node) throws(TextFileError) -> Scenario.Step {
    try count(node)
    let forms = Scenario.Step.forms
    func form(_ key: Node, isWord: Bool) throws(TextFileError) -> StepForm {
      let known = forms.filter { $0.isWord == isWord }
      let word = try key.oneOf(known.map(\.key), "step")
      return known.first { $0.key == word } ?? forms[0]
    }
    if node.scalar != nil { return try form(node, isWord: true).read(&self, node) }
    guard let mapping = node.mapping, mapping.count == 1, let (key, value) = mapping.first else {
      let known = forms.map(\.key).joined(separator: ", ")
      throw TextFileError(node, "a step is a word or one 'key: value'; steps: \(known)")
    }
    let kind = try form(key, isWord: false)
    if kind.needsMain { try names.needsMain(key) }
    return try kind.read(&self, value)
  }

  mutating func items(_ node: Node) throws(TextFileError) -> [Node] {
    try count(node)
    guard let sequence = node.sequence else { throw TextFileError(node, "expected a list") }
    return Array(sequence)
  }

  mutating func fields(_ node: Node, _ what: String) throws(TextFileError) -> Fields {
    try count(node)
    return try Fields(node, what)
  }

  private mutating func count(_ node: Node) throws(TextFileError) {
    nodes += 1
    if nodes > YAMLLimits.parts {
      throw TextFileError(node, "more than \(YAMLLimits.parts) parts")
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
