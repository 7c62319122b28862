/// Fields of the form `key = value, key = value`, and collections of values.
extension DumpScanner {
  /// Returns whether another field follows. If not, takes the closing brace.
  mutating func hasField(in what: String) throws(DumpError) -> Bool {
    skipBlank()
    while take(",") { skipBlank() }
    if take("}") { return false }
    guard !isAtEnd else { throw cut(what) }
    return true
  }

  /// Takes the name of a field and the equals sign after it.
  mutating func key(in what: String) throws(DumpError) -> String {
    let key = text(beforeAny: "=,{}<\n", limit: TopologyLimits.headBytes)
    guard take("=") else { throw isAtEnd ? cut(what) : error("expected a field of \(what), `name = value`") }
    skipBlank()
    return key.hasSuffix(" ") ? String(key.dropLast()) : key
  }

  /// Skips a value that is not needed, up to the comma. Braces in it are skipped as a whole.
  mutating func skipValue(in what: String) throws(DumpError) {
    while let byte = next {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "}"): return
      case _ where isComment(at): return
      case UInt8(ascii: "{"):
        skip(1)
        _ = try bodyOfBraces(what)
        skip(1)
      default: skip(1)
      }
    }
    throw cut(what)
  }

  /// Takes the text up to the comma or the brace.
  mutating func word(in what: String) throws(DumpError) -> String {
    let word = value()
    guard !isAtEnd else { throw cut(what) }
    return word
  }

  mutating func truth(in what: String) throws(DumpError) -> Bool {
    let before = self
    switch try word(in: what) {
    case "Yes", "true": return true
    case "No", "false": return false
    case let word: throw before.error("expected Yes or No in \(what), got '\(word.prefix(20))'")
    }
  }

  mutating func number(in what: String) throws(DumpError) -> Double {
    let before = self
    let word = try word(in: what)
    // `Double` also accepts the words that %g prints, such as inf and nan. They have no use here.
    guard let value = Double(word), value.isFinite else {
      throw before.error("expected a number in \(what), got '\(word.prefix(20))'")
    }
    return value
  }

  mutating func integer(in what: String) throws(DumpError) -> Int64 {
    let before = self
    let word = try word(in: what)
    guard let value = Int64(word) else {
      throw before.error("expected a whole number in \(what), got '\(word.prefix(20))'")
    }
    return value
  }

  /// Takes the entries of a set or an array, in any of its forms:
  ///
  ///     <CFBasicHash 0x1 [0x2]>{type = mutable set, count = 1,\nentries =>\n\t0 : ENTRY\n}
  ///     <CFArray 0x1 [0x2]>{type = mutable-small, count = 1, values = (\n\t0 : ENTRY\n)}
  ///     <CFSet 0x1 [0x2]>{count = 1, capacity = 3, pairs = (\n\t0 : ENTRY\n)}
  ///     (\n"ENTRY"\n)
  ///     {(\nENTRY\n)}
  ///     (null)
  mutating func collection(
    _ what: String, limit: Int, _ entry: (inout DumpScanner) throws(DumpError) -> Void
  ) throws(DumpError) {
    skipBlank()
    if take("(null)") { return }
    let beginning = self
    var announced: Int?
    let ends: [StaticString]
    if take("<") {
      (announced, ends) = try head(of: what)
    } else if take("{(") {
      ends = [")", "}"]
    } else {
      try expect("(", in: what)
      ends = [")"]
    }
    var count = 0
    while true {
      skipBlank()
      while take(",") { skipBlank() }
      if take(ends[0]) { break }
      guard !isAtEnd else { throw cut(what) }
      guard count < limit else { throw error("\(what) have more than \(limit) entries") }
      count += 1
      if next == UInt8(ascii: "\"") {
        var inside = try quotedText(limit: 2 * TopologyLimits.itemBytes, what)
        try entry(&inside)
        continue
      }
      skipNumber()
      let before = at
      try entry(&self)
      guard at > before else { throw error("expected an entry of \(what)") }
    }
    for end in ends.dropFirst() {
      skipBlank()
      try expect(end, in: what)
    }
    if let announced, announced != count {
      throw beginning.error("expected \(announced) entries of \(what), got \(count)")
    }
  }

  /// The text before the entries of a set or an array, and the texts after them.
  private static let openings: [(word: StaticString, ends: [StaticString])] = [
    ("entries =>", ["}"]), ("values = (", [")", "}"]), ("pairs = (", [")", "}"]),
  ]

  /// Takes the text before the entries. Returns the number of entries that it states, and the texts that end them.
  private mutating func head(of what: String) throws(DumpError) -> (count: Int?, ends: [StaticString]) {
    let limit = TopologyLimits.headBytes
    let places = Self.openings.compactMap { opening in
      distance(to: opening.word, limit: limit).map { (opening, distance: $0) }
    }
    guard let (opening, distance) = places.min(by: { $0.distance < $1.distance }) else {
      throw hasMore(than: limit) ? error("expected a set or an array of \(what)") : cut(what)
    }
    var count: Int?
    if let place = self.distance(to: "count = ", limit: distance) {
      var ahead = self
      ahead.skip(place)
      _ = ahead.take("count = ")
      count = Int(ahead.text(beforeAny: ", \n"))
    }
    skip(distance)
    _ = take(opening.word)
    return (count, opening.ends)
  }

  /// Skips `0 : ` before an entry.
  private mutating func skipNumber() {
    var ahead = self
    while ahead.next?.isDigit == true { ahead.skip(1) }
    if ahead.at > at, ahead.take(" : ") { self = ahead }
  }
}
