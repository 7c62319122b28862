import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Programs modelled on public bug reports, on the real loop, and healthy programs of the same kinds.
@Suite(.ownThread) struct FieldProgramTests {
  private func record(
    _ program: [String], for duration: String, in folder: TemporaryFolder, as trace: String = "out.rltrace"
  ) throws -> Analysis {
    let recorded = try Program.rltrace.run(
      ["record", "-q", "--duration", duration, "--stop", "-o", trace, "--", Program("field-programs").path]
        + program, folder: folder.path)
    #expect(recorded.status == 0, "\(recorded.errors)")
    return try TraceAnalyzer(openTrace(path: folder.file(trace))).analyze()
  }

  private func analysis(_ program: String..., for duration: String = "8s") throws -> Analysis {
    try record(program, for: duration, in: TemporaryFolder())
  }

  // MARK: Queues that wait for each other

  /// The main thread waits for a queue, whose block waits for work that is queued behind the main thread's callout.
  @Test(arguments: [
    (["answer-behind-queue"], "Matcher.currentState()", "Matcher.detect()"),
    (["queues-wait"], "Library.count()", "Library.reload()"),
    (["queues-wait", "no-loop"], "Library.count()", "Library.reload()"),
  ])
  func queuesThatWaitForEachOther(program: [String], waiting: String, holder: String) throws {
    ReportedStall.unblockSignals()
    let analysis = try record(program, for: "2s", in: TemporaryFolder())
    let texts = analysis.findings.map(\.text)
    #expect(analysis.findings.first?.severity == .error, "\(texts)")
    #expect(texts.contains { $0.contains(waiting) && $0.contains(holder) }, "\(texts)")
    let stall = try #require(analysis.stalls.max { $0.durationNs < $1.durationNs })
    #expect(stall.owner?.waits == true)
  }

  /// The thread waits for itself: a read inside a read of one queue, with a barrier queued in between.
  @Test func aThreadThatWaitsForItself() throws {
    ReportedStall.unblockSignals()
    let analysis = try analysis("read-in-read", for: "2s")
    let texts = analysis.findings.map(\.text)
    #expect(analysis.findings.first?.severity == .error, "\(texts)")
    #expect(
      texts.contains {
        $0.contains("Box.read") && ($0.contains("waits for itself") || $0.contains("that it holds itself"))
      }, "\(texts)")
  }

  // MARK: Loops that never run

  /// A notification queue on a thread of a pool adds an observer to a loop that never runs.
  @Test func anObserverOfALoopThatNeverRuns() throws {
    let analysis = try analysis("idle-notification")
    #expect(analysis.unrunLoops.contains { $0.items.contains { $0.kind == .observer } }, "\(analysis.notes)")
    #expect(analysis.verdict.rule == .loopNeverRan && analysis.verdict.severity == .error)
  }

  // MARK: Frames

  @Test func hitches() throws {
    let analysis = try analysis("hitches")
    #expect(analysis.verdict.outcome == .fault)
    let finding = try #require(analysis.findings.first { $0.severity == .warning })
    #expect(
      finding.text.contains("decodeFeed()") || finding.text.contains("Frames.hitches"), "\(finding.text)")
  }

  /// The program misses a few of hundreds of fires, which is not a fault.
  @Test func oneLongFrame() throws {
    let analysis = try analysis("one-long-frame")
    #expect(analysis.verdict.outcome == .clear)
    #expect(analysis.findings.allSatisfy { $0.severity == .info })
  }

  /// Each function has its own time and cause.
  @Test func parseThenSleep() throws {
    ReportedStall.unblockSignals()
    let analysis = try analysis("parse-then-sleep")
    let text = try #require(analysis.findings.first { $0.rule == .hang }).text
    #expect(text.contains("compute(for:)") && text.contains("settle()"), "\(text)")
  }

  /// A timer in two modes is listed in both, and the one in the default mode starves during the other.
  @Test func gallery() throws {
    let analysis = try analysis("gallery")
    let display = try #require(analysis.timers.first { $0.intervalNs.isAbout(16_666_667) })
    #expect(display.modes.count == 2)
    let spinner = try #require(analysis.timers.first { $0.intervalNs.isAbout(50_000_000) })
    #expect(spinner.modes == [ModeName.default])
    #expect(spinner.ledger?.skippedBy[.wrongMode, default: 0] ?? 0 > 30)
    #expect(analysis.verdict.rule == .starvedByMode)
    #expect(analysis.findings.allSatisfy { $0.timer != display.id })
  }

  // MARK: Healthy programs

  @Test(arguments: ["store", "semaphore", "modal", "gallery", "notifications", "rows"])
  func healthy(program: String) throws {
    let analysis = try analysis("healthy", program)
    #expect(analysis.verdict.outcome == .clear, "\(analysis.findings.map(\.text))")
    #expect(analysis.findings.allSatisfy { $0.severity == .info }, "\(analysis.findings.map(\.text))")
  }
}

extension UInt64 {
  /// Whether an interval is the given one, except for the rounding of CoreFoundation's seconds.
  fileprivate func isAbout(_ ns: UInt64) -> Bool { Swift.max(self, ns) - Swift.min(self, ns) < 1000 }
}
