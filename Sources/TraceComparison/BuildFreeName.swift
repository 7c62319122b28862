/// A name without what the next build changes: code offsets, addresses, hashes, line numbers, numbers of closures.
///
/// `closure #2 in Feed.go() (app+0x1f76) < main (app+0x2bc7)` is `closure # in Feed.go() < main`.
struct BuildFreeName: Hashable {
  let text: String

  /// What was taken out, in the order in which it stood there: tells names of one text apart, and says which comes
  /// first in the program.
  struct Numbers: Hashable, Comparable {
    var closures: [UInt64] = []
    var places: [UInt64] = []

    static func < (a: Numbers, b: Numbers) -> Bool {
      a.closures == b.closures
        ? a.places.lexicographicallyPrecedes(b.places) : a.closures.lexicographicallyPrecedes(b.closures)
    }
  }

  let numbers: Numbers

  init(_ name: String) {
    var reader = Reader(name)
    reader.read()
    text = String(decoding: reader.out, as: UTF8.self)
    numbers = reader.numbers
  }

  static func == (a: BuildFreeName, b: BuildFreeName) -> Bool { a.text == b.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// By bytes: all that it looks for is ASCII.
  private struct Reader {
    let bytes: [UInt8]
    var at = 0
    var out: [UInt8] = []
    var numbers = Numbers()

    init(_ name: String) { bytes = Array(name.utf8) }

    mutating func read() {
      while at < bytes.count {
        if takePlace() || takeAddress() || takeClosure() || takeHiddenIn() || takeHash() || takeLine() {
          continue
        }
        out.append(bytes[at])
        at += 1
      }
    }

    /// ` (app+0x1234)`, with the blank before it.
    private mutating func takePlace() -> Bool {
      var begin = at
      if bytes[begin] == UInt8(ascii: " ") { begin += 1 }
      guard begin < bytes.count, bytes[begin] == UInt8(ascii: "(") else { return false }
      var end = begin + 1
      while end < bytes.count, bytes[end] != UInt8(ascii: ")"), bytes[end] != UInt8(ascii: "(") { end += 1 }
      guard end < bytes.count, bytes[end] == UInt8(ascii: ")"),
        let plus = bytes[begin..<end].lastIndex(of: UInt8(ascii: "+")), plus > begin + 1,
        let (value, after) = hexadecimal(at: plus + 1), after == end
      else { return false }
      numbers.places.append(value)
      at = end + 1
      return true
    }

    /// `+0x1234` behind a module, and `0x55d0c0ffee`.
    private mutating func takeAddress() -> Bool {
      let begin = bytes[at] == UInt8(ascii: "+") ? at + 1 : at
      guard !(begin == at && isWord(before: at)), let (value, after) = hexadecimal(at: begin) else {
        return false
      }
      numbers.places.append(value)
      // An address is something, an offset behind a name nothing.
      if begin == at { out += Array("0x".utf8) }
      at = after
      return true
    }

    /// `closure #12` keeps its first word.
    private mutating func takeClosure() -> Bool {
      guard starts(with: "closure #"), let (value, after) = decimal(at: at + 9) else { return false }
      numbers.closures.append(value)
      out += Array("closure #".utf8)
      at = after
      return true
    }

    /// ` in _1A2B…`: of a private declaration, a hash of its file.
    private mutating func takeHiddenIn() -> Bool {
      guard starts(with: " in _") else { return false }
      let digits = bytes[(at + 5)...].prefix { isHexDigit($0) }
      guard digits.count >= 8 else { return false }
      at = digits.endIndex
      return true
    }

    /// `::h0123456789abcdef` of Rust, and what LLVM puts behind the names of copies: `.llvm.123`.
    private mutating func takeHash() -> Bool {
      if starts(with: "::h") {
        let digits = bytes[(at + 3)...].prefix { isHexDigit($0) }
        guard digits.count == 16 else { return false }
        at = digits.endIndex
        return true
      }
      guard starts(with: ".llvm."), let (_, after) = decimal(at: at + 6) else { return false }
      at = after
      return true
    }

    /// `App.swift:12` and `App.swift:12:7`: a line that moved.
    private mutating func takeLine() -> Bool {
      guard bytes[at] == UInt8(ascii: ":"), endsInExtension, let (line, after) = decimal(at: at + 1) else {
        return false
      }
      numbers.places.append(line)
      at = after
      if at < bytes.count, bytes[at] == UInt8(ascii: ":"), let (column, end) = decimal(at: at + 1) {
        numbers.places.append(column)
        at = end
      }
      return true
    }

    /// What was read ends as the name of a source file does.
    private var endsInExtension: Bool {
      let letters = out.reversed().prefix { isLetter($0) }
      guard (1...5).contains(letters.count), letters.count < out.count else { return false }
      return out[out.count - letters.count - 1] == UInt8(ascii: ".")
    }

    // MARK: Characters

    private func starts(with text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard at + count <= bytes.count else { return false }
      return (0..<count).allSatisfy { bytes[at + $0] == text.utf8Start[$0] }
    }

    private func hexadecimal(at begin: Int) -> (value: UInt64, after: Int)? {
      guard begin + 2 < bytes.count, bytes[begin] == UInt8(ascii: "0"), bytes[begin + 1] == UInt8(ascii: "x")
      else {
        return nil
      }
      let digits = bytes[(begin + 2)...].prefix { isHexDigit($0) }
      guard let value = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
      return (value, digits.endIndex)
    }

    private func decimal(at begin: Int) -> (value: UInt64, after: Int)? {
      guard begin < bytes.count else { return nil }
      let digits = bytes[begin...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard let value = UInt64(String(decoding: digits, as: UTF8.self)) else { return nil }
      return (value, digits.endIndex)
    }

    private func isWord(before index: Int) -> Bool {
      index > 0
        && (isLetter(bytes[index - 1]) || isHexDigit(bytes[index - 1])
          || bytes[index - 1] == UInt8(ascii: "_"))
    }

    private func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private func isHexDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
  }
}
