/// Search and replacement in texts. The functions of the standard library (`firstRange(of:)`, `replacing(_:with:)`)
/// require macOS 13 and iOS 16; this package runs on older systems.
extension StringProtocol where SubSequence == Substring {
  /// Returns the first occurrence of `part`.
  package func place(of part: String) -> Range<Index>? { self[...].firstPlace(of: part) }

  package func has(_ part: String) -> Bool { place(of: part) != nil }

  /// Returns the text with `other` in place of each occurrence of `part`.
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

extension Substring {
  /// Generic code would look up the types of the two views, and search all conformances of the program for them.
  fileprivate func firstPlace(of part: String) -> Range<Index>? {
    let bytes = Array(part.utf8)
    guard let first = bytes.first else { return startIndex..<startIndex }
    var start = utf8.startIndex
    while let at = utf8[start...].firstIndex(of: first) {
      if utf8[at...].starts(with: bytes) { return at..<utf8.index(at, offsetBy: bytes.count) }
      start = utf8.index(after: at)
    }
    return nil
  }
}
