/// Parses `NAME (0x1)` of a source or an observer, and `(ROLE) NAME (0x1 / 0x2) (IMAGE)` of a timer.
extension Callout {
  /// The texts that CoreFoundation writes for an unknown name.
  private static let noNames: Set<String> = ["?", "???", "<unknown>", "(null)", ""]

  init(_ text: String) {
    self.init()
    let bytes = Array(text.utf8)
    var scanner = DumpScanner(quoted: bytes, line: 1)
    let places = (["(0x", "((nil)"] as [StaticString]).compactMap {
      scanner.distance(to: $0, limit: bytes.count)
    }
    guard let place = places.min() else {
      // Only the address, as on Windows.
      address = scanner.address()
      if address == nil { setName(text) }
      return
    }
    var name = scanner.text(place)
    while name.hasSuffix(" ") { name.removeLast() }
    setName(name)
    _ = scanner.take("(")
    address = scanner.address()
    if scanner.take(" / ") { target = scanner.address() }
    guard scanner.take(") (") else { return }
    // Paths may have parentheses.
    let rest = scanner.text(bytes.count)
    guard let end = rest.lastIndex(of: ")") else { return }
    image = Self.known(String(rest[..<end]))
  }

  private mutating func setName(_ text: String) {
    name = Self.known(text)
    guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return }
    role = String(text[text.index(after: text.startIndex)..<end])
    name = Self.known(String(text[text.index(after: end)...].drop { $0 == " " }))
  }

  private static func known(_ name: String) -> String? { noNames.contains(name) ? nil : name }
}
