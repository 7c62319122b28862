import TestSupport
import Testing
import TraceAnalysis

/// A real program that draws at 60 Hz, with three planted faults. Each of them takes several frames.
@Suite(.ownThread) struct DroppedFrameTests {
  @Test func eachMissedDeadlineNamesItsCallout() throws {
    ReportedStall.unblockSignals()
    for _ in 0..<min(10, TestRounds.value(1)) { try recordAndCheck() }
  }

  private func recordAndCheck() throws {
    let folder = try TemporaryFolder()
    let recorded = try Program.rltrace.run(
      [
        "record", "-q", "--duration", "8s", "--stop", "-o", "out.rltrace", "--",
        Program("field-programs").path, "dropped-frames",
      ], folder: folder.path)
    #expect(recorded.status == 0, "\(recorded.errors)")
    let analysis = try TraceAnalyzer(openTrace(path: folder.file("out.rltrace"))).analyze()
    let source = try #require(analysis.frames.sources.first)
    #expect(analysis.frames.sources.count == 1 && source.choice == .program)
    #expect(analysis.findings.contains { $0.rule == .hitches })
    for fault in ["plantDecode", "plantLock", "plantModal"] {
      // The modal run has timers of its own, in closures inside this one.
      let planted = analysis.callouts.filter {
        $0.name.contains(fault) && !$0.name.contains("in closure")
      }.map(\.count).reduce(0, +)
      let blamed = source.costs.filter { cost in
        fault == "plantModal"
          ? cost.blame.mode == "NSModalPanelRunLoopMode" : cost.blame.callout.contains(fault)
      }
      #expect(planted > 0)
      #expect(blamed.map(\.hitches).reduce(0, +) == planted, "\(fault): \(source.costs)")
    }
    // Stacks are sampled at half an interval, although these callouts are shorter than a stall.
    for (fault, function) in [("plantDecode", "compute(for:)"), ("plantLock", "waitFor")] {
      let functions = analysis.frames.hitches.filter { $0.blame.callout.contains(fault) }.map {
        $0.function?.function ?? ""
      }
      #expect(functions.contains { $0.contains(function) }, "\(fault): \(functions)")
    }
  }
}
