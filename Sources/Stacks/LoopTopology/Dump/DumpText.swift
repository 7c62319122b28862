/// A text with descriptions of run loops, as printed by `print(RunLoop.main)`, NSLog or CFCopyDescription, possibly
/// within a log.
package struct DumpText {
  private let bytes: [UInt8]
  /// The last dump found, which may be broken, and its number.
  private var last: (line: Int, topology: Result<Topology, DumpError>)?
  private var count = 0
  /// The place where the search continues.
  private var place = 0
  private var line = 1
  /// The log line that the last search found. The outer nil = not searched yet, the inner nil = none follows.
  private var logLine: Int??

  package init(_ bytes: [UInt8]) { self.bytes = LinePrefixes.removed(from: bytes) }

  /// Returns a dump by its number in the text, from 1, and the line on which it begins.
  package mutating func dump(_ number: Int) throws(DumpError) -> (topology: Topology, line: Int) {
    guard bytes.count <= TopologyLimits.textBytes else {
      throw DumpError(line: 1, what: "the text is longer than \(TopologyLimits.textBytes) bytes")
    }
    if number < count { rewind() }
    while count < min(number, TopologyLimits.dumps), findNext() {}
    guard let last else { throw nothing }
    guard count == number else {
      throw DumpError(
        line: last.line, what: "dump \(count) begins here and is the last one; there is no dump \(number)")
    }
    return (try last.topology.get(), last.line)
  }

  private mutating func findNext() -> Bool {
    while let start = placeOfDump() {
      advance(to: start)
      var (scanner, endOfQuotes) = scanner()
      guard DumpParser.begins(scanner) else {
        advance(to: start + 1)
        continue
      }
      count += 1
      if endOfQuotes == nil, let end = nextLogLine() {
        scanner = DumpScanner(bytes, from: place, line: line, end: end)
      }
      do throws(DumpError) {
        last = (line, .success(try DumpParser.topology(&scanner)))
        advance(to: endOfQuotes ?? scanner.at)
      } catch {
        last = (line, .failure(error))
        advance(to: start + 1)
      }
      return true
    }
    return false
  }

  /// Returns the first log line after `place`. Searches for it only once.
  private mutating func nextLogLine() -> Int? {
    if let known = logLine, known ?? .max > place { return known }
    let found = LinePrefixes.nextLogLine(in: bytes, after: place)
    logLine = .some(found)
    return found
  }

  private mutating func rewind() {
    (place, line, count, last, logLine) = (0, 1, 0, nil, nil)
  }

  private mutating func advance(to next: Int) {
    line += bytes[place..<next].count { $0 == newline }
    place = next
  }

  private func placeOfDump() -> Int? { Self.placeOfDump(in: bytes, from: place) }

  static func placeOfDump(in bytes: [UInt8], from start: Int) -> Int? {
    place(of: "<CFRunLoop ", in: bytes, from: start)
  }

  /// Returns a scanner for the text at `place`, without the quotes around it.
  private func scanner() -> (DumpScanner, endOfQuotes: Int?) {
    if place > 0, bytes[place - 1] == UInt8(ascii: "\""), isEscaped,
      let inside = Self.unquote(bytes, at: place - 1, limit: TopologyLimits.textBytes)
    {
      return (DumpScanner(quoted: inside.bytes, line: line), inside.end)
    }
    return (DumpScanner(bytes, from: place, line: line), nil)
  }

  /// Whether the first line break is escaped.
  private var isEscaped: Bool {
    let head = bytes[place...].prefix(TopologyLimits.headBytes)
    let end = head.firstIndex(of: newline) ?? head.endIndex
    return zip(head[..<end], head[..<end].dropFirst()).contains {
      $0 == UInt8(ascii: "\\") && $1 == UInt8(ascii: "n")
    }
  }

  private var nothing: DumpError {
    // The text that Foundation prints for a RunLoop without a description of its own.
    if let place = Self.place(of: "<RunLoop: 0x", in: bytes, from: 0) {
      return DumpError(
        line: 1 + bytes[..<place].count { $0 == newline },
        what: "print(RunLoop.main) prints only this on Linux; print \(Self.whatToPrint)")
    }
    return DumpError(line: 1, what: "the text has no dump of a run loop; print \(Self.whatToPrint)")
  }

  private static let whatToPrint = "CFCopyDescription(CFRunLoopGetMain())"

  private static func place(of word: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
    word.withUTF8Buffer { word in
      var place = start
      while let next = bytes[place...].firstIndex(of: word[0]) {
        if bytes[next...].starts(with: word) { return next }
        place = next + 1
      }
      return nil
    }
  }

  /// Returns the text between the quote at `start` and its closing quote, without escapes, and its end. Nil when it
  /// does not end within the limit.
  static func unquote(_ bytes: [UInt8], at start: Int, limit: Int) -> (bytes: [UInt8], end: Int)? {
    var out: [UInt8] = []
    var place = start + 1
    while place < bytes.count, place - start <= limit {
      switch bytes[place] {
      case UInt8(ascii: "\""): return (out, place + 1)
      case UInt8(ascii: "\\") where place + 1 < bytes.count:
        place += 1
        let digits = bytes[(place + 1)...].prefix(4)
        // Property lists write a unit of UTF-16 as \U and four digits.
        if bytes[place] == UInt8(ascii: "U"), digits.count == 4,
          let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        {
          out += String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8
          place += 4
        } else {
          out.append(escapes[bytes[place]] ?? bytes[place])
        }
      case let byte: out.append(byte)
      }
      place += 1
    }
    return nil
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): newline, UInt8(ascii: "r"): UInt8(ascii: "\r"), UInt8(ascii: "t"): UInt8(ascii: "\t"),
  ]
}
