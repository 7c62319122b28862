/// Reads a description written by CoreFoundation from front to back. White space between words does not matter,
/// because logs and mails change it.
struct DumpScanner {
  private let bytes: [UInt8]
  private let end: Int
  /// The start of the dump.
  private let start: Int
  private let firstLine: Int
  /// Whether the text was quoted, with its line breaks escaped. Then all of it is on one line.
  private let isQuoted: Bool
  private(set) var at: Int
  /// The number of further items that the dump may have.
  var itemsLeft = TopologyLimits.items

  /// `end`: the last possible end of the dump.
  init(_ bytes: [UInt8], from start: Int, line: Int, end: Int? = nil) {
    self.init(bytes, from: start, line: line, end: end, isQuoted: false)
  }

  /// Scans text that was in quotes on `line`.
  init(quoted bytes: [UInt8], line: Int) { self.init(bytes, from: 0, line: line, isQuoted: true) }

  private init(_ bytes: [UInt8], from start: Int, line: Int, end: Int? = nil, isQuoted: Bool) {
    self.bytes = bytes
    self.start = start
    firstLine = line
    self.isQuoted = isQuoted
    // Blanks after a truncated dump do not belong to it.
    var last = end ?? bytes.count
    while last > start, isBlank(bytes[last - 1]) { last -= 1 }
    self.end = last
    at = start
  }

  var isAtEnd: Bool { at >= end }
  func hasMore(than count: Int) -> Bool { end - at > count }
  var next: UInt8? { at < end ? bytes[at] : nil }

  // MARK: Errors

  func error(_ what: String) -> DumpError { DumpError(line: line(of: at), what: what) }

  /// Returns the error for a text that ends where more of `what` should follow.
  func cut(_ what: String) -> DumpError {
    guard !isQuoted else {
      return DumpError(line: firstLine, what: "the quotes end inside \(what)", isCut: true)
    }
    // The last line that is not blank.
    var last = end
    while last > start, isBlank(bytes[last - 1]) { last -= 1 }
    return DumpError(
      line: line(of: last), what: "the dump that begins on line \(firstLine) ends here, inside \(what)",
      isCut: true)
  }

  func line(of place: Int) -> Int {
    guard !isQuoted else { return firstLine }
    return bytes[start..<max(start, min(place, end))].reduce(firstLine) { $1 == newline ? $0 + 1 : $0 }
  }

  // MARK: Words

  /// Skips blanks, and comments that were added to the dump.
  mutating func skipBlank() {
    while at < end {
      if isComment(at) {
        skipLine()
      } else if isBlank(bytes[at]) {
        at += 1
      } else {
        return
      }
    }
  }

  private static let comments: [StaticString] = ["//", "/*", "<-", "# "]

  /// Returns whether a comment begins at `place`, to the end of its line. It follows a blank or the end of a value.
  func isComment(_ place: Int) -> Bool {
    guard place < end, Self.comments.contains(where: { has($0, at: place) }) else { return false }
    return place == start || isBlank(bytes[place - 1]) || ",{}()".utf8.contains(bytes[place - 1])
  }

  /// Skips the rest of the line.
  mutating func skipLine() {
    while at < end, bytes[at] != newline { at += 1 }
  }

  mutating func take(_ word: StaticString) -> Bool {
    guard has(word, at: at) else { return false }
    at += word.utf8CodeUnitCount
    return true
  }

  /// Takes a word or throws. `what`: the thing that the word belongs to.
  mutating func expect(_ word: StaticString, in what: String) throws(DumpError) {
    guard !take(word) else { return }
    throw isCut(word) ? cut(what) : error("expected '\(word)' in \(what)")
  }

  /// Returns whether the rest of the text is the beginning of the word.
  private func isCut(_ word: StaticString) -> Bool {
    end - at < word.utf8CodeUnitCount
      && word.withUTF8Buffer { bytes[at..<end].elementsEqual($0.prefix(end - at)) }
  }

