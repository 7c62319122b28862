import CallStacks
import TestSupport
import Testing
import TraceAnalysis

/// The functions that poll, by the callers that the recorded program noted. Times of traces are microseconds.
@Suite struct PollerTests {
  /// Returns runs in mode 1, one every 300 µs, that return at once.
  private func polls(_ count: Int, from start: Int) -> String {
    (0..<count).map { number in
      let begin = start + number * 300
      return """
        \(begin) run.begin m1 #1 timeout_ns=0 return_after_source=1
        \(begin) Entry.low m1 #1
        \(begin + 10) BeforeTimers.low m1 #1
        \(begin + 20) BeforeSources.low m1 #1
        \(begin + 100) Exit.low m1 #1
        \(begin + 100) run.end m1 #1 result=3

        """
    }.joined()
  }

  /// Returns 1500 polls in the source "parse", which the loop calls half a second after the start.
  private var nestedPolls: String {
    """
    500000 run.begin m1 #1 timeout_ns=4000000000 return_after_source=0
    500000 Entry.low m1 #1
    500010 BeforeTimers.low m1 #1
    500020 BeforeSources.low m1 #1
    500030 source0.begin m1 #5

    """ + polls(1500, from: 500_300) + """
      1000000 source0.end m1 #5
      1000010 Exit.low m1 #1
      1000010 run.end m1 #1 result=1

      """
  }

  private func finding(_ rule: RuleID, samples: String, main: String) throws -> Finding {
    let analysis = try SampledTrace(
      functions: ["main()", "pump()", "parse", "CFRunLoopRun"], samples: samples,
      main: "0 source.create #5 name=7 version=0 order=0 site=4\n" + main
    ).analysis()
    #expect(findingFaults(analysis) == [])
    return try #require(analysis.findings.first { $0.rule == rule }, "\(analysis.findings.map(\.text))")
  }

  @Test func outsideCallouts() throws {
    let found = try finding(
      .spins, samples: "9000 thread.stack thread=1 reason=6 frame=4096", main: polls(4000, from: 0))
    #expect(
      found.text.contains(". The function \"main() app.swift:7\" started the runs"), "\(found.text)")
    #expect(found.sampled.map(\.frame.name) == ["main()"])
  }

  /// Some of the polls are inside a callout. The stack shows who makes the others.
  @Test func insideAndOutsideCallouts() throws {
    let samples = "9000 thread.stack thread=1 reason=6 frame=4096"
    let main = polls(1500, from: 0) + nestedPolls
    let found = try finding(.spins, samples: samples, main: main)
    #expect(
      found.text.contains(
        "Several callouts, or code outside callouts, started them. Functions that poll outside callouts: \"main() app.swift:7\""
      ), "\(found.text)")
    // A function that ran the loop need not be one that polls.
    let spinning = "9000 thread.stack thread=1 reason=4 frame=4144 frame=4097"
    let stalled = try finding(.spins, samples: spinning, main: main)
    #expect(!stalled.text.contains("main()"), "\(stalled.text)")
  }

  /// The callout calls a function that polls.
  @Test func insideACallout() throws {
    let found = try finding(
      .spins, samples: "501000 thread.stack thread=1 reason=5 frame=4112 frame=4129",
      main: nestedPolls)
    #expect(
      found.text.contains("The callout source0 \"parse\" started them, in \"pump() app.swift:8\""),
      "\(found.text)")
  }

  /// A run was meant to wait, but its mode was empty.
  @Test func aRunThatDidNotWait() throws {
    func empty(_ mode: Int, at time: Int) -> String {
      """
      \(time) run.begin m\(mode) #1 timeout_ns=5000000000 return_after_source=1
      \(time + 10) run.end m\(mode) #1 result=1

      """
    }
    let samples = "9000 thread.stack thread=1 reason=6 frame=4096"
    let found = try finding(.emptyRuns, samples: samples, main: empty(1, at: 1000) + empty(1, at: 500_000))
    #expect(found.severity == .info)
    #expect(found.text.contains(". The function \"main() app.swift:7\" started the runs"), "\(found.text)")
    // The function may have run the loop in the other mode.
    let other = try finding(
      .emptyRuns, samples: samples,
      main: empty(1, at: 1000) + polls(40, from: 2000).replacing("m1", with: "m2"))
    #expect(!other.text.contains("main()"), "\(other.text)")
  }
}
