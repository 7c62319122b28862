import TestSupport
import Testing
import TraceAnalysis

/// Hitches and active time of frame sources by the values of a state. Times of the traces are microseconds.
@Suite struct FrameStateTests {
  /// Returns value, hitches, hitch time and active time in milliseconds, and the ratio.
  private func values(_ trace: HandTrace, from: UInt64? = nil, to: UInt64? = nil) throws -> [String] {
    var options = AnalysisOptions()
    options.splitState = "read"
    (options.from, options.to) = (from, to)
    let analysis = try trace.analysis(options)
    expectValuesToAddUp(analysis)
    return try #require(analysis.split).values.map { value in
      let frames = value.frames
      return
        "\(value.value ?? "-") \(frames.hitches) \(frames.hitchNs / 1_000_000) \(frames.activeNs / 1_000_000)"
        + " \(frames.ratio.map(Units.significant) ?? "none")"
    }
  }

  /// The frame of 20 ms is presented at 40 instead of 30. The state changes at 25 and at 45.
  private static let states = "25000 state name=7 value=6\n45000 state name=7 value=4"

  @Test func aHitchBelongsToTheValueInWhichItBegan() throws {
    let trace = HandTrace(main: HandTrace.frames(5, took: [2: 15_000]), worker: Self.states)
    #expect(try values(trace) == ["- 0 0 15 0.00", "draw 1 10 20 500", "parse 0 0 15 0.00"])
  }

  /// The frames of 10, 20, 40 and 50 ms, each at the value of its due point. The one of 20 is late.
  @Test func sources() throws {
    var options = AnalysisOptions()
    options.splitState = "read"
    let trace = HandTrace(main: HandTrace.frames(5, took: [2: 15_000]), worker: Self.states)
    let rows = try #require(try trace.analysis(options).split).frames
    #expect(
      rows.map {
        "\($0.value ?? "-") \($0.name) \($0.frames) \($0.onTime) \($0.late) \($0.hitchTime.hitchNs)"
      } == [
        "- tick 2 1 1 0", "draw tick 1 1 0 10000000", "parse tick 1 1 0 0",
      ])
    #expect(rows.allSatisfy { $0.isJudged && $0.state == "read" && $0.timer == rows[0].timer })
    #expect(rows.map(\.squares) == [0, 1e14, 0])
  }

  /// The span begins and ends inside the hitch, which takes 10 ms from 30 on.
  @Test func spans() throws {
    let trace = HandTrace(main: HandTrace.frames(5, took: [2: 15_000]), worker: Self.states)
    #expect(try values(trace, to: 34_000) == ["- 0 0 15 0.00", "draw 1 4 9 444"])
    #expect(try values(trace, from: 34_000).first == "parse 0 0 15 0.00")
    #expect(try values(trace, from: 37_000).contains { $0.hasPrefix("draw 1 3 8 ") })
  }

  /// The process is stopped from 32 to 52 ms.
  @Test func suspension() throws {
    let trace = HandTrace(
      main: HandTrace.frames(5, took: [3: 24_000]), worker: "25000 state name=7 value=6",
      recorder: "32000 process.stop signal=19\n52000 process.continue signal=18\n")
    let analysis = try trace.analysis()
    let active = try #require(analysis.frames.judged.first).activeNs / 1_000_000
    #expect(active == 30)
    #expect(try values(trace).map { $0.split(separator: " ")[3] } == ["15", "15"])
  }

  /// Without a frame source, nothing is known.
  @Test func noSource() throws {
    let trace = HandTrace(main: HandTrace.frames(5, isDeclared: false), worker: Self.states)
    #expect(try values(trace).allSatisfy { $0.hasSuffix(" 0 0 0 none") })
  }
}
