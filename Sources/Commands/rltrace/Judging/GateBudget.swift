import CheckedYAML
import TraceGate
import Yams

/// Reads and writes rules as YAML. docs/reference/commands/gate.md describes the keys.
enum GateBudget {
  /// Returns the text of a file with the rules. Reading the text returns the same rules.
  static func text(_ rules: [GateRule]) throws(Failure) -> String {
    let nodes = rules.map { rule -> Node in
      let text = Node(rule.text)
      return rule.name.map { [Node("name"): Node($0), Node("rule"): text] } ?? text
    }
    do {
      return try Yams.serialize(node: [Node("rules"): Node(nodes)], width: -1, allowUnicode: true)
    } catch {
      throw Failure(status: .badData, message: "the rules cannot be written as YAML")
    }
  }

  static func read(_ text: String) throws(TextFileError) -> [GateRule] {
    let root = try YAMLDocument.root(of: text)
    var fields = try Fields(root, "a budget")
    let list = try fields.required("rules")
    guard let nodes = list.sequence, !nodes.isEmpty else {
      throw TextFileError(list, "expected a list of rules, such as '- max(busy) < 250ms'")
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
