import Foundation
import TestSupport
import Testing

/// Whose function held the loop, and with what: real programs that know nothing of their recording.
@Suite struct StallStackTests {
  private static let causes = [
    (function: "layoutSubviews()", cause: "drawing and layout"),
    ("requestFromServer()", "synchronous network"), ("saveFile()", "disk I/O"), ("compute()", "CPU"),
    ("waitForLock()", "lock or deadlock"), ("askHelper()", "synchronous IPC"),
  ]

  @Test func causesOfASwiftProgram() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls"])
    run.expectUnchanged()
    let stalls = try ReportedStall.all(of: run.trace)
    for (function, cause) in Self.causes {
      let found = stalls.first { $0.function?.contains(function) == true }
      let stall = try #require(found, "\(function) is not blamed: \(stalls.map(\.function))")
      #expect(stall.cause == cause, "\(function)")
      #expect(stall.file?.hasSuffix("LoopPrograms/Stalls.swift") == true)
      // The line is one of the function's.
      let begin = try ReportedStall.line(
        of: "static func \(function)", in: "Tests/Fixtures/LoopPrograms/Stalls.swift")
      #expect(
        (begin...begin + 32).contains(stall.line ?? 0), "\(function) begins at \(begin): \(stall.line ?? 0)")
      #expect(stall.confidence != "none" && stall.confidence != "low")
    }
    let lock = stalls.first { $0.function?.contains("waitForLock()") == true }
    #expect(lock?.owner?.stack.contains { $0.function?.contains("keepLock(") == true } == true)
    #expect(lock?.owner?.deadlock == false)
  }

  /// Built without frame pointers.
  @Test func causesOfACProgram() throws {
    ReportedStall.unblockSignals()
    let folder = try TemporaryFolder()
    let source = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/PlainCStalls/main.c").path
    let built = try Program(
      shell: """
        swift=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift
        exec clang -O2 -g -fblocks -fomit-frame-pointer -I"$swift" "$0" -o plain -L"$swift/linux" -lFoundation \
          -ldispatch -lBlocksRuntime -Wl,-rpath,"$swift/linux"
        """
    ).run([source], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try RecordedProgram(Program(path: folder.file("plain")))
    run.expectUnchanged()
    let stalls = try ReportedStall.all(of: run.trace)
    for (function, cause) in [
      ("compute", "CPU"), ("save_file", "disk I/O"), ("wait_for_lock", "lock or deadlock"),
      ("ask_helper", "synchronous IPC"),
    ] {
      let stall = try #require(stalls.first { $0.function == function }, "\(stalls.map(\.function))")
      #expect(stall.cause == cause, "\(function)")
      #expect(stall.file?.hasSuffix("PlainCStalls/main.c") == true)
      let begin = try ReportedStall.line(
        of: "static void \(function)(void) {", in: "Tests/Fixtures/PlainCStalls/main.c")
      #expect(
        (begin...begin + 14).contains(stall.line ?? 0), "\(function) begins at \(begin): \(stall.line ?? 0)")
    }
  }

  /// Killed in the middle of it: what was sampled is there.
  @Test func deadlock() throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "--duration", "2s", "--stop", "--", Program.loopPrograms.path,
        "stalls", "deadlock",
      ], folder: folder.path)
    #expect(run.errors.contains("was killed") || run.errors.isEmpty)
    let stall = try #require(try ReportedStall.all(of: folder.file("out.rltrace")).first)
    #expect(stall.function?.contains("takeTwoLocks()") == true)
    #expect(stall.cause == "lock or deadlock")
    #expect(stall.owner?.deadlock == true)
    #expect(stall.owner?.stack.contains { $0.function?.contains("takeThemTheOtherWay(") == true } == true)
    // As a pair: in the finding, and with both stacks.
    let text = try Program.rltrace.run(["analyze", folder.file("out.rltrace")]).output
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      words.contains("It waits for a lock that thread")
        && words.contains("for a lock of this one: a deadlock"))
    let pair = try #require(text.range(of: "wait for each other's lock: a deadlock"), "\(text)")
    for function in ["takeTwoLocks()", "takeThemTheOtherWay("] {
      #expect(text[pair.upperBound...].contains(function), "\(text)")
    }
    let holds = try ReportedStall.line(
      of: "static func takeThemTheOtherWay", in: "Tests/Fixtures/LoopPrograms/Stalls.swift")
    #expect(stall.owner?.function?.contains("takeThemTheOtherWay(") == true && stall.owner?.line == holds + 4)
  }
}
