import TestSupport
import Testing
import TraceCompression
import TraceFormat

/// Errors in a text are reported with the line and the expected content.
@Suite struct TextErrorTests {
  private static let head =
    "rltrace-text 1\nheader minor=0 unit=10ns codec=none capture=callouts clock=monotonic high=yes\n"

  struct Case: CustomTestStringConvertible, Sendable {
    var text: String
    var line: Int
    var expected: String
    var testDescription: String { expected }
  }

  private static func after(_ lines: String, _ line: Int, _ expected: String) -> Case {
    Case(text: head + lines, line: line + 2, expected: expected)
  }

  static let cases: [Case] = [
    Case(text: "", line: 2, expected: "ends without 'end'"),
    Case(text: "rltrace-text 2\n", line: 1, expected: "expected 'rltrace-text 1'"),
    Case(text: "rltrace-text 1\nend", line: 2, expected: "expected 'header'"),
    Case(text: "rltrace-text 1\nheader minor=0 unit=5ns", line: 2, expected: "unit=1ns, 10ns"),
    Case(text: "rltrace-text 1\nheader minor=70000", line: 2, expected: "from 0 to 65535"),
    Case(
      text: "rltrace-text 1\nheader minor=0 unit=1ns codec=lz4", line: 2, expected: "codec=none or zstd"
    ),
    Case(
      text: "rltrace-text 1\nheader minor=0 unit=1ns codec=none capture=all", line: 2,
      expected: "capture=activities"),
    after("", 2, "ends without 'end'"),
    after("strings\n  1 \"a\"\n", 4, "ends without 'end'"),
    after("header minor=0", 1, "second header"),
    after("nonsense", 1, "unknown section 'nonsense'"),
    after("  1 \"a\"", 1, "outside a section"),
    after("end\nend", 2, "text after 'end'"),
    after("end now", 1, "unexpected 'now'"),
    after("strings\n  x \"a\"", 2, "string id 'x'"),
    after("strings\n  1 a", 2, "double quotes"),
    after("strings\n  1 \"a", 2, "double quotes"),
    after("strings\n  1 \"\\q\"", 2, "double quotes"),
    after("strings\n  1 \"\\u{110000}\"", 2, "double quotes"),
    after("strings\n  1 \"\\u{41\"", 2, "double quotes"),
    after("strings\n  1 \"a\" b", 2, "unexpected 'b'"),
    after("strings\n  1048577 \"a\"\nend", 3, "string id 1048577"),
    after("threads\n  0 os=1 main=perhaps \"a\"", 2, "main=yes or main=no"),
    after("threads\n  65536 os=1 main=yes \"a\"\nend", 3, "thread index 65536"),
    after("modes\n  256 \"a\"", 2, "from 0 to 255"),
    after("sync\n  1 monotonic=1 boottime=2", 2, "realtime=NUMBER"),
    after("events thread=-1", 1, "thread '-1'"),
    after("events thread=0\n  1 timer.jump", 2, "unknown event 'timer.jump'"),
    after("events thread=0\n  1 kind-1", 2, "unknown event 'kind-1'"),
    after("events thread=0\n  1 kind-256", 2, "unknown event 'kind-256'"),
    after("events thread=0\n  -1 mark", 2, "time '-1'"),
    after("events thread=0\n  18446744073709551616 mark", 2, "time"),
    after("events thread=0\n  5 mark\n  4 mark", 3, "before the event above it, 5"),
    after("events thread=0\n  5 mark m300", 2, "mode '300'"),
    after("events thread=0\n  5 mark #4294967296", 2, "object '4294967296'"),
    after("events thread=0\n  5 timer.due #1 dew=5", 2, "expected due="),
    after("events thread=0\n  5 timer.due #1 due=5 due=6", 2, "expected arg="),
    after("events thread=0\n  5 timer.due #1 due=five", 2, "not a 64-bit number"),
    after("events thread=0\n  5 timer.due #1 due=0xx", 2, "not a number"),
    after("events thread=0\n  5 mark 7", 2, "unexpected '7'"),
    after(
      "events thread=0\n  5 stack reason=1" + String(repeating: " frame=0x1", count: 255), 2,
      "more than 255 arguments"),
    after(
      "unknown type=1 count=1 thread=0 first=0 last=0 plain=1", 1, "a section of its own, 'events'"
    ),
    after("unknown type=99 count=1 thread=0 first=0 last=0 plain=1\n  0", 2, "pairs of hexadecimal"),
    after("unknown type=99 count=1 thread=0 first=0 last=0 plain=1\n  +1", 2, "pairs of hexadecimal"),
    after("unknown type=99 count=16777216 thread=0 first=0 last=0 plain=1", 1, "count 16777216"),
  ]

  @Test(arguments: cases) func reportsLineAndExpectation(example: Case) throws {
    let error = try #require(throws: TraceFormatError.self) { try assembleTrace(example.text) }
    guard case .text(let line, let what) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(line == example.line)
    #expect(what.contains(example.expected), "\(what)")
  }

  /// A block holds 65,536 events; the next event needs a new section.
  @Test func tooManyEvents() throws {
    let events = String(repeating: "  1 mark\n", count: TraceLimits.eventsPerBlock)
    _ = try assembleTrace(TextErrorTests.head + "events thread=0\n" + events + "end")
    let error = #expect(throws: TraceFormatError.self) {
      try assembleTrace(TextErrorTests.head + "events thread=0\n" + events + "  1 mark\nend")
    }
    guard case .text(let line, _) = error else { return }
    #expect(line == TraceLimits.eventsPerBlock + 4)
  }

  /// Excessive input is refused before it takes much memory.
  @Test func longLines() throws {
    var assembler = TextAssembler(sink: MemorySink(), codecs: allCodecs)
    let line = String(repeating: "x", count: TraceLimits.lineBytes + 1)
    let error = #expect(throws: TraceFormatError.self) { try assembler.read(line) }
    #expect(
      "\(try #require(error))" == "line 1: the line is longer than \(TraceLimits.lineBytes) bytes (lineBytes)"
    )
    // The message contains only part of a long word.
    let word = #expect(throws: TraceFormatError.self) {
      try assembleTrace(Self.head + String(repeating: "é", count: 10_000))
    }
    #expect("\(try #require(word))".utf8.count < 400)
  }

  @Test(.optimizedBuild) func moreDefinitionsThanATraceMayHave() throws {
    var assembler = TextAssembler(sink: MemorySink(), codecs: allCodecs)
    for line in (Self.head + "info").split(separator: "\n") { try assembler.read(String(line)) }
    let entry = "  \"key\" \"" + String(repeating: "v", count: TraceLimits.stringBytes) + "\""
    let error = #expect(throws: TraceFormatError.self) {
      for _ in 0..<TraceLimits.definitionBytes / TraceLimits.stringBytes { try assembler.read(entry) }
    }
    #expect("\(try #require(error))".contains("bytes of definitions (definitionBytes)"))
    var modes = Self.head + "modes\n"
    for id in 0...255 { modes += "  \(id) \"m\"\n" }
    #expect(throws: TraceFormatError.self) { try assembleTrace(modes) }
  }

  @Test func codecThatIsNotLinked() {
    var assembler = TextAssembler(sink: MemorySink(), codecs: { $0 == .none ? NoCodec() : nil }, codec: .zstd)
    #expect(throws: TraceFormatError.self) {
      for line in TextErrorTests.head.split(separator: "\n") { try assembler.read(String(line)) }
    }
  }
}
