extension String {
  /// Returns the longest prefix that takes at most `limit` bytes of UTF-8, without splitting a Unicode scalar.
  package func cut(toBytes limit: Int) -> Substring {
    guard utf8.count > limit else { return self[...] }
    var end = utf8.index(startIndex, offsetBy: limit)
    // All bytes of a scalar but the first begin with the bits 10.
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return self[..<end]
  }
}
