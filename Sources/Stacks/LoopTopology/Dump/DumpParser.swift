/// Parses the CFCopyDescription of a CFRunLoop into the loop, its modes and their items.
///
/// The descriptions of Apple's systems and of Foundation on Linux differ in only a few fields. Unknown fields are
/// skipped, and missing ones are nil.
struct DumpParser {
  private static let loop = "the run loop"
  private static let mode = "a mode"

  /// Returns whether a loop's description begins here, possibly truncated.
  static func begins(_ scanner: DumpScanner) -> Bool {
    var scanner = scanner
    guard scanner.take("<CFRunLoop "), scanner.address() != nil || scanner.isAtEnd else { return false }
    _ = allocator(&scanner)
    return scanner.take(">{") || scanner.isAtEnd
  }

  /// Parses a loop's description. If the text ends too early, returns the items that are complete. Throws if it has
  /// neither the common modes nor the current mode.
  static func topology(_ scanner: inout DumpScanner) throws(DumpError) -> Topology {
    guard scanner.take("<CFRunLoop "), let address = scanner.address() else { throw scanner.cut(loop) }
    var topology = Topology(address: address)
    topology.allocator = allocator(&scanner)
    topology.statesCurrentMode = false
    do throws(DumpError) { try read(&scanner, into: &topology) } catch {
      guard error.isCut, topology.currentMode != nil || !topology.commonModes.isEmpty else { throw error }
      topology.cut = Topology.Cut(line: error.line, what: error.what)
    }
    topology.modes = topology.modes.ordered { ($0.name, $0.address) < ($1.name, $1.address) }
    topology.nameVersions()
    return topology
  }

  private static func read(_ scanner: inout DumpScanner, into topology: inout Topology) throws(DumpError) {
    try scanner.expect(">{", in: loop)
    var hasModes = false
    while try scanner.hasField(in: loop) {
      switch try scanner.key(in: loop) {
      case "stopped": topology.isStopped = try scanner.truth(in: loop)
      case "current mode":
        let name = scanner.restOfLine()
        topology.currentMode = name == "(none)" || name == "(null)" || name.isEmpty ? nil : name
        topology.statesCurrentMode = !name.isEmpty
      case "common modes":
        var names: [String] = []
        try scanner.collection("the common modes", limit: TopologyLimits.modes) {
          (scanner) throws(DumpError) in names.append(try modeName(&scanner))
        }
        topology.commonModes = names.ordered()
      case "common mode items":
        try items(&scanner, "the common items", nil, into: &topology.commonItems)
      case "modes":
        hasModes = true
        try scanner.collection("the modes", limit: TopologyLimits.modes) {
          (scanner) throws(DumpError) in
          var mode = TopologyMode(name: "", address: 0)
          var hasQueue = false
          // A truncated mode counts if it has a name.
          defer {
            if !mode.name.isEmpty {
              topology.modes.append(mode)
              topology.form = hasQueue ? .apple : topology.form ?? .linux
            }
          }
          do throws(DumpError) { try self.mode(&scanner, into: &mode, &hasQueue) } catch {
            mode.isCut = true
            throw error
          }
        }
      default: try scanner.skipValue(in: loop)
      }
    }
    guard hasModes else { throw scanner.error("the dump ends without its modes") }
  }

  /// Parses ` [0x7fff8062d610]`.
  private static func allocator(_ scanner: inout DumpScanner) -> UInt64? {
    guard scanner.take(" [") else { return nil }
    let address = scanner.address()
    return scanner.take("]") ? address : nil
  }

  /// Parses an entry of the common modes: a CFString, or a plain name.
  private static func modeName(_ scanner: inout DumpScanner) throws(DumpError) -> String {
    guard scanner.take("<CFString ") else { return scanner.text(beforeAny: ",\n\r)") }
    guard let head = scanner.distance(to: "{contents = \"", limit: TopologyLimits.headBytes) else {
      throw scanner.cut("the common modes")
    }
    scanner.skip(head)
    _ = scanner.take("{contents = \"")
    guard let length = scanner.distance(to: "\"}", limit: TopologyLimits.nameBytes) else {
      throw scanner.cut("the common modes")
    }
    let name = scanner.text(length)
    _ = scanner.take("\"}")
    return name
  }

  // MARK: Modes

