/// Parses a name from its beginning.
struct NameScanner {
  private(set) var text: Substring

  init(_ text: Substring) { self.text = text }

  mutating func skip(_ prefix: String) -> Bool {
    guard text.hasPrefix(prefix) else { return false }
    text = text.dropFirst(prefix.count)
    return true
  }

  /// Takes `prefix` and the digits after it, and returns the digits. Returns nil and takes nothing if there are
  /// none.
  mutating func number(behind prefix: String) -> Substring? {
    guard text.hasPrefix(prefix) else { return nil }
    let digits = text.dropFirst(prefix.count).prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty else { return nil }
    text = text[digits.endIndex...]
    return digits
  }
}
