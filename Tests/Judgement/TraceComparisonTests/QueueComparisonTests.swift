import TestSupport
import Testing
import TraceAnalysis

@testable import TraceComparison

/// Queues other than the main queue in two recordings.
@Suite struct QueueComparisonTests {
  /// Returns a trace with a block every 100 ms on one queue. Each waits and runs for a time in microseconds.
  private func trace(queue: Int = 2, waits: Int = 100, runs: Int = 500, blocks: Int = 40) -> String {
    let begins = (0..<blocks).map { $0 * 100_000 + 10 }
    let main = begins.enumerated().map { "\($1) work.create #\(10 + $0) name=5 kind=0 queue=\(queue)\n" }
    let worker = begins.enumerated().map {
      "\($1 + waits) work.begin #\(10 + $0) queue=\(queue)\n\($1 + waits + runs) work.end #\(10 + $0) why=0\n"
    }
    return QueueTrace(threads: [main.joined() + "9000000 mark name=9", worker.joined()]).text
  }

  private func queues(_ comparison: Comparison) -> [ComparedRow] {
    comparison.rows.filter { $0.subject.kind == "queue" }
  }

  @Test func equalQueues() throws {
    let comparison = try AlignmentTests.compare(trace(), trace())
    #expect(queues(comparison).map(\.difference) == [.none] && comparison.verdict.outcome == .same)
  }

  @Test func longerWaitsAndSlices() throws {
    let waits = try AlignmentTests.compare(trace(), trace(waits: 20_000))
    let row = try #require(queues(waits).first)
    #expect(row.subject == .queue(name: "db", kind: "serial") && row.presence == .both)
    #expect(
      row.distribution(.wait)?.difference == .relevant
        && row.distribution(.run)?.difference == Difference.none)
    #expect(
      waits.verdict.outcome == .worse && waits.verdict.headline.contains("wait for queue \"db\" is longer"))
    let slices = try AlignmentTests.compare(trace(runs: 20_000), trace())
    #expect(slices.verdict.outcome == .better)
    #expect(slices.verdict.reasons.contains { $0.text.hasPrefix("slices of queue \"db\" are shorter") })
  }

  @Test func newAndGoneQueues() throws {
    let rows = queues(try AlignmentTests.compare(trace(), trace(queue: 3)))
    #expect(rows.map(\.subject.label) == ["queue \"log\"", "queue \"db\""])
    #expect(rows.map(\.presence) == [.new, .base] && rows.allSatisfy { $0.difference == .relevant })
  }

  /// A recording without queues does not show whether they were there.
  @Test func queuesThatOneRecordingLacks() throws {
    let without = QueueTrace(
      threads: [HandTrace.held(at: 100, for: 200) + "\n9000000 mark name=9"], hasQueues: false
    ).text
    let comparison = try AlignmentTests.compare(without, trace(waits: 300_000))
    let row = try #require(queues(comparison).first)
    #expect(row.isUnknownElsewhere && row.difference == .minor)
    let found = try #require(comparison.findings.first { $0.finding.rule == .mainQueueWaits })
    #expect(found.finding.subject == "db" && found.difference == .minor)
    #expect(comparison.notes.contains { $0.hasPrefix("only NEW has work of queues") })
    #expect(comparison.rows.allSatisfy { $0.subject.names.kind != "work" || $0.difference == .minor })
  }

  /// The numbers of objects differ from run to run.
  @Test func queuesWithoutAName() throws {
    let rows = queues(try AlignmentTests.compare(trace(queue: 77), trace(queue: 78)))
    #expect(rows.map(\.subject.label) == ["queue without a name"] && rows.map(\.presence) == [.both])
  }

  @Test func depths() {
    let yardstick = Yardstick(relevant: .standard, lengths: (1, 1))
    for (base, new, difference) in [
      (5, 5, Difference.none), (2, 3, .minor), (0, 9, .minor), (100, 150, .minor), (0, 10, .relevant),
      (25, 10, .relevant),
    ] as [(UInt64, UInt64, Difference)] {
      #expect(yardstick.peaks(base, new) == difference, "\(base), \(new)")
    }
    var row = SideRow(.queue(name: "", kind: "serial"))
    row.counts = [.depth: 3, .queued: 4]
    var other = row
    other.counts = [.depth: 2, .queued: 5]
    row.add(other)
    #expect(row.counts == [.depth: 3, .queued: 9])
  }

  /// Two queues that wait for each other, with the work of one on either thread.
  @Test func aDeadlockIsTheSameOnOtherThreads() throws {
    func trace(_ first: (queue: Int, other: Int), _ second: (queue: Int, other: Int)) -> String {
      let threads = [first, second].enumerated().map { thread, queues in
        """
        \(10 + thread) work.create #\(8 + queues.queue) name=5 kind=0 queue=\(queues.queue)
        \(20 + thread) work.begin #\(8 + queues.queue) queue=\(queues.queue)
        \(100 + thread) queueWait.begin #\(queues.other) holder=\(101 - thread)
        """
      }
      return QueueTrace(threads: threads + ["900000 mark name=9"]).text
    }
    let comparison = try AlignmentTests.compare(trace((2, 3), (3, 2)), trace((3, 2), (2, 3)))
    #expect(comparison.base.findings.contains { $0.rule == .waitsForItself && $0.subject == "db" })
    #expect(!comparison.findings.contains { $0.finding.rule == .waitsForItself })
  }
}
