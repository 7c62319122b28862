extension String {
  /// Its first characters, as many as take so many bytes of UTF-8 at most.
  package func cut(toBytes limit: Int) -> Substring {
    guard utf8.count > limit else { return self[...] }
    var end = utf8.index(startIndex, offsetBy: limit)
    // Within a character, all but its first byte begin with the bits 10.
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return self[..<end]
  }
}
