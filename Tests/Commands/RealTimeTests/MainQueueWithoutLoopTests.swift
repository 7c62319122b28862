import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Programs in which no run loop serves the main queue: `dispatchMain()`, and an async main.
@Suite(.ownThread) struct MainQueueWithoutLoopTests {
  private struct Recording {
    let run: RecordedProgram
    let events: [RecordedEvent]
    let analysis: Analysis
    let report: ReportedAnalysis

    init(_ program: Program, _ name: String) throws {
      ReportedStall.unblockSignals()
      run = try RecordedProgram(program, [name])
      try run.expectUnchanged()
      events = try run.events()
      analysis = try TraceAnalyzer(openTrace(path: run.trace)).analyze()
      report = try ReportedAnalysis(of: run.trace)
      #expect(analysis.trace.lostEvents == 0 && analysis.trace.contradictions == 0)
      #expect(report.notes.contains { $0.contains("without a run loop") }, "\(report.notes)")
      let sound = try Program.rltrace.run(["validate", run.trace])
      #expect(sound.status == 0, "\(sound.output)")
    }

    func names(of kind: EventKind) -> [String] { events.filter { $0.kind == kind }.map(\.name) }
  }

  @Test func everyWayToTheMainQueue() throws {
    let recording = try Recording(.loopPrograms, "served")
    let names = recording.names(of: .mainQueueBlockBegin)
    let expected = [
      "closure #1 in Served.async()", "closure #2 in Served.async()", "closure #3 in Served.async()",
      "closure #1 in Served.workItem()", "closure #2 in Served.workItem()",
      "closure #1 in closure #1 in Served.sync()", "closure #1 in Served.group()",
      "closure #2 in Served.group()",
      "closure #1 in Served.operation()", "closure #1 in Served.job()", "closure #1 in Served.behind()",
      "closure #1 in Served.run(_:)",
    ]
    #expect(names.sorted() == expected.sorted())
    #expect(recording.names(of: .timerBegin) == Array(repeating: "closure #1 in Served.timer()", count: 5))
    // The last block ends the program; all events belong to the lane.
    #expect(recording.names(of: .mainQueueBlockEnd).count == expected.count - 1)
    #expect(recording.events.allSatisfy { $0.kind != .mainQueueBlockBegin || $0.mode == "(no run loop)" })
    let loop = try #require(recording.analysis.loops.first)
    #expect(recording.analysis.loops.count == 1 && loop.thread.isMainQueue && loop.loop == "main queue")
    // Every fire answers a due point, because the timer belongs to the lane on which the queue is served.
    let ledger = try #require(recording.analysis.timers.first?.ledger)
    #expect(ledger.latenessNs.count == 5 && recording.analysis.timers.first?.modes == ["(no run loop)"])
  }

  @Test func jobsOfTheMainActor() throws {
    let recording = try Recording(.queuePrograms, "jobs")
    #expect(
      recording.names(of: .mainQueueBlockBegin).count { $0 == "closure #1 in QueuePrograms.jobs()" } == 10)
    #expect(recording.analysis.queues.mainQueueWaitNs.count >= 10)
  }

  /// One computes and one waits: both are sampled on the system's thread that serves the queue.
  @Test func hangs() throws {
    let recording = try Recording(.queuePrograms, "hang")
    let hangs = recording.report.findings.filter { $0.rule == "RL002" }
    #expect(!hangs.isEmpty && hangs.allSatisfy { $0.text.contains("main queue") }, "\(hangs)")
    for (function, cause) in [("compute(milliseconds:)", "CPU"), ("waitForReply()", "waiting for a lock")] {
      let stall = recording.report.stalls.first { $0.function?.contains(function) == true }
      let found = try #require(stall, "\(function): \(recording.report.stalls.map(\.function))")
      #expect(found.sourceFile?.hasSuffix("QueuePrograms/QueuePrograms.swift") == true)
      if function.hasPrefix("compute") { #expect(found.cause == cause) }
    }
  }

  /// A small server on the main queue: one request keeps the next one waiting.
  @Test func aServer() throws {
    let recording = try Recording(.queuePrograms, "server")
    #expect(recording.run.recorded.output.hasSuffix("answered 4\n"))
    // Four connections, and a request on each.
    #expect(recording.names(of: .mainQueueBlockBegin).count { $0.contains("Server.watch") } == 8)
    let stall = try #require(recording.report.stalls.first { $0.function?.contains("makeReport()") == true })
    #expect(stall.sourceFile?.hasSuffix("QueuePrograms/Server.swift") == true)
  }

  /// The page has a lane for the queue.
  @Test func thePage() throws {
    let recording = try Recording(.queuePrograms, "jobs")
    let page = try Program.rltrace.run(
      ["report", "out.rltrace", "-o", "page.html"], folder: recording.run.folder.path)
    #expect(page.status == 0, "\(page.errors)")
    let text = try String(contentsOfFile: recording.run.folder.file("page.html"), encoding: .utf8)
    #expect(text.contains("\"name\":\"main queue\""))
  }

  /// The program that ran a loop gets the requested name, even if a tool with an async main started it.
  @Test func aToolThatStartsAProgram() throws {
    let run = try RecordedProgram(.queuePrograms, ["start", Program.loopPrograms.path, "timers", "7"])
    try run.expectUnchanged()
    #expect(run.recorded.output.contains("fires 7"))
    #expect(try run.events().count { $0.kind == .timerBegin } == 7)
    let own = try #require(run.folder.names.first { $0 != "out.rltrace" })
    #expect(run.folder.names.count == 2 && own.hasSuffix(".rltrace"))
    #expect(try run.events(own).contains { $0.kind == .mainQueueBlockBegin && $0.mode == "(no run loop)" })
  }

  /// A recording that may drop its oldest part.
  @Test func theNewestPart() throws {
    let run = try RecordedProgram(.loopPrograms, ["served"], options: ["--max-size", "1M"])
    try run.expectUnchanged()
    let analysis = try TraceAnalyzer(openTrace(path: run.trace)).analyze()
    #expect(analysis.loops.contains { $0.thread.isMainQueue } && analysis.trace.contradictions == 0)
  }
}
