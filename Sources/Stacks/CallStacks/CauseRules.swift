import EmbeddedFiles
import CheckedYAML
import RunLoopVocabulary
import Yams

/// An ordered list of rules; the first one that holds applies. docs/reference/causes.md describes the keys and the built-in
/// rules.
package struct CauseRules: Sendable {
  package let rules: [CauseRule]

  /// Returns the package's own rules, which are parsed once.
  package static func builtIn() throws(TextFileError) -> CauseRules { try parsed.get() }

  private static let parsed = Result<CauseRules, TextFileError> { () throws(TextFileError) in
    try CauseRules(builtInText, isBuiltIn: true)
  }

  /// The YAML text of the package's own rules.
  package static var builtInText: String { EmbeddedFile.text("causes.yaml") }

  /// Parses a YAML text.
  package init(_ text: String) throws(TextFileError) { try self.init(text, isBuiltIn: false) }

  private init(_ text: String, isBuiltIn: Bool) throws(TextFileError) {
    var fields = try Fields(YAMLDocument.root(of: text), "a file of rules")
    let list = try fields.required("rules")
    try fields.end()
    guard let nodes = list.sequence, !nodes.isEmpty else {
      throw TextFileError(list, "expected a list of rules, such as '- id: mine'")
    }
    guard nodes.count <= YAMLLimits.rules else {
      throw TextFileError(list, "more than \(YAMLLimits.rules) rules")
    }
    var rules: [CauseRule] = []
    var ids: Set<String> = []
    for node in nodes {
      let rule = try CauseRule(node, isBuiltIn: isBuiltIn)
      guard ids.insert(rule.id).inserted else {
        throw TextFileError(node, "two rules have the id '\(rule.id)'")
      }
      rules.append(rule)
    }
    self.rules = rules
  }

  private init(rules: [CauseRule]) { self.rules = rules }

  /// An empty list, with which every cause is unknown.
  package static let none = CauseRules(rules: [])

  /// Returns these rules followed by the others.
  package func before(_ others: CauseRules) -> CauseRules { CauseRules(rules: rules + others.rules) }
}

extension CauseRule {
  init(_ node: Node, isBuiltIn: Bool) throws(TextFileError) {
    var fields = try Fields(node, "a rule")
    id = try fields.required("id").text()
    cause = try CauseRule.cause(fields.required("cause"))
    means = try fields.required("means").text()
    remedy = try fields.take("remedy")?.text()
    isWaiting = try fields.take("waits for events")?.truth() ?? false
    self.isBuiltIn = isBuiltIn
    frame = try FramePattern(&fields)
    if let node = fields.take("called by") {
      var inner = try Fields(node, "called by")
      var caller = try FramePattern(&inner)
      guard caller != nil else { throw inner.mistake("'called by' needs symbols or images") }
      caller?.within = try inner.take("within")?.number()
      try inner.end()
      self.caller = caller
    } else {
      caller = nil
    }
    systemCalls = try fields.take("system calls")?.names().map(Glob.init(function:)) ?? []
    descriptors =
      try fields.take("descriptors")?.names().map { name throws(TextFileError) in
        guard let kind = DescriptorKind(name: name) else {
          throw fields.mistake(
            "'\(name)' is not a kind of descriptor; known: "
              + DescriptorKind.allCases.map(\.name).joined(separator: ", ")
          )
        }
        return kind
      } ?? []
    cpuAbove = try fields.take("cpu above")?.share()
    cpuBelow = try fields.take("cpu below")?.share()
    isSuspended = try fields.take("suspended")?.truth() ?? false
    ownCodeRuns = try fields.take("own code runs")?.truth() ?? false
    isRunning = try fields.take("running")?.truth()
    isCertain = try fields.take("certain")?.truth() ?? true
    try fields.end()
    guard caller == nil || frame != nil else {
      throw fields.mistake("'called by' also needs symbols or images, for the called function")
    }
    guard
      frame != nil || !systemCalls.isEmpty || cpuAbove != nil || isSuspended || ownCodeRuns
        || isRunning == true
    else {
      throw fields.mistake(
        "the rule '\(id)' always holds; it needs one of symbols, images, system calls, cpu above, suspended, "
          + "own code runs, running: true")
    }
  }

  private static func cause(_ node: Node) throws(TextFileError) -> StallCause {
    StallCause(name: try node.oneOf(StallCause.allCases.map(\.name), "cause")) ?? .unknown
  }
}

extension FramePattern {
  /// Nil when neither symbols nor images are given.
  fileprivate init?(_ fields: inout Fields) throws(TextFileError) {
    let symbols = try fields.take("symbols")?.names()
    let images = try fields.take("images")?.names()
    own = try fields.take("own")?.truth() ?? false
    self.symbols = (symbols ?? []).map(Glob.init(function:))
    self.images = (images ?? []).map { Glob($0) }
    if symbols == nil, images == nil { return nil }
  }
}

extension Node {
  fileprivate func names() throws(TextFileError) -> [String] {
    guard let sequence, !sequence.isEmpty else { throw TextFileError(self, "expected a list of names") }
    guard sequence.count <= YAMLLimits.names else {
      throw TextFileError(self, "more than \(YAMLLimits.names) names")
    }
    var names: [String] = []
    for node in sequence { names.append(try node.text()) }
    return names
  }

  fileprivate func share() throws(TextFileError) -> Double {
    guard let share = float, share >= 0, share <= 1 else {
      throw TextFileError(self, "expected a share from 0 to 1")
    }
    return share
  }
}
