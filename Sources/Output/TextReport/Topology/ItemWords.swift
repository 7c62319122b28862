import LoopTopology
import TraceAnalysis

/// Describes items of a run loop in words.
struct ItemWords {
  /// Converts a symbol into a name that developers use.
  let readable: (String) -> String

  func callout(_ item: LoopItem) -> String {
    guard let callout = item.callout else { return context(item) ?? "with an unknown callout" }
    guard let name = callout.name else {
      return context(item) ?? callout.address.map { "callout \(TopologyTables.hex($0))" }
        ?? "without a callout"
    }
    return harmless(readable(name), limit: 200) + (callout.role.map { " (\(harmless($0)))" } ?? "")
  }

  /// Returns the kind of a context other than CoreFoundation's plain one, such as CFSocket, CFMachPort or MIG Server.
  private func context(_ item: LoopItem) -> String? {
    guard let head = item.contextHead, head.hasPrefix("<") else { return nil }
    var words = head.split { $0 == " " || $0 == "<" || $0 == ">" }.map(String.init)
    if words.first?.hasPrefix("CFRunLoop") == true { words.removeFirst() }
    guard words != ["context"], !words.isEmpty else { return nil }
    if let address = item.callout?.address { words.append(TopologyTables.hex(address)) }
    return harmless(words.joined(separator: " "))
  }

  func number(_ number: Int64?) -> String { number.map { "\($0)" } ?? "" }

  func activities(_ item: LoopItem) -> String { item.activities.map(activities) ?? "" }

  private func activities(_ mask: ActivityMask) -> String {
    let names = mask.isAll && mask.unknownBits == 0 ? ["all activities"] : TopologyTables.names(mask)
    return names.isEmpty ? "none" : names.joined(separator: " | ")
  }

  func interval(_ item: LoopItem) -> String {
    item.intervalNs.map { $0 == 0 ? "once" : length($0) } ?? ""
  }

  func tolerance(_ item: LoopItem) -> String { item.toleranceNs.map { $0 == 0 ? "" : length($0) } ?? "" }

  func firesIn(_ item: LoopItem) -> String {
    guard let ns = item.firesInNs else { return "" }
    return ns < 0 ? "\(length(ns.magnitude)) ago" : length(UInt64(ns))
  }

  /// CoreFoundation replaces longer times with its maximum.
  private func length(_ ns: UInt64) -> String {
    Double(ns) >= RunLoopLimits.longestSeconds * 1e9 ? "16 years or more" : Units.duration(ns)
  }

  /// Returns what is wrong and what to do.
  func sentence(_ finding: TopologyFinding, current: String?) -> String {
    let name = finding.item.map(callout) ?? ""
    let modes = finding.modes.map { "\"\(harmless($0))\"" }.joined(separator: ", ")
    let running = "the loop runs \"\(harmless(current ?? ""))\""
    let overdue = length(UInt64(max(finding.overdueNs ?? 0, 0)))
    return switch finding.kind {
    case .timerInOtherModes:
      "Timer \(name) is \(overdue) overdue: it is only in \(modes), and \(running). Add it to that mode, or to the "
        + "common modes if that mode is one of them."
    case .timerWithoutRun:
      "Timer \(name) is \(overdue) overdue: the loop runs in no mode, so its timers do not fire. Run the loop in "
        + "\(modes), or add the timer to a loop that runs."
    case .timerOverdue:
      "Timer \(name) is \(overdue) overdue, although its mode is running: something else holds the loop."
    case .sourceInOtherModes:
      "Source \(name) is signalled but cannot be served: it is only in \(modes), and \(running)."
    case .sourceWithoutRun:
      "Source \(name) is signalled but cannot be served: the loop runs in no mode. Run the loop in \(modes), or add "
        + "the source to a loop that runs."
    case .emptyMode: "The current mode, \(modes), holds no source and no timer: its runs return at once."
    }
  }

  /// Returns the unusual properties of the item.
  func state(_ item: LoopItem) -> String {
    var words: [String] = []
    if item.isValid == false { words.append("invalid") }
    if item.isSignalled == true { words.append("signalled") }
    if item.isFiring == true { words.append("firing") }
    if item.repeats == false { words.append("once") }
    return words.joined(separator: ", ")
  }

  // MARK: In sentences

  /// Returns a phrase such as `timer tick() (NSTimer), every 250 ms`.
  func phrase(_ item: LoopItem) -> String {
    var parts = ["\(item.kind.name) \(callout(item))"]
    if item.kind == .observer { parts.append("of \(activities(item))") }
    if let interval = item.intervalNs { parts.append(interval == 0 ? "once" : "every \(length(interval))") }
    if let order = item.order { parts.append("order \(order)") }
    let state = state(item)
    return parts.joined(separator: ", ") + (state.isEmpty ? "" : " (\(state))")
  }

  func places(_ placed: PlacedItem) -> String {
    let modes = placed.modes.isEmpty ? "no mode" : placed.modes.map { harmless($0) }.joined(separator: ", ")
    return modes + (placed.isCommon ? " (common)" : "")
  }

  func change(_ field: ItemField, _ pair: TopologyDifference.Pair) -> String {
    "\(Self.names[field] ?? field.name) \(value(field, pair.base.item)) → \(value(field, pair.other.item))"
  }

  private static let names: [ItemField: String] = [.interval: "interval", .tolerance: "tolerance"]

  private func value(_ field: ItemField, _ item: LoopItem) -> String {
    switch field.value(of: item) {
    case .integer(let number): "\(number)"
    case .ns(let ns): ns == 0 ? (field == .interval ? "once" : "0") : length(ns)
    case .truth(let isSo): isSo ? "yes" : "no"
    case .activities(let mask): activities(mask)
    case .text(let text): harmless(readable(text), limit: 100)
    case nil: "not known"
    }
  }
}
