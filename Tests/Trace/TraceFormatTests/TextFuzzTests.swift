import TestSupport
import Testing
import TraceFormat

/// Damaged text is either refused or makes a complete trace. It must not trap.
@Suite struct TextFuzzTests {
  @Test func mutatedText() throws {
    var random = SeededGenerator(named: "text fuzz")
    var refused = 0
    var made = 0
    for _ in 0..<10 {
      let lines = try dumpTrace(try openTrace(try smallTrace(codec: .none, &random))).split(separator: "\n")
        .map(String.init)
      for _ in 0..<200 {
        var copy = lines
        for _ in 0...(random.next() % 2) { mutate(&copy, &random) }
        let text = copy.joined(separator: "\n")
        do {
          let reader = try openTrace(try assembleTrace(text))
          made += 1
          // Only the word `unclean` makes a trace without an index.
          #expect(reader.isClean || copy.contains("unclean"), "\(TestSeed.note)\n\(text)")
          let again = try dumpTrace(reader)
          #expect(try assembleTrace(again) == (try assembleTrace(text)), "\(TestSeed.note)\n\(text)")
        } catch is TraceFormatError {
          refused += 1
        }
      }
    }
    #expect(refused > 100 && made > 100, "\(refused) refused, \(made) made, \(TestSeed.note)")
  }

  private static let tokens = [
    "", " ", "  ", ";", "\"", "\\", "#", "m", "m1", "#0", "0", "-1", "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808", "-9223372036854775808", "0x", "0xffffffffffffffff", "=", "a=", "=1", "arg=1",
    "end",
    "unclean", "events thread=0", "strings", "unknown", "  00ff", "\u{301}", "\u{202E}", "\r", "\0",
    "kind-255",
  ]

  private func mutate(_ lines: inout [String], _ random: inout SeededGenerator) {
    let at = Int(random.next() % UInt64(lines.count))
    switch random.next() % 6 {
    case 0: lines.remove(at: at)
    case 1: lines.insert(lines[at], at: Int(random.next() % UInt64(lines.count)))
    case 2: lines.swapAt(at, Int(random.next() % UInt64(lines.count)))
    case 3:
      var words = lines[at].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      words[Int(random.next() % UInt64(words.count))] = random.pick(TextFuzzTests.tokens)
      lines[at] = words.joined(separator: " ")
    case 4: lines.insert(random.pick(TextFuzzTests.tokens), at: at)
    default:
      var bytes = Array(lines[at].utf8)
      guard !bytes.isEmpty else { return }
      let place = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes[place] = UInt8(random.next() & 255)
      case 1: bytes.remove(at: place)
      default: bytes.removeLast(bytes.count - place)
      }
      lines[at] = String(decoding: bytes, as: UTF8.self)
    }
    if lines.isEmpty { lines = [""] }
  }
}
