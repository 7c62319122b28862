import Backtraces
import CallStacks
import TestSupport
import Testing

/// A text without a complete stack causes a one-line message that states the error and its place. The reader never
/// traps.
@Suite struct BadBacktraceTests {
  private static let frame = "0   App    0x0000000104466500 work + 12\n"

  private static let mistakes: [(text: String, what: String)] = [
    ("", "the text is empty"), ("\n \n", "the text is empty"),
    ("hello\nworld\n", "line 1: no known kind of stack begins here"),
    ("1. milk\n2. bread\n", "line 1: no known kind of stack"),
    ("0 milk and bread\n", "line 1: no known kind of stack"),
    ("\(frame)2   App    0x0000000104466500 main + 12\n", "line 2: expected frame 1, but found frame 2"),
    ("\(frame)1   App    0x00000001044\n", "line 2: frame 1 has no function"),
    ("\(frame)1   App\n", "line 2: frame 1 has no function"),
    (
      "\(frame)oops\n1   App    0x0000000104466500 main + 12\n",
      "line 2: this line in the middle of a stack is not a frame"
    ),
    ("Thread 0 Crashed:\n", "line 1: a thread begins here, but it has no frames"),
    ("Exception Type: EXC_CRASH\n", "line 1: no stack follows in this Apple crash"),
    ("Exception Type:  SIGSEGV\n", "line 1: no stack follows in this PLCrashReporter report"),
    ("plcrash\u{1}\n", "line 1: this is the binary form of PLCrashReporter"),
    (
      "{\"bug_type\":\"288\"}\n{\"processByPid\":{\"1\":{\"threadById\":{}}}}",
      "line 1: this is a stackshot as an .ips report (processByPid), which rltrace does not read"
    ),
    ("#0  0x0000561809d96290 in\n", "line 1: frame 0 has no function"),
    ("#0  f () at a.c:1\n#2  g () at a.c:2\n", "line 2: expected frame 1, but found frame 2"),
    ("#1  f () at a.c:1\n", "line 1: expected frame 0, but found frame 1"),
    (
      "#0  f () at a.c:1\n\nCall graph:\n    5 Thread_1\n",
      "line 3: two kinds of stacks in one text: backtrace of gdb on line 1, call tree of sample here"
    ),
    ("Call graph:\n", "line 1: no stack follows in this call tree of sample"),
    ("Call graph:\n    5 Thread_1\n", "line 2: a thread begins here"),
    ("Call graph:\n    5 Thread_1\n      5 f  (in App\n", "line 3: the name of an image has no end"),
    (
      "Call graph:\n    5 Thread_1\n      9000000000000 f  (in App) + 1  [0x1]\n",
      "line 3: more than 1000000000000 samples"
    ),
    (
      "*** Program crashed: Illegal instruction at 0x0 ***\n",
      "line 1: no stack follows in this backtrace of Swift"
    ),
    ("Thread 0 \"a\" crashed:\n\n", "line 1: a thread begins here"),
    ("{", "line 1: the text ends inside the object that begins on line 1"),
    ("{\n\"a\":\n", "line 3: the text ends where a JSON value is expected"),
    ("{\"a\" 1}", "line 1: expected ':'"),
    ("{\"a\":1\n\"b\":2}", "line 2: expected ','"),
    ("{\"a\":\"b", "line 1: the text ends inside a JSON string"),
    ("{\"a\":nope}", "line 1: this is not a JSON value"), ("{a:1}", "line 1: expected a key"),
    ("{\"a\":\"\\x\"}", "line 1: JSON has no"), ("{}", "line 1: unknown kind of JSON"),
    (
      "{\"bug_type\":\"309\"}",
      "line 1: no report follows this header of an .ips report of bug_type 309"
    ),
    ("{\"bug_type\":\"298\"}\n{}", "line 2: this .ips report of bug_type 298 has no list of threads"),
    ("{\"threads\":[]}", "line 1: the threads of this .ips report have no frames"),
    ("{\"threads\":[{\"frames\":[{\"imageIndex\":7}]}]}", "line 1: imageIndex is 7, but there are 0 images"),
    ("{\"callStacks\":[{}]}", "line 1: these MetricKit diagnostics have no stack"),
    ("{\"callStacks\":[]}", "line 1: these MetricKit diagnostics have no stack"),
    ("{\"callStacks\":[{\"callStackRootFrames\":[3]}]}", "line 1: this frame is not a JSON object"),
    ("{\"hangDiagnostics\":[{}]}", "line 1: these MetricKit diagnostics have no stack"),
  ]

