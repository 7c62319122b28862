import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis

/// Intervals in text: the columns about the loop appear only if it was busy for long.
@Suite struct HeldIntervalTests {
  private func headings(_ length: Int) throws -> String {
    let main =
      "0 interval.begin #10 name=7\n" + HandTrace.held(at: 0, for: length)
      + "\(length + 70) interval.end #10\n"
    let lines = AnalysisText(
      try HandTrace(main: main).analysis(), gapThresholdNs: 250_000_000,
      style: TextStyle(isColoured: false, width: 160)
    ).lines(file: "a.rltrace")
    let section = try #require(lines.firstIndex { $0.hasPrefix("Intervals of the program") })
    return lines[section...].first { $0.contains("count") } ?? ""
  }

  @Test func theLoopIsShownIfItWasHeld() throws {
    #expect(try headings(300_000).contains("held by"))
    let free = try headings(20_000)
    #expect(!free.isEmpty && !free.contains("held"))
  }
}
