/// Looking for a text in a text. The standard library's own ways (`firstRange(of:)`, `replacing(_:with:)`) ask for
/// macOS 13 and iOS 16; this package runs on older systems.
extension StringProtocol {
  /// The first place where `part` stands.
  package func place(of part: String) -> Range<Index>? {
    let bytes = Array(part.utf8)
    guard let first = bytes.first else { return startIndex..<startIndex }
    var start = utf8.startIndex
    while let at = utf8[start...].firstIndex(of: first) {
      if utf8[at...].starts(with: bytes) { return at..<utf8.index(at, offsetBy: bytes.count) }
      start = utf8.index(after: at)
    }
    return nil
  }

  package func has(_ part: String) -> Bool { place(of: part) != nil }

  /// With `other` wherever `part` stands.
  package func with(_ other: String, for part: String) -> String {
    var result = ""
    var rest = self[...]
    while !part.isEmpty, let found = rest.place(of: part) {
      result += String(rest[..<found.lowerBound])
      result += other
      rest = rest[found.upperBound...]
    }
    return result + String(rest)
  }
}
