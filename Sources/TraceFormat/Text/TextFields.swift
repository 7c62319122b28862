/// The fields of a line of the text form, taken one after another; a `;` where a field would begin ends them.
///
/// Works on bytes, not on characters: a quote with a combining mark behind it is one character, and not a quote.
struct TextFields {
  private var rest: Substring

  init(_ line: Substring) { rest = line }

  static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private mutating func skipSpace() { rest = Substring(rest.utf8.drop(while: TextFields.isSpace)) }

  var isAtEnd: Bool {
    let next = rest.utf8.first { !TextFields.isSpace($0) }
    return next == nil || next == UInt8(ascii: ";")
  }

  /// Everything up to the next space; empty at the end.
  mutating func word() -> Substring {
    skipSpace()
    guard !isAtEnd else { return "" }
    let word = rest.utf8.prefix { !TextFields.isSpace($0) }
    rest = Substring(rest.utf8[word.endIndex...])
    return Substring(word)
  }

  /// What follows `prefix` in the next field, if that is a digit.
  mutating func number(after prefix: UInt8) -> Substring? {
    skipSpace()
    let bytes = rest.utf8.prefix(2)
    guard bytes.count == 2, bytes.first == prefix, let digit = bytes.last, isDigit(digit) else { return nil }
    return Substring(word().utf8.dropFirst())
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// The value of the next field if its key is `key`.
  mutating func value(_ key: String) -> Substring? {
    let before = rest
    guard let pair = pair(), pair.key == key else {
      rest = before
      return nil
    }
    return pair.value
  }

  /// The next field if it has the form key=value.
  mutating func pair() -> (key: Substring, value: Substring)? {
    let before = rest
    let field = word().utf8
    guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals != field.startIndex else {
      rest = before
      return nil
    }
    return (Substring(field[..<equals]), Substring(field[field.index(after: equals)...]))
  }

  /// The next field if it is a text in double quotes.
  mutating func quoted() -> String? {
    skipSpace()
    return QuotedText.take(&rest)
  }
}
