import TestSupport
import Testing
import TraceAnalysis
import TraceFleet

/// Frame sources in summaries. Times of the traces are microseconds.
@Suite struct FrameSummaryTests {
  /// The frame of 20 ms is presented at 40 instead of 30: 10 ms in 50 ms. The state is "draw" from 25 ms on.
  private static func trace(isDeclared: Bool = true) -> HandTrace {
    HandTrace(
      main: HandTrace.frames(5, took: [2: 15_000], isDeclared: isDeclared),
      worker: "25000 state name=7 value=6")
  }

  private func summary(_ trace: HandTrace = FrameSummaryTests.trace(), by state: String? = nil) throws
    -> SessionSummary
  {
    var options = AnalysisOptions()
    options.splitState = state
    return SummaryBuilder.summary(of: try trace.analysis(options), id: "one", keys: [:], session: "session")
  }

  @Test func hitchesAndActiveTimeAddUp() throws {
    let one = try summary()
    let rows = one.rows(.frames)
    #expect(rows.map(\.identity) == [["tick"]] && rows[0].row.longestIn == "session")
    func numbers(_ summary: SessionSummary) -> [UInt64] {
      ["sessions", "frames", "on_time", "late", "hitches", "hitch_ns", "active_ns", "longest_hitch_ns"].map {
        summary.sum(.frames, $0)
      }
    }
    #expect(numbers(one) == [1, 4, 3, 1, 1, 10_000_000, 50_000_000, 10_000_000])
    var both = one
    both.merge(one)
    #expect(numbers(both) == [2, 8, 6, 2, 2, 20_000_000, 100_000_000, 10_000_000])
    #expect(try SummaryJSON.decode(SummaryJSON.encode(one)) == one)
  }

  @Test func oneNumberForEachSession() throws {
    let measures = try summary(by: "read").rows(.measures).map(\.identity)
    #expect(measures.contains(["hitch_us_per_s", ""]))
    #expect(measures.contains(["state_hitch_us_per_s", "read=draw"]))
    let value = try summary().percentile(0.5, .measures, "values") { $0[0] == "hitch_us_per_s" }
    // 200 ms/s, rounded to eight significant bits.
    #expect(abs(Double(try #require(value)) / 200_000 - 1) < 0.004)
  }

  @Test func states() throws {
    let summary = try summary(by: "read")
    let rows = Dictionary(uniqueKeysWithValues: summary.rows(.states).map { ($0.identity[1], $0.row) })
    let draw = try #require(rows["draw"])
    #expect(draw.number("hitches", of: .states) == 1 && draw.number("hitch_ns", of: .states) == 10_000_000)
    #expect(draw.number("frames_active_ns", of: .states) == 35_000_000)
    #expect(rows[""]?.number("frames_active_ns", of: .states) == 15_000_000)
    #expect(summary.sum(.states, "hitch_ns") == summary.sum(.frames, "hitch_ns"))
    #expect(summary.sum(.states, "frames_active_ns") == summary.sum(.frames, "active_ns"))
  }

  /// Lines without a frame source are those of earlier versions.
  @Test func withoutAFrameSource() throws {
    let summary = try summary(Self.trace(isDeclared: false), by: "read")
    let line = String(decoding: SummaryJSON.encode(summary), as: UTF8.self)
    #expect(!line.contains("hitch") && !line.contains("\"frames"))
  }
}
