import Foundation
@testable import Symbolication
import TestSupport
import Testing

/// Answers of another program are untrusted input.
@Suite struct LineProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Creates a program that acts as llvm-symbolizer. `idleMs`: the time limit, long enough for a busy machine.
  private func program(_ script: String, idleMs: Int = 20_000) throws -> LineProgram {
    let path = folder.file("symbolizer")
    // A program that was just written cannot start while a child of another thread has it open for writing.
    try script.write(toFile: folder.file("lines"), atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: path,
      withDestinationPath: ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Scripts/run-lines").path)
    return LineProgram(path: path, idleMs: idleMs)
  }

  private static let answer =
    #"{"Address":"0x10","ModuleName":"/a b","Symbol":[{"Column":7,"FileName":"/src/ä\"\u0041.c","FunctionName":"f","Line":3,"StartLine":2}]}"#

  @Test func anAnswer() throws {
    let frames = try #require(LineAnswer(ArraySlice(Self.answer.utf8))).frames
    #expect(
      frames == [LineAnswer.Frame(function: "f", file: "/src/ä\"A.c", line: 3, column: 7, startLine: 2)])
    let program = try program("while read line; do echo '\(Self.answer)'; done")
    #expect(program.answers(of: "/a b", at: [0x10]) == [0x10: frames])
    // Answers are matched by order and address.
    #expect(program.answers(of: "/a b", at: [0x10, 0x11]) == nil)
    #expect(program.answers(of: "/a b", at: [0x10]) == [0x10: frames])
  }

  /// Functions of the program contain code without a line, which calls compiled-in library code.
  @Test(arguments: [
    ("/a/main.swift", "/a/main.swift", "/a/main.swift"),
    ("/<compiler-generated>", "/a/main.swift", "/a/main.swift"),
    ("/<compiler-generated>", "/<compiler-generated>", nil), ("/<compiler-generated>", "", nil),
    ("", "", nil),
  ])
  func codeWithoutALine(file: String, startFile: String, sourceFile: String?) throws {
    let text =
      #"{"Address":"0x10","Symbol":[{"FileName":"\#(file)","FunctionName":"f","Line":0,"#
      + #""StartFileName":"\#(startFile)","StartLine":2}]}"#
    let frame = try #require(LineAnswer(ArraySlice(text.utf8))?.frames.first)
    #expect(frame.sourceFile == sourceFile)
  }

  @Test(arguments: [
    "exit 3", "sleep 20", "echo", "yes", "cat", "cat /dev/zero", "echo '{}'", "kill -SEGV $$",
    "exec <&- >&-; sleep 20",
    "read line; printf '{\"Address\":\"0x10\",'; sleep 20",
  ])
  func nonsense(script: String) throws {
    let program = try program(script, idleMs: 300)
    let start = Date()
    #expect(program.answers(of: "/file", at: [0x10, 0x20]) == nil)
    #expect(program.answers(of: "/other", at: [0x10]) == nil)
    #expect(Date().timeIntervalSince(start) < 15)
  }

  @Test(arguments: [
    ("echo llvm-symbolizer; echo 'Debian LLVM version 14.0.6'; echo '  Optimized build.'", "14.0.6"),
    ("printf 'LLVM version 19.1.7'", "19.1.7"), ("echo 'GNU GPL version 3 or later'", nil),
    ("echo 'LLVM version'", nil), ("exit 3", nil), ("yes", nil), ("kill -SEGV $$", nil),
  ])
  func versions(script: String, version: String?) throws {
    let path = try #require(try program(script).path)
    #expect(LLVMSymbolizer.version(of: path) == version)
    #expect(LLVMSymbolizer.version(of: folder.file("missing")) == nil)
  }

  /// File names that cannot be quoted are not sent.
  @Test func namesOfFiles() throws {
    let program = try program("while read line; do echo '\(Self.answer)'; done")
    for name in ["/a\nb", "/a\"'b", "/a\rb", "/a\u{0}b"] {
      #expect(program.answers(of: name, at: [0x10]) == nil)
    }
    for name in ["/a\"b", "/a'b"] { #expect(program.answers(of: name, at: [0x10]) != nil) }
  }

  /// A prefix of an answer is refused. A mutation is read or refused, and never traps.
  @Test func anyBytes() {
    var random = SeededGenerator(named: "anyBytes")
    let whole = Array(Self.answer.utf8)
    for end in whole.indices { #expect(LineAnswer(whole[..<end]) == nil) }
    let pieces = [
      "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud800", ",", ":", "9999999999999999999", "null",
      "\"Symbol\":[{",
    ]
    for _ in 0..<TestRounds.value(20_000) {
      var bytes = whole
      for _ in 0...random.next() % 4 {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: at)
        default:
          bytes.insert(contentsOf: Array(pieces[Int(random.next() % UInt64(pieces.count))].utf8), at: at)
        }
        if bytes.isEmpty { bytes = whole }
      }
      _ = LineAnswer(bytes[...])
    }
    // Deeply nested, wide and long answers.
    for bracket in ["[", "{", "{\"a\":["] {
      #expect(LineAnswer(ArraySlice(("{\"x\":" + String(repeating: bracket, count: 100_000)).utf8)) == nil)
    }
    let many = "{\"Symbol\":[" + Array(repeating: "{}", count: 300).joined(separator: ",") + "]}"
    #expect(LineAnswer(ArraySlice(many.utf8)) == nil)
  }
}
