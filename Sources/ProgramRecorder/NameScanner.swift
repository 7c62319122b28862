/// Takes a name apart from its beginning.
struct NameScanner {
  private(set) var text: Substring

  init(_ text: Substring) { self.text = text }

  mutating func skip(_ prefix: String) -> Bool {
    guard text.hasPrefix(prefix) else { return false }
    text = text.dropFirst(prefix.count)
    return true
  }

  /// The digits behind `prefix`; nil, and nothing is taken, where there are none.
  mutating func number(behind prefix: String) -> Substring? {
    guard text.hasPrefix(prefix) else { return nil }
    let digits = text.dropFirst(prefix.count).prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty else { return nil }
    text = text[digits.endIndex...]
    return digits
  }
}
