import SystemSupport

struct Line {
  /// The line number, from 1.
  let number: Int
  let text: Substring
}

/// Reads a line from left to right. If the requested item does not follow, the result is nil or false and nothing is
/// taken.
struct Cursor {
  var rest: Substring

  init(_ text: Substring) { rest = text }

  mutating func blanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  mutating func take(_ text: String) -> Bool {
    guard rest.utf8.starts(with: text.utf8) else { return false }
    rest = rest[rest.utf8.index(rest.startIndex, offsetBy: text.utf8.count)...]
    return true
  }

  /// Takes a decimal number.
  mutating func number() -> UInt64? {
    let digits = rest.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = UInt64(String(Substring(digits))) else { return nil }
    rest = rest[digits.endIndex...]
    return number
  }

  /// Takes a hexadecimal address with its `0x`.
  mutating func address() -> UInt64? {
    guard rest.utf8.starts(with: "0x".utf8) else { return nil }
    let digits = rest.utf8.dropFirst(2).prefix { Character(Unicode.Scalar($0)).isHexDigit }
    guard let address = UInt64(String(Substring(digits)), radix: 16) else { return nil }
    rest = rest[digits.endIndex...]
    return address
  }

  /// Takes the text up to the next blank.
  mutating func word() -> Substring {
    let word = rest.prefix { $0 != " " && $0 != "\t" }
    rest = rest[word.endIndex...]
    return word
  }
}

extension Substring {
  var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
    return start[...last]
  }

  /// The text as a string; nil when empty.
  var orNil: String? { isEmpty ? nil : String(self) }

  /// Returns the last occurrence of `part`.
  func lastPlace(of part: String) -> Range<Index>? {
    let bytes = Array(part.utf8)
    guard let first = bytes.first else { return nil }
    var end = utf8.endIndex
    while let at = utf8[..<end].lastIndex(of: first) {
      if utf8[at...].starts(with: bytes) { return at..<utf8.index(at, offsetBy: bytes.count) }
      end = at
    }
    return nil
  }

  /// The text before ` + NUMBER` at the end, and the number.
  var withoutOffset: (text: Substring, offset: UInt64?) {
    guard let plus = lastPlace(of: " + ") else { return (self, nil) }
    var cursor = Cursor(self[plus.upperBound...])
    guard let offset = cursor.number(), cursor.rest.isEmpty else { return (self, nil) }
    return (self[..<plus.lowerBound], offset)
  }

  /// Splits `file:line`, `file:line:column` or `file:line,column`.
  var sourcePlace: (file: String, line: Int?) {
    var rest = self
    var numbers: [Int] = []
    while numbers.count < 2, let mark = rest.lastIndex(where: { $0 == ":" || $0 == "," }),
      let number = Int(rest[rest.index(after: mark)...]), number >= 0
    {
      numbers.append(number)
      rest = rest[..<mark]
    }
    return (String(rest), numbers.last)
  }

  /// The last component of a path.
  var fileName: String { split(separator: "/").last.map(String.init) ?? String(self) }
}