  private static func mode(
    _ scanner: inout DumpScanner, into result: inout TopologyMode, _ hasQueue: inout Bool
  ) throws(DumpError) {
    try scanner.expect("<CFRunLoopMode ", in: "the modes")
    guard let address = scanner.address() else {
      throw scanner.isAtEnd ? scanner.cut(mode) : scanner.error("expected the address of a mode")
    }
    _ = allocator(&scanner)
    try scanner.expect(">{", in: mode)
    result.address = address
    while try scanner.hasField(in: mode) {
      if scanner.take("currently ") {
        readMoment(scanner.text(beforeAny: "\n\r}"), &result)
        continue
      }
      let key = try scanner.key(in: mode)
      switch key {
      case "name": result.name = name(&scanner)
      case "queue":
        hasQueue = true
        try scanner.skipValue(in: mode)
      case "sources0": try items(&scanner, "the sources0", .source0, into: &result.sources0)
      case "sources1": try items(&scanner, "the sources1", .source1, into: &result.sources1)
      case "observers": try items(&scanner, "the observers", .observer, into: &result.observers)
      case "timers": try items(&scanner, "the timers", .timer, into: &result.timers)
      default: try scanner.skipValue(in: mode)
      }
    }
  }

  /// Parses a mode's name. Names have no quotes here and may contain commas, so the text after them decides where
  /// they end.
  private static func name(_ scanner: inout DumpScanner) -> String {
    let ends = [", port set = ", ", locked = "] as [StaticString]
    let length = ends.compactMap { scanner.distance(to: $0, limit: TopologyLimits.nameBytes) }.min()
    return length.map { scanner.text($0) } ?? scanner.text(beforeAny: ",\n}")
  }

  /// Parses `616574172 (108542780315622) / soft deadline in: 1.458 sec (@ 108544238485402) / hard deadline in: …`.
  private static func readMoment(_ text: String, _ mode: inout TopologyMode) {
    let words = text.split(separator: " ")
    mode.nowS = words.first.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    let now = words.dropFirst().first.flatMap { UInt64($0.drop { $0 == "(" }.prefix { $0 != ")" }) }
    guard let soft = words.firstIndex(of: "soft"), words.count > soft + 6, words[soft + 4] == "sec",
      let seconds = Double(words[soft + 3]), let ticks = UInt64(words[soft + 6].prefix { $0 != ")" })
    else { return }
    // The seconds are unsigned and wrap when the deadline has passed. Then the ticks, which are nanoseconds, give the
    // time.
    if seconds < Double(Int64.max) / 1e9 {
      mode.deadlineNs = nanoseconds(seconds)
    } else if let now, ticks <= now {
      mode.deadlineNs = -Int64(clamping: now - ticks)
    }
  }

  /// Parses the items of one kind, or of any kind for nil. If the text ends too early, keeps the complete ones.
  private static func items(
    _ scanner: inout DumpScanner, _ what: String, _ kind: LoopItem.Kind?, into items: inout [LoopItem]
  ) throws(DumpError) {
    var found: [LoopItem] = []
    let left = scanner.itemsLeft
    defer {
      scanner.itemsLeft = left - found.count
      items = found.ordered(by: LoopItem.comesBefore)
    }
    try scanner.collection(what, limit: TopologyLimits.items) {
      (scanner) throws(DumpError) in
      let before = scanner
      guard found.count < left else { throw before.error("more than \(TopologyLimits.items) items") }
      var item = try ItemParser.item(&scanner)
      if let kind {
        guard item.kind == kind || item.kind.isSource && kind.isSource else {
          throw before.error("found a \(item.kind.name) among \(what)")
        }
        item.kind = kind
      }
      found.append(item)
    }
  }
}

/// Converts seconds to nanoseconds, clamped to 64 bits; nil when not finite.
func nanoseconds(_ seconds: Double) -> Int64? {
  guard seconds.isFinite else { return nil }
  let ns = (seconds * 1e9).rounded()
  return ns >= 0x1p63 ? .max : ns <= -0x1p63 ? .min : Int64(ns)
}

extension Topology {
  /// Determines the versions of sources that describe themselves in their own way: they do not state a version, but
  /// the modes that contain them do.
  mutating func nameVersions() {
    var versions: [UInt64: LoopItem.Kind] = [:]
    for item in modes.flatMap({ $0.sources0 + $0.sources1 }) { versions[item.address] = item.kind }
    for index in commonItems.indices where commonItems[index].kind == .source {
      commonItems[index].kind = versions[commonItems[index].address] ?? .source
    }
  }
}
