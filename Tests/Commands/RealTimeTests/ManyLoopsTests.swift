import Foundation
import TestSupport
import Testing
import TraceFormat

/// Programs with very many threads that run loops. Each thread has its own ring, and the trace is correct.
@Suite(.ownThread) struct ManyLoopsTests {
  private struct Outcome {
    /// The longest time between two activities of a run in which the thread did not wait.
    var longestGapNs: UInt64 = 0
    var threadsWithRuns: Set<UInt32> = []
  }

  /// Records a program, checks that its trace is sound, and returns the results of its threads.
  private func outcome(_ arguments: [String]) throws -> Outcome {
    let recorded = try RecordedProgram(Program("field-programs"), arguments)
    try recorded.expectUnchanged()
    let checked = try Program.rltrace.run(["validate", recorded.trace])
    #expect(checked.status == 0, "\(checked.output.prefix(2000))")
    let reader = try openTrace(path: recorded.trace)
    #expect(!reader.threads.values.contains { $0.name == "(threads without a loop)" })
    let unitNs = UInt64(reader.header.timeUnit.nanoseconds)
    var found = Outcome()
    var since: [UInt32: UInt64] = [:]
    let events = DecodedEvents()
    for block in reader.blocks.indices where reader.blocks[block].type == .events {
      let thread = reader.blocks[block].thread
      try reader.events(of: block, into: events)
      for event in events.values {
        #expect(event.kind != EventKind.lostEvents.rawValue)
        guard case .activity(let activity, _) = EventTable.role(of: event.kind) else { continue }
        if let before = since[thread] {
          found.longestGapNs = max(found.longestGapNs, (event.time - before) * unitNs)
        }
        since[thread] = activity == .beforeWaiting || activity == .exit ? nil : event.time
        found.threadsWithRuns.insert(thread)
      }
    }
    return found
  }

  @Test(arguments: [(300, 290), (1000, 5), (3000, 10)])
  func theHangIsFound(count: Int, stalled: Int) throws {
    let found = try outcome(["many-loops", "\(count)", "\(stalled)"])
    #expect(found.longestGapNs >= 1_400_000_000)
    #expect(found.threadsWithRuns.count == count)
  }

  /// Many short threads: the ring of an ended thread goes to another thread.
  @Test func shortThreadsHaveTheirOwnRuns() throws {
    #expect(try outcome(["short-loops", "3000", "32"]).threadsWithRuns.count == 3000)
  }

  /// The recorder releases its data of a child when the child's trace is written.
  @Test func theRecordersMemoryDoesNotGrowWithChildren() throws {
    let folder = try TemporaryFolder()
    let script = """
      for i in $(seq 20); do for j in 1 2 3 4 5 6 7 8; do "$0" short-loops 1 1 >/dev/null & done; wait; done
      grep VmHWM /proc/$PPID/status
      """
    let result = try Program.rltrace.run(
      ["record", "-q", "-o", "t.rltrace", "--", "/bin/bash", "-c", script, Program("field-programs").path],
      folder: folder.path)
    #expect(result.status == 0, "\(result)")
    let peakKB = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first
    #expect(try #require(peakKB) < 256 << 10, "\(result.output)")
  }
}
