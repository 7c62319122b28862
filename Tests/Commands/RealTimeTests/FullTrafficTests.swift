import Foundation
import TestSupport
import Testing
import TraceFormat

/// A program that only runs callouts, for RLTRACE_TEST_TRAFFIC seconds (default 1).
@Suite(.ownThread) struct FullTrafficTests {
  private static let seconds =
    ProcessInfo.processInfo.environment["RLTRACE_TEST_TRAFFIC"].flatMap { Double($0) } ?? 1

  /// Each callout is in the trace or counted as lost, and the recorder's memory does not grow with their number.
  @Test func everyCalloutIsRecordedOrCounted() throws {
    let folder = try TemporaryFolder()
    let result = try Program(
      shell: """
        "$0" record -q -o t.rltrace -- "$1" count counter \(FullTrafficTests.seconds + 60) & recorder=$!
        for i in $(seq 200); do [ -e counter ] && break; sleep 0.02; done
        sleep \(FullTrafficTests.seconds)
        grep VmHWM /proc/$recorder/status
        kill -9 $(cat /proc/$recorder/task/$recorder/children); wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(result.status == 137, "\(result)")
    let counter = try Data(contentsOf: URL(fileURLWithPath: folder.file("counter")))
    let counted = counter.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

    let reader = try openTrace(path: folder.file("t.rltrace"))
    #expect(reader.isClean)
    let counts = try EventCounts(reader)
    let begins = UInt64(counts[.source0Begin]), lost = counts.lost
    let missing = counted - min(begins, counted)
    #expect(missing <= lost && begins <= counted + 1, "\(begins) begins, \(counted) counted, \(lost) lost")
    let memoryKB =
      result.output.split(separator: " ").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }.first
      ?? .max
    #expect(memoryKB < 128 << 10, "\(result.output)")
    if FullTrafficTests.seconds > 1 {
      print(
        "\(FullTrafficTests.seconds) s: \(reader.eventCount) events, \(lost) lost, \(reader.fileSize) bytes, recorder: \(result.output)"
      )
    }
  }
}
