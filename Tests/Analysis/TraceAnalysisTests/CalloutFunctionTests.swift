import CallStacks
import TestSupport
import Testing
import TraceAnalysis

/// The function with most time in a callout, by sampled stacks. Times of traces are microseconds.
@Suite struct CalloutFunctionTests {
  private static let (read, parse, load) = (4128, 4144, 4160)

  /// Returns samples of a function at the given moments.
  private func samples(_ function: Int, at moments: Int...) -> String {
    moments.map { "\($0) thread.stack thread=1 reason=1 frame=\(function)\n" }.joined()
  }

  private func functions(samples: String, main: String) throws -> CalloutFunctions {
    let trace = SampledTrace(
      functions: ["decode", "draw", "read()", "parse()", "load()"], samples: samples,
      main: "0 source.create #5 name=5 version=0 order=0 site=4\n"
        + "0 source.create #6 name=6 version=0 order=0 site=4\n" + main)
    return CalloutFunctions(try trace.analysis())
  }

  /// The first gap is held by one function for longer, both gaps together by the other.
  @Test func theTimeOfAllGapsDecides() throws {
    let found = try functions(
      samples: samples(Self.read, at: 1000, 101_000, 201_000) + samples(Self.parse, at: 301_000)
        + samples(Self.read, at: 1_001_000)
        + samples(Self.parse, at: 1_101_000, 1_201_000, 1_301_000, 1_401_000, 1_501_000),
      main: HandTrace.held(at: 0, for: 400_000) + HandTrace.held(at: 1_000_000, for: 600_000))
    let held = try #require(found["source0 decode"])
    #expect(held.frame.sourcePlace == "parse() app.swift:10")
    #expect(held.heldNs / 1_000_000 == 598 && held.calloutNs == 1_000_000_000)
    let text = held.sentence.text()
    #expect(text.hasPrefix("\"parse() app.swift:10\" held the thread for 598 ms of "), "\(text)")
    #expect(found["source0 draw"] == nil && found["timer decode"] == nil)
  }

  /// The samples of a gap that two callouts share may belong to either of them.
  @Test func aGapOfTwoCalloutsNamesNoFunction() throws {
    let found = try functions(
      samples: samples(Self.load, at: 1000, 101_000, 201_000, 301_000, 401_000),
      main: """
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        20 BeforeSources.low m1 #1
        30 source0.begin m1 #5
        300030 source0.end m1 #5
        300040 source0.begin m1 #6
        500030 source0.end m1 #6
        500040 BeforeWaiting.low m1 #1
        500050 AfterWaiting.low m1 #1
        500060 Exit.low m1 #1
        """)
    #expect(found["source0 decode"] == nil && found["source0 draw"] == nil)
  }

  /// One sample does not show whether the function ran for long.
  @Test func oneSampleNamesNoFunction() throws {
    let found = try functions(
      samples: samples(Self.load, at: 201_000), main: HandTrace.held(at: 0, for: 400_000))
    #expect(found["source0 decode"] == nil)
  }
}
