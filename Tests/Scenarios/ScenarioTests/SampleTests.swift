import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The traces of SampleTraces. Recording the virtual ones again gives the same bytes; the real ones give the same
/// results.
@Suite struct SampleTests {
  /// Records each scenario as `rltrace record --virtual --codec none` does.
  @Test(arguments: ScenarioLibrary.names)
  func virtualSamplesReproduce(name: String) throws {
    let scenario = try VirtualRecordingTests.scenario(name)
    let sink = MemorySink()
    _ = try VirtualRecording.record(scenario, sink: sink, unit: .ns10, codec: NoCodec())
    #expect(sink.bytes == (try SampleTraces.bytes(virtual: name)))
  }

  private func analysis(_ name: String, gapsFromMs: UInt64 = 250) throws -> Analysis {
    let bytes = try ProjectFiles.bytes("SampleTraces/real/\(name).rltrace")
    let reader = try openTrace(bytes)
    #expect(reader.isClean && bytes.count < 20_000)
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = gapsFromMs * 1_000_000
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    #expect(analysis.trace.lostEvents == 0)
    expectSumsToClose(analysis)
    return analysis
  }

  @Test func realStarvation() throws {
    let analysis = try analysis("timer-starvation")
    for timer in analysis.timers {
      let skipped = try #require(timer.ledger).skippedBy[.wrongMode] ?? 0
      // 200 points while the finger is down.
      #expect(timer.name == "refresh (default only)" ? skipped >= 195 && skipped <= 200 : skipped == 0)
    }
    #expect(analysis.timers.count == 3 && analysis.gaps.isEmpty)
  }

  @Test func realStall() throws {
    let gaps = try analysis("stall-in-timer").gaps
    // The point at 4 s lies inside the first callout; the next one fires at 6 s.
    #expect(gaps.count == 2)
    #expect(gaps.allSatisfy { $0.after == .afterWaiting && $0.callouts.first?.name == "sleeper" })
  }

  @Test func realCauses() throws {
    let gaps = try analysis("five-causes").gaps
    #expect(gaps.count == 5 && gaps.allSatisfy { $0.after == .afterWaiting })
    #expect(Set(gaps.compactMap { $0.callouts.first?.name }).count == 5)
  }

  /// Each touch event waits 8 ms for the other process and works for 2 ms.
  @Test func realLocation() throws {
    let gaps = try analysis("location-uncached", gapsFromMs: 10).gaps
    #expect(gaps.count { $0.after == .beforeSources && $0.callouts.first?.name == "touch events" } > 50)
  }

  /// The trace contains the names: no program of this machine is read.
  @Test func realStalls() throws {
    let stalls = try analysis("stalls").stalls
    #expect(
      stalls.map { "\($0.place ?? ""), \($0.cause.words)" } == [
        "Stalls.layoutSubviews() Stalls.swift:37, drawing and layout",
        "Stalls.requestFromServer() Stalls.swift:75, synchronous network",
        "Stalls.saveFile() Stalls.swift:88, disk I/O", "Stalls.compute() Stalls.swift:46, CPU",
        "Stalls.waitForLock() Stalls.swift:102, waiting for a lock",
        "Stalls.askHelper() Stalls.swift:122, synchronous IPC",
      ])
    for stall in stalls {
      #expect(stall.stacks.map(\.startNs) == stall.stacks.map(\.startNs).sorted())
      #expect(stall.stacks.reduce(0) { $0 + $1.durationNs } == stall.durationNs)
    }
  }

  /// The process was stopped for 20 s outside all runs.
  @Test func realLeaveAndReturn() throws {
    let analysis = try analysis("leave-and-return")
    #expect(analysis.gaps.contains { $0.durationNs > 19_900_000_000 && $0.after == .exit })
  }
}