  private func has(_ word: StaticString, at place: Int) -> Bool {
    guard place >= 0, end - place >= word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      for offset in 0..<word.count where bytes[place + offset] != word[offset] { return false }
      return true
    }
  }

  /// Returns the number of bytes before the word; nil when it does not begin within the limit.
  func distance(to word: StaticString, limit: Int) -> Int? {
    var place = at
    while place < end, place - at <= limit {
      if has(word, at: place) { return place - at }
      place += 1
    }
    return nil
  }

  mutating func skip(_ count: Int) { at = min(end, at + max(0, count)) }

  /// Takes the next bytes as text, or as many as are left.
  mutating func text(_ count: Int) -> String {
    let from = at
    skip(count)
    return String(decoding: bytes[from..<at], as: UTF8.self)
  }

  /// Takes the text before the first of the given bytes, cut at the limit.
  mutating func text(beforeAny stops: StaticString, limit: Int = TopologyLimits.nameBytes) -> String {
    var place = at
    stops.withUTF8Buffer { stops in
      while place < end, place - at < limit, !stops.contains(bytes[place]) { place += 1 }
    }
    return text(place - at)
  }

  /// Takes an address `0x7f3c`, or `(nil)`, which gives nil. If neither follows, returns nil and takes nothing.
  mutating func address() -> UInt64? {
    if take("(nil)") { return nil }
    guard has("0x", at: at) else { return nil }
    var place = at + 2
    while place < end, place - at < 18, bytes[place].isHexDigit { place += 1 }
    guard place > at + 2 else { return nil }
    let digits = String(decoding: bytes[at + 2..<place], as: UTF8.self)
    at = place
    return UInt64(digits, radix: 16)
  }

  // MARK: Arbitrary text

  /// Takes the body of braces, up to the closing one, which stays. Braces within quotes of a CFString do not count. A
  /// surplus closing brace counts as text if its line continues.
  mutating func bodyOfBraces(_ what: String) throws(DumpError) -> Range<Int> {
    let from = at
    var depth = 0
    while at < end {
      guard at - from <= TopologyLimits.itemBytes else {
        throw error("\(what) is longer than \(TopologyLimits.itemBytes) bytes")
      }
      switch bytes[at] {
      case UInt8(ascii: "{"):
        depth += 1
        if has("{contents = \"", at: at), let end = distance(to: "\"}", limit: TopologyLimits.nameBytes) {
          at += end
        }
      case UInt8(ascii: "}") where depth > 0: depth -= 1
      case UInt8(ascii: "}") where endsLine(at + 1): return from..<at
      default: break
      }
      at += 1
    }
    at = end
    throw cut(what)
  }

  /// Takes the rest of the line, without the comma and the comment at its end.
  mutating func restOfLine() -> String {
    var place = at
    while place < end, place - at < TopologyLimits.nameBytes, bytes[place] != newline, !isComment(place) {
      place += 1
    }
    var last = place
    while last > at, isBlank(bytes[last - 1]) { last -= 1 }
    if last > at, bytes[last - 1] == UInt8(ascii: ",") { last -= 1 }
    let text = String(decoding: bytes[at..<last], as: UTF8.self)
    at = place
    return text
  }

  /// Takes the text up to the comma, the brace or the end of the line, without blanks and a comment at its end.
  mutating func value() -> String {
    var place = at
    while place < end, place - at < TopologyLimits.nameBytes, !",}\n\r".utf8.contains(bytes[place]),
      !isComment(place)
    {
      place += 1
    }
    var last = place
    if isComment(place) {
      while last > at, isBlank(bytes[last - 1]) { last -= 1 }
    }
    let text = String(decoding: bytes[at..<last], as: UTF8.self)
    at = place
    return text
  }

  func text(of range: Range<Int>, limit: Int = .max) -> String {
    String(decoding: bytes[range].prefix(limit), as: UTF8.self) + (range.count > limit ? "…" : "")
  }

  /// Returns whether an item may end before `place`: the line ends there, or continues as it does after an item.
  private func endsLine(_ place: Int) -> Bool {
    var next = place
    while next < end, bytes[next] == UInt8(ascii: " ") || bytes[next] == UInt8(ascii: "\t") { next += 1 }
    guard next < end, !isComment(next) else { return true }
    switch bytes[next] {
    case newline, UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: ")"): return true
    // Logs and mails may have turned line breaks into spaces.
    case UInt8(ascii: "}"): return next > place
    case let byte where byte.isDigit:
      while next < end, bytes[next].isDigit { next += 1 }
      return has(" : <", at: next)
    default: return false
    }
  }

  /// Takes a text in double quotes and resolves its escapes.
  mutating func quotedText(limit: Int, _ what: String) throws(DumpError) -> DumpScanner {
    let line = line(of: at)
    guard let inside = DumpText.unquote(bytes, at: at, limit: limit) else {
      if hasMore(than: limit) { throw error("\(what) is longer than \(limit) bytes") }
      throw cut(what)
    }
    at = inside.end
    return DumpScanner(quoted: inside.bytes, line: line)
  }
}

let newline = UInt8(ascii: "\n")

func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  var isHexDigit: Bool {
    let lower = self | 0x20
    return isDigit || lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f")
  }
}
