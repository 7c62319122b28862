import Yams

/// Writes the YAML form of a scenario. Reading it gives the same scenario.
package enum ScenarioWriter {
  /// Returns the YAML text. Throws when a value cannot be written as YAML.
  package static func write(_ scenario: Scenario) throws -> String {
    try Yams.serialize(node: Scenario.form.node(scenario), width: 100)
  }

  static func mapping(_ parts: [FormPart]) -> Node {
    Node(parts.compactMap { part in part.node.map { (Node(part.key), $0) } })
  }

  @Sendable static func text(_ text: String) -> Node {
    // Quoted where a plain word would have another meaning.
    Node.scalar(Node.Scalar(text, Tag(.str), text.isEmpty || Double(text) != nil ? .doubleQuoted : .any))
  }
}