  @Test(arguments: mistakes)
  func oneLine(text: String, what: String) {
    let mistake = StackTexts.mistake(text)
    #expect(mistake?.contains(what) == true, "\(mistake ?? "nothing is wrong")")
    #expect(mistake?.contains("\n") == false)
  }

  /// Stackshots of the kernel are refused by the name of their format.
  @Test(arguments: [0x59A2_5807, 0xDE17_A59A] as [UInt32]) func stackshots(magic: UInt32) {
    let bytes =
      (0..<4).map { UInt8(truncatingIfNeeded: magic >> ($0 * 8)) } + [UInt8](repeating: 0, count: 64)
    let error = #expect(throws: BacktraceError.self) { try BacktraceReader.read(bytes) }
    #expect(error?.what.hasPrefix("this is a stackshot of the kernel (kcdata)") == true)
  }

  @Test func moreFramesThanAreRead() {
    let frames = (0...BacktraceLimits.frames).map { "    + 1 f\($0)  (in App)  [0x\($0)]" }
    #expect(
      StackTexts.mistake((["Call graph:", "    9 Thread_1"] + frames).joined(separator: "\n"))
        == "line \(BacktraceLimits.frames + 3): more than 65536 different frames")
    let thread = ["Thread 1 (Thread 0x1 (LWP 1)):", "#0  f () at a.c:1"]
    let calls = (0...BacktraceLimits.threads).flatMap { _ in thread }
    #expect(StackTexts.mistake(calls.joined(separator: "\n"))?.contains("more than 8192 threads") == true)
  }

  /// Each of 2000 innermost calls has 1000 callers.
  @Test func moreStacksThanAreUnfolded() {
    let chain = (0..<1000).map { "\(String(repeating: " ", count: $0 + 4))2000 f  (in App)  [0x1]" }
    let calls = (0..<2000).map { "\(String(repeating: " ", count: 1004))1 g\($0)  (in App)  [0x1]" }
    let text = (["Call graph:", "  2000 Thread_1"] + chain + calls).joined(separator: "\n")
    #expect(
      StackTexts.mistake(text)?.contains("line 2: the calls of the judged threads unfold into more than")
        == true)
  }

  /// A truncated text is read, or refused with an error that names a line.
  @Test(.optimizedBuild, arguments: StackTexts.paths) func cutShort(name: String) throws {
    let bytes = try ProjectFiles.bytes(name)
    var random = SeededGenerator(named: "cut \(name)")
    for _ in 0..<TestRounds.value(100) {
      try check(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), name)
    }
  }

  /// Bytes and lines that are changed, duplicated, left out or taken from another text.
  @Test(.optimizedBuild, arguments: StackTexts.paths) func mutated(name: String) throws {
    let bytes = try ProjectFiles.bytes(name)
    let texts = try StackTexts.paths.map { try ProjectFiles.bytes($0) }
    var random = SeededGenerator(named: "mutated \(name)")
    for _ in 0..<TestRounds.value(300) {
      var text = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) where !text.isEmpty {
        let at = Int.random(in: text.indices, using: &random)
        let end = min(text.count, at + Int.random(in: 1...80, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: text[at] = UInt8.random(in: 0...255, using: &random)
        case 1: text.removeSubrange(at..<end)
        case 2: text.insert(contentsOf: text[at..<end], at: at)
        case 3: text[at] = random.pick(Array("0123456789+-*()[]{}<>:,;\"'`#\n\t \\x".utf8))
        case 4:
          let other = random.pick(texts)
          let from = Int.random(in: other.indices, using: &random)
          text.insert(contentsOf: other[from..<min(other.count, from + 200)], at: at)
        case 5: text.insert(contentsOf: "99999999999999999999".utf8, at: at)
        default:
          text.insert(contentsOf: random.pick(["\u{1B}[31m", "\u{301}", "\r", "\u{2028}", "é"]).utf8, at: at)
        }
      }
      try check(text, name)
    }
  }

  private func check(_ text: [UInt8], _ name: String) throws {
    do {
      _ = try StackTexts.verdicts(text, .all)
    } catch let error as BacktraceError {
      #expect(error.line >= 0 && !error.what.contains("\n"), "\(name): \(error); \(TestSeed.note)")
    }
  }
}
