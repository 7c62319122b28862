import Foundation
import TestSupport
import Testing

/// A program that was killed in the middle of a stall of 20 s, with its recorder or alone. The trace contains the
/// stacks that were sampled until then, and the analysis names the function.
@Suite(.ownThread) struct KilledInAStallTests {
  private struct Kind {
    let name: String
    let function: String
    let cause: String
  }

  private static let kinds = [
    Kind(name: "cpu", function: "compute()", cause: "CPU"),
    Kind(name: "lock", function: "waitForLock()", cause: "waiting for a lock"),
    Kind(name: "ipc", function: "askHelper()", cause: "synchronous IPC"),
  ]

  @Test(arguments: kinds.indices, [true, false]) func stacksAreThere(kind: Int, recorderIsKilled: Bool) throws
  {
    let kind = Self.kinds[kind]
    let folder = try TemporaryFolder()
    ReportedStall.unblockSignals()
    let killed = try Program(
      shell: """
        "$0" record -q -o out.rltrace -- "$1" stalls 20 \(kind.name) & recorder=$!
        for i in $(seq 500); do [ -e out.rltrace.spool ] && break; sleep 0.02; done
        sleep 2
        program=$(cat /proc/$recorder/task/$recorder/children); helper=$(cat /proc/$program/task/*/children)
        kill -9 $program $helper \(recorderIsKilled ? "$recorder" : ""); wait $recorder
        \(recorderIsKilled ? "\"$0\" recover out.rltrace.spool" : "[ -e out.rltrace ]")
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    try #require(killed.status == 0, "\(killed.errors)")
    let stall = try #require(try ReportedStall.all(of: folder.file("out.rltrace")).first)
    #expect(stall.function?.contains(kind.function) == true, "\(stall)")
    #expect(stall.cause == kind.cause)
    #expect(stall.sourceFile?.hasSuffix("LoopPrograms/Stalls.swift") == true)
    let begin = try ReportedStall.line(
      of: "static func \(kind.function)", in: "Tests/Fixtures/LoopPrograms/Stalls.swift")
    #expect(
      (begin...begin + 32).contains(stall.sourceLine ?? 0), "\(kind.function) begins at \(begin): \(stall)")
    #expect(stall.confidence != "none" && stall.confidence != "low")
  }
}
