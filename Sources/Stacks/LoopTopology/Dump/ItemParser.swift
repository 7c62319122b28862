/// Parses the description of a source, an observer or a timer.
enum ItemParser {
  static func item(_ scanner: inout DumpScanner) throws(DumpError) -> LoopItem {
    scanner.skipBlank()
    let kind: LoopItem.Kind
    if scanner.take("<CFRunLoopSource ") {
      kind = .source
    } else if scanner.take("<CFRunLoopObserver ") {
      kind = .observer
    } else if scanner.take("<CFRunLoopTimer ") {
      kind = .timer
    } else {
      throw scanner.error("expected a source, an observer or a timer")
    }
    let what = kind == .observer ? "an observer" : "a \(kind.name)"
    guard let address = scanner.address() else {
      throw scanner.isAtEnd ? scanner.cut(what) : scanner.error("expected the address of \(what)")
    }
    guard let body = scanner.distance(to: ">{", limit: TopologyLimits.headBytes) else {
      throw scanner.cut(what)
    }
    scanner.skip(body + 2)
    var item = LoopItem(kind, address: address)
    while try scanner.hasField(in: what) { try readField(&scanner, what, &item) }
    return item
  }

  private static func readField(
    _ scanner: inout DumpScanner, _ what: String, _ item: inout LoopItem
  ) throws(DumpError) {
    switch try scanner.key(in: what) {
    case "valid": item.isValid = try scanner.truth(in: what)
    case "signalled": item.isSignalled = try scanner.truth(in: what)
    case "firing": item.isFiring = try scanner.truth(in: what)
    case "repeats": item.repeats = try scanner.truth(in: what)
    case "order" where item.kind != .timer: item.order = try scanner.integer(in: what)
    case "activities": item.activities = try activities(&scanner, what)
    case "interval": item.intervalNs = length(try scanner.number(in: what))
    case "tolerance": item.toleranceNs = length(try scanner.number(in: what))
    case "next fire date": try readFireDate(&scanner, what, &item)
    case "callout": item.callout = try callout(&scanner, what)
    case "context": readContext(try context(&scanner, what), &item)
    default: try scanner.skipValue(in: what)
    }
  }

  private static func length(_ seconds: Double) -> UInt64? { nanoseconds(max(0, seconds)).map(UInt64.init) }

  private static func activities(
    _ scanner: inout DumpScanner, _ what: String
  ) throws(DumpError) -> ActivityMask {
    let before = scanner
    let word = try scanner.word(in: what)
    guard word.hasPrefix("0x"), let bits = UInt64(word.dropFirst(2), radix: 16) else {
      throw before.error("expected activities as 0xa0 in \(what), got '\(word.prefix(20))'")
    }
    return ActivityMask(bits: bits)
  }

  /// Parses `616574174 (1.45552099 @ 108544238485402)`.
  private static func readFireDate(
    _ scanner: inout DumpScanner, _ what: String, _ item: inout LoopItem
  ) throws(DumpError) {
    let before = scanner
    let words = try scanner.word(in: what).split(separator: " ")
    guard let date = words.first.flatMap({ Double($0) }), date.isFinite else {
      throw before.error("expected a date in \(what), seconds since 2001")
    }
    item.nextFireDateS = date
    guard words.count == 4, words[2] == "@" else { return }
    item.firesInNs = Double(words[1].dropFirst()).flatMap(nanoseconds)
    item.firesAtTicks = Int64(words[3].dropLast())
  }

  // MARK: Callouts

  /// Takes the text up to the context, or to the end of an item without one.
  private static func callout(
    _ scanner: inout DumpScanner, _ what: String
  ) throws(DumpError) -> Callout {
    if let length = scanner.distance(to: ", context = ", limit: TopologyLimits.itemBytes) {
      var ahead = scanner
      let text = ahead.text(length)
      if !text.utf8.contains(newline) {
        scanner = ahead
        return Callout(text)
      }
    }
    return Callout(scanner.text(of: try scanner.bodyOfBraces(what)))
  }

  private static func context(
    _ scanner: inout DumpScanner, _ what: String
  ) throws(DumpError) -> String {
    let body = try scanner.bodyOfBraces(what)
    return scanner.text(of: body, limit: TopologyLimits.contextBytes)
  }

  /// Parses a context. For a source it contains the callout, after the version if the context is CoreFoundation's
  /// own.
  private static func readContext(_ context: String, _ item: inout LoopItem) {
    item.context = context
    guard item.kind == .source else { return }
    let own = "<CFRunLoopSource context>{version = "
    if context.hasPrefix(own) {
      let version = context.dropFirst(own.count)
      item.kind = version.hasPrefix("0,") ? .source0 : version.hasPrefix("1,") ? .source1 : .source
    }
    var scanner = DumpScanner(quoted: Array(context.utf8), line: 1)
    guard let place = scanner.distance(to: "callout = ", limit: context.utf8.count) else { return }
    scanner.skip(place)
    _ = scanner.take("callout = ")
    item.callout = Callout(scanner.text(beforeAny: "\n,}"))
  }
}
