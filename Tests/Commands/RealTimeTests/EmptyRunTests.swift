import TestSupport
import Testing
import TraceFormat

/// Runs that Foundation does not begin, because their mode is empty.
@Suite(.ownThread) struct EmptyRunTests {
  @Test(arguments: ["empty-mode-on-thread", "empty-mode-on-main"]) func spin(_ name: String) throws {
    let run = try RecordedProgram(Program("field-programs"), [name], options: ["--duration", "5s", "--stop"])
    #expect(run.recorded.status == 0)
    let reader = try openTrace(path: run.trace)
    #expect(reader.isClean)
    let counts = try EventCounts(reader)
    let begins = counts[.runBegin], ends = counts[.runEnd]
    #expect(begins > 1000)
    // The signal may end the program inside a run. A busy machine may lose events of the tight loop.
    #expect(abs(begins - ends) <= 1 + Int(counts.lost), "\(begins) \(ends) \(counts.lost)")
    let report = try Program.rltrace.run(["analyze", run.trace]).output
    #expect(report.contains("Verdict: error RL029"), "\(report)")
    #expect(report.contains("returned at once") && !report.contains("dispatchMain"), "\(report)")
  }

  /// The loop's only run returned at once. The loop ended with its thread, and a block was queued for it later.
  @Test func loopOfAThreadThatEnded() throws {
    let run = try RecordedProgram(
      Program("field-programs"), ["perform-after-return"], options: ["--duration", "5s", "--stop"])
    let events = try run.events()
    let end = try #require(events.first { $0.kind == .loopEnd })
    let queued = try #require(events.first { $0.kind == .blockCreate })
    #expect(queued.time > end.time && queued.arguments[1] == UInt64(end.object))
    #expect(events.contains { $0.kind == .runBegin && $0.object == end.object })
    #expect(!events.contains { $0.kind == .blockBegin || $0.kind == .blockDiscard })
  }
}
