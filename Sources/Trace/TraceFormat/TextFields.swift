/// The fields of a line of the text form, taken one after another. A `;` at the start of a field ends them.
///
/// Works on bytes instead of characters, because a quote followed by a combining mark is a single character, which
/// does not equal a quote.
struct TextFields {
  private var rest: Substring
  private let lineNumber: Int

  init(_ line: Substring, lineNumber: Int) {
    rest = line
    self.lineNumber = lineNumber
  }

  func error(_ what: String) -> TraceFormatError { TextForm.error(line: lineNumber, what) }

  static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private mutating func skipSpace() { rest = Substring(rest.utf8.drop(while: TextFields.isSpace)) }

  var isAtEnd: Bool {
    let next = rest.utf8.first { !TextFields.isSpace($0) }
    return next == nil || next == UInt8(ascii: ";")
  }

  /// Takes everything up to the next space; empty at the end.
  mutating func word() -> Substring {
    skipSpace()
    guard !isAtEnd else { return "" }
    let word = rest.utf8.prefix { !TextFields.isSpace($0) }
    rest = Substring(rest.utf8[word.endIndex...])
    return Substring(word)
  }

  /// Takes the next field if it is `prefix` followed by a number. Returns the digits.
  private mutating func number(after prefix: UInt8) -> Substring? {
    skipSpace()
    let bytes = rest.utf8.prefix(2)
    guard bytes.count == 2, bytes.first == prefix, let digit = bytes.last, isDigit(digit) else { return nil }
    return Substring(word().utf8.dropFirst())
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// Takes the next field if its key is `key`. Returns its value.
  mutating func value(_ key: String) -> Substring? {
    let before = rest
    guard let pair = pair(), pair.key == key else {
      rest = before
      return nil
    }
    return pair.value
  }

  /// Takes the next field if it has the form key=value.
  mutating func pair() -> (key: Substring, value: Substring)? {
    let before = rest
    let field = word().utf8
    guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals != field.startIndex else {
      rest = before
      return nil
    }
    return (Substring(field[..<equals]), Substring(field[field.index(after: equals)...]))
  }

  // MARK: Required fields

  /// Takes the next field, a string in double quotes.
  mutating func quoted() throws(TraceFormatError) -> String {
    skipSpace()
    guard let text = QuotedText.take(&rest) else { throw error("expected a name in double quotes") }
    return text
  }

  /// Takes the next field, a number. `what` names it in messages.
  mutating func number<T: FixedWidthInteger>(named what: String) throws(TraceFormatError) -> T {
    try number(word(), what)
  }

  /// Takes the next field, `key=NUMBER`.
  mutating func number<T: FixedWidthInteger>(_ key: String) throws(TraceFormatError) -> T {
    guard let value = value(key) else { throw error("expected \(key)=NUMBER") }
    return try number(value, key)
  }

  /// Takes the next field if it is `prefix` followed by a number. Returns 0 otherwise.
  mutating func number<T: FixedWidthInteger>(
    after prefix: UInt8, named what: String
  ) throws(TraceFormatError) -> T {
    guard let digits = number(after: prefix) else { return 0 }
    return try number(digits, what)
  }

  private func number<T: FixedWidthInteger>(_ text: Substring, _ what: String) throws(TraceFormatError) -> T {
    guard let value = T(text) else { throw error("\(what) '\(text)' is not a number from 0 to \(T.max)") }
    return value
  }

  /// Takes the next field, `key=yes` or `key=no`.
  mutating func flag(_ key: String) throws(TraceFormatError) -> Bool {
    guard let word = value(key), word == TextForm.yes || word == TextForm.no else {
      throw error("expected \(TextForm.flag(key, true)) or \(TextForm.flag(key, false))")
    }
    return word == TextForm.yes
  }

  /// Takes the next field, `key=` and the name of a value of this type.
  mutating func named<Value: Named>(_ type: Value.Type, _ key: String) throws(TraceFormatError) -> Value {
    guard let value = value(key).flatMap({ Value(name: String($0)) }) else {
      let names = Value.allCases.map(\.name)
      throw error("expected \(key)=\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")")
    }
    return value
  }
}
