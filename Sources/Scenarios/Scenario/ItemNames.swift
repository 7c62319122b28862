import CheckedYAML
import Yams

/// The names of items that a text defines and uses. Uses may precede definitions, so they are checked at the end.
struct ItemNames {
  enum Kind: String {
    case timer, source, observer, service, worker
    case task = "background task"
  }

  /// The kinds of items that can be added to modes.
  static let items: [Kind] = [.timer, .source, .observer]

  private var kinds: [String: Kind] = [:]
  private var uses: [(kinds: [Kind], node: Node, loop: Int)] = []
  private var mainKey: Node?
  /// The loop whose items are being read: 0 = the scenario's own loop, then those of its workers.
  private var loop = 0
  private var loops: [String: Int] = [:]
  private var loopCount = 1

  /// Begins another loop, to which the following definitions and uses belong.
  mutating func beginLoop() {
    loop = loopCount
    loopCount += 1
  }

  mutating func endLoop() { loop = 0 }

  mutating func define(_ kind: Kind, _ node: Node) throws(TextFileError) -> String {
    let name = try node.text()
    if let other = kinds.updateValue(kind, forKey: name) {
      throw TextFileError(node, "the name '\(name)' is already in use (\(other.rawValue))")
    }
    loops[name] = loop
    return name
  }

  mutating func refer(_ kinds: [Kind], _ node: Node) throws(TextFileError) -> String {
    uses.append((kinds, node, loop))
    return try node.text()
  }

  /// Notes the use of the main queue, which other loops do not serve. Throws on a worker's loop.
  mutating func needsMain(_ node: Node) throws(TextFileError) {
    guard loop == 0 else {
      throw TextFileError(node, "'main' needs the main loop; a worker has its own loop")
    }
    mainKey = mainKey ?? node
  }

  func check(isOnMain: Bool) throws(TextFileError) {
    for use in uses {
      let name = try use.node.text()
      guard kinds[name].map({ use.kinds.contains($0) }) != true else {
        guard loops[name] == use.loop else {
          throw TextFileError(use.node, "'\(name)' belongs to another loop, which no step here can reach")
        }
        continue
      }
      let known = kinds.filter { use.kinds.contains($0.value) }.keys.ordered()
      let wanted = use.kinds.map(\.rawValue).joined(separator: " or ")
      throw TextFileError(
        use.node,
        "no \(wanted) is named '\(name)'; known: \(known.isEmpty ? "none" : known.joined(separator: ", "))"
      )
    }
    if let mainKey, !isOnMain {
      throw TextFileError(mainKey, "'main' needs the main loop; this scenario says 'loop: thread'")
    }
  }
}
