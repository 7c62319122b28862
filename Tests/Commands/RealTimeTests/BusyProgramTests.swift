import Foundation
import TestSupport
import Testing
import TraceAnalysis

/// Recordings of programs that poll, starve a timer or leak timers.
@Suite(.ownThread, .serialized) struct BusyProgramTests {
  private func analysis(_ name: String) throws -> Analysis {
    let run = try RecordedProgram(Program("field-programs"), [name], options: ["--duration", "5s", "--stop"])
    let analysis = try TraceAnalyzer(try openTrace(path: run.trace)).analyze()
    try #require(analysis.trace.lostEvents == 0)
    return analysis
  }

  /// Runs `body` while other work keeps the processors busy.
  private func onBusyMachine<T>(_ body: () throws -> T) throws -> T {
    let loads = try (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
      let load = Process()
      load.executableURL = URL(fileURLWithPath: "/bin/sh")
      load.arguments = ["-c", "ulimit -t 60; while :; do :; done"]
      try load.run()
      return load
    }
    defer {
      for load in loads {
        // The loads inherit the signal mask of the test's thread, which may block every other signal.
        kill(load.processIdentifier, SIGKILL)
        load.waitUntilExit()
      }
    }
    return try body()
  }

  private func expectPolling(_ analysis: Analysis) {
    #expect(
      analysis.verdict.rule == .spins && analysis.verdict.outcome == .fault, "\(analysis.verdict.text)")
    #expect(analysis.verdict.text.contains("Thread main polls"))
    // The recorder notes the function, whether or not a sampled stack shows it.
    let polling = analysis.findings.first { $0.rule == .spins }
    #expect(polling?.text.contains("Polls.") == true, "\(polling?.text ?? "")")
    #expect(analysis.sampledStacks.contains { $0.reason == .poll })
    #expect(!analysis.findings.contains { $0.rule == .hang || $0.rule == .outsideRuns })
    // Each poll serves what is ready.
    let input = analysis.inputDelay
    #expect((input?.hangs ?? 1) == 0 && (input?.delay.meanNs ?? .infinity) < 100_000_000)
  }

  @Test(arguments: ["poll-until-now", "poll-distant-past"]) func polling(name: String) throws {
    expectPolling(try analysis(name))
  }

  @Test(arguments: ["poll-until-now", "poll-distant-past"]) func pollingOnABusyMachine(name: String) throws {
    let found = try onBusyMachine { try analysis(name) }
    let polling = try #require(found.findings.first { $0.rule == .spins })
    #expect(polling.severity < .info && polling.text.contains("Thread main polls"))
  }

  /// Fast polls of another mode do not hide the function that polls the default mode slowly, with a time limit.
  @Test func slowPolls() throws {
    let found = try analysis("poll-slowly")
    let names = found.sampledStacks.filter { $0.reason == .poll }.compactMap { $0.runCaller?.name }
    #expect(
      names.contains { $0.contains("Polls.spin()") } && names.contains { $0.contains("Polls.poll()") },
      "\(names)")
    // The rate depends on the machine.
    for finding in found.findings where finding.rule == .spins && finding.subject == ModeName.default {
      #expect(finding.text.contains("Polls.poll()"), "\(finding.text)")
    }
  }

  @Test func aFrameLoopIsHealthy() throws {
    let found = try analysis("frame-loop")
    #expect(!found.findings.contains { $0.severity < .info }, "\(found.findings.map(\.text))")
    #expect(!found.findings.contains { $0.rule == .outsideRuns || $0.rule == .hang || $0.rule == .spins })
    #expect(found.inputDelay?.hangRate == 0)
  }

  /// A mode whose name does not mention tracking.
  @Test func aTimerStarvesInADialog() throws {
    let found = try analysis("modal-poller")
    let starved = try #require(found.findings.first { $0.rule == .starvedByMode })
    #expect(starved.severity == .error && starved.text.contains("\"NSModalPanelRunLoopMode\""))
    #expect(found.verdict.rule == .starvedByMode)
  }

  @Test func leakedTimers() throws {
    let found = try analysis("leaky-rows")
    let leak = try #require(found.findings.first { $0.rule == .leakedItems })
    #expect(leak.severity == .error)
    #expect(found.verdict.outcome == .fault)
    let timers = found.timers.max { $0.life.live < $1.life.live }
    #expect((timers?.life.live ?? 0) > 50 && timers?.life.ended == 0)
  }
}
