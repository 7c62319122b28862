import CheckedYAML
import TraceGate

/// Rules of a YAML file. docs/commands/gate.md has its keys.
enum GateBudget {
  static func load(_ file: String) throws(Failure) -> [GateRule] {
    let text = try TextFile.read(file)
    do throws(TextFileError) {
      return try read(text)
    } catch {
      throw TextFile.failure(file, error)
    }
  }

  private static func read(_ text: String) throws(TextFileError) -> [GateRule] {
    let root = try YAMLDocument.root(of: text)
    var fields = try Fields(root, "a budget")
    let list = try fields.required("rules")
    guard let nodes = list.sequence, !nodes.isEmpty else {
      throw TextFileError(list, "expected a list of rules, '- max(gap) < 250ms'")
    }
    var rules: [GateRule] = []
    for node in nodes {
      var place = node
      var name: String?
      if node.mapping != nil {
        var rule = try Fields(node, "a rule")
        place = try rule.required("rule")
        name = try rule.take("name")?.text()
        try rule.end()
      }
      let text = try place.text()
      do throws(RuleError) {
        rules.append(try RuleParser.parse(text, name: name))
      } catch {
        throw TextFileError(place, "in the rule, \(error)")
      }
    }
    try fields.end()
    return rules
  }
}
