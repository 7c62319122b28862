import RunLoopVocabulary

/// A mode or an item that systems and frameworks put into a run loop. `all` has what is known of each.
package struct WellKnown: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case mode, source0, source1, observer, timer
  }

  package let kind: Kind
  /// The name in descriptions: of a mode, of a callout's function, of the role of a timer's function, or of the kind of
  /// a context.
  package let name: String
  /// Names of the same thing in other versions of the system or in other tools.
  package let others: [String]
  /// The framework that adds it. Nil = unknown.
  package let from: String?
  /// The systems that have it. Nil = unknown.
  package let since: String?
  /// Its purpose, as a phrase. Nil = unknown.
  package let purpose: String?

  init(
    _ kind: Kind, _ name: String, others: [String] = [], from: String?, since: String?, purpose: String?
  ) {
    self.kind = kind
    self.name = name
    self.others = others
    self.from = from
    self.since = since
    self.purpose = purpose
  }

  /// The word for a fact that no source states.
  package static let unknown = "unknown"

  package var names: [String] { [name] + others }

  /// Returns the entry of a mode. Nil = the mode is not known.
  package static func mode(_ name: String) -> WellKnown? { modes[key(name)] }

  private static let modes = byName { $0.kind == .mode }
  private static let items = byName { $0.kind != .mode }

  private static func byName(_ isIncluded: (WellKnown) -> Bool) -> [String: WellKnown] {
    let pairs = all.filter(isIncluded).flatMap { entry in entry.names.map { (key($0), entry) } }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Returns the name as it is compared: without leading underscores, whose number differs between tools, and without
  /// the parameters of a C++ function.
  private static func key(_ name: String) -> String {
    String(name.drop { $0 == "_" }.prefix { $0 != "(" })
  }

  /// Returns the entry of an item by the name of its callout, else by the role of that name, else by its context.
  fileprivate static func item(_ item: LoopItem) -> WellKnown? {
    for name in [item.callout?.name, item.callout?.role] {
      if let entry = name.flatMap({ items[key($0)] }) { return entry }
    }
    guard item.callout?.name == nil, let head = item.contextHead, head.hasPrefix("<") else { return nil }
    let words = head.split { $0 == " " || $0 == "<" || $0 == ">" }
    let ofItem = words.first?.hasPrefix("CFRunLoop") == true
    return items[words.dropFirst(ofItem ? 1 : 0).joined(separator: " ")]
  }

  /// The lines of a Markdown table of all entries.
  package static var table: [String] {
    func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    return [row(["name", "kind", "from", "since", "purpose"]), "|---|---|---|---|---|"]
      + all.map { entry in
        row([
          entry.names.map { "`\($0)`" }.joined(separator: ", "), entry.kind.rawValue, entry.from ?? unknown,
          entry.since ?? unknown, entry.purpose ?? unknown,
        ])
      }
  }
}

extension LoopItem {
  /// The table's entry for the item. Nil = it is not well known.
  package var wellKnown: WellKnown? { WellKnown.item(self) }
}

extension Topology {
  /// The well-known modes and items that the loop holds, each once, in the order of `WellKnown.all`.
  package var wellKnown: [WellKnown] {
    var found: Set<String> = []
    for name in commonModes + modes.map(\.name) {
      if let entry = WellKnown.mode(name) { found.insert(entry.name) }
    }
    for placed in inventory {
      if let entry = placed.item.wellKnown { found.insert(entry.name) }
    }
    return WellKnown.all.filter { found.contains($0.name) }
  }

  /// The names of modes and callouts that are not well known, each once, in the loop's order.
  package var unknownNames: [String] {
    let ofModes = modes.map(\.name).filter { WellKnown.mode($0) == nil }
    let ofItems = inventory.map(\.item).filter { $0.wellKnown == nil }.compactMap(\.callout?.name)
    return (ofModes + ofItems).uniqued()
  }
}
