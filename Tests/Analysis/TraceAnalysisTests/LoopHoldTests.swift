import TestSupport
import Testing
import TraceAnalysis

/// How long the loop that ended an interval was busy meanwhile, and with what. Times of the traces are microseconds.
@Suite struct LoopHoldTests {
  private static let ms: UInt64 = 1_000_000

  /// Returns a run with two sources, "parse" for `first` and "draw" for `second`, and a wait. `during`: an event of the
  /// thread before that wait.
  private func run(at start: Int, _ first: Int, _ second: Int, during: String = "") -> String {
    let end = start + 40 + first + second
    return """
      \(start) Entry.low m1 #1
      \(start + 10) BeforeTimers.low m1 #1
      \(start + 20) BeforeSources.low m1 #1
      \(start + 30) source0.begin m1 #5
      \(start + 30 + first) source0.end m1 #5
      \(start + 30 + first) source0.begin m1 #6
      \(start + 30 + first + second) source0.end m1 #6
      \(during)
      \(end) BeforeWaiting.low m1 #1
      \(end + 10) AfterWaiting.low m1 #1
      \(end + 20) Exit.low m1 #1

      """
  }

  private static let sources = """
    0 source.create #5 name=4 version=0 order=0 site=5
    0 source.create #6 name=6 version=0 order=0 site=5

    """

  private func described(_ hold: MarkResults.Hold?) -> String {
    guard let hold else { return "none" }
    return "\(hold.ns / Self.ms) ms \(hold.holder ?? "not known")"
  }

  /// A request waits for the source that holds the loop on which it ends. Another thread began it.
  @Test func theLoopThatEndsAnInterval() throws {
    let main = Self.sources + run(at: 0, 280_000, 20_000, during: "300033 interval.end #10")
    let analysis = try HandTrace(main: main, worker: "100000 interval.begin #10 name=7").analysis()
    let busy = try #require(analysis.busy.first)
    #expect(busy.outsideNs == 0 && analysis.busy.count == 1)
    let interval = try #require(analysis.marks.intervals.first)
    #expect(described(interval.hold) == "200 ms source0 parse")
    #expect(interval.hold?.ns == interval.durationNs)
    #expect(analysis.marks.byName.first?.heldNs == interval.hold?.ns)
    #expect(analysis.marks.byName.first?.holder == "source0 parse")
  }

  /// The callout with most time of the busy interval ran before the interval began, so it is not named. The other one
  /// is not named either, because the recording does not say in which part of the busy interval it ran.
  @Test func aCalloutFromBeforeTheInterval() throws {
    let main = Self.sources + run(at: 0, 200_000, 150_000, during: "350033 interval.end #10")
    let analysis = try HandTrace(main: main, worker: "190000 interval.begin #10 name=7").analysis()
    #expect(analysis.busy.first?.callouts.first?.name == "parse")
    #expect(described(analysis.marks.intervals.first?.hold) == "160 ms not known")
  }

  /// Busy intervals add up. Their time between runs does not count.
  @Test func severalBusyIntervals() throws {
    let main =
      Self.sources + "0 interval.begin #10 name=7\n" + run(at: 0, 120_000, 10_000)
      + run(at: 200_000, 50_000, 10_000) + run(at: 300_000, 140_000, 10_000)
      + "500000 interval.begin #11 name=7\n" + run(at: 500_000, 10_000, 110_000)
      + "700000 interval.end #10\n700000 interval.end #11\n"
    let analysis = try HandTrace(main: main).analysis()
    let holds = analysis.marks.intervals.map(\.hold)
    #expect(holds.count == 2)
    #expect(analysis.busy.count >= 3)
    #expect(holds.first??.callout == "parse" && holds.last??.callout == "draw")
    for interval in analysis.marks.intervals {
      let hold = try #require(interval.hold)
      #expect(hold.ns <= interval.durationNs && hold.ns > 0)
    }
    #expect(analysis.marks.byName.first?.heldNs == holds.compactMap { $0?.ns }.reduce(0, +))
    #expect(analysis.marks.byName.first?.holder == "source0 parse")
  }

  /// Nothing connects a loop with an interval that ends elsewhere, or is open.
  @Test func otherThreads() throws {
    let main =
      Self.sources + "0 interval.begin #10 name=7\n0 interval.begin #11 name=6\n"
      + run(at: 0, 280_000, 20_000)
    let analysis = try HandTrace(main: main, worker: "300500 interval.end #10").analysis()
    #expect(analysis.marks.intervals.count == 2)
    #expect(analysis.marks.intervals.allSatisfy { $0.hold == nil })
    #expect(analysis.marks.byName.allSatisfy { $0.heldNs == nil && $0.holder == nil })
  }

  /// The loop was free: that is known, and differs from an interval without a loop.
  @Test func aFreeLoop() throws {
    let main =
      Self.sources + run(at: 0, 280_000, 20_000)
      + "400000 interval.begin #10 name=7\n450000 interval.end #10\n"
    let hold = try #require(try HandTrace(main: main).analysis().marks.intervals.first?.hold)
    #expect(hold.ns == 0 && hold.holder == nil)
  }

  /// The lengths of suspensions in a busy interval do not count, wherever they lie.
  @Test func suspension() throws {
    let main = Self.sources + run(at: 0, 2_000_000, 20_000, during: "2020033 interval.end #10")
    let analysis = try HandTrace(
      main: main, worker: "100000 interval.begin #10 name=7",
      recorder: "500000 process.stop signal=19\n1500000 process.continue signal=18"
    ).analysis()
    let interval = try #require(analysis.marks.intervals.first)
    #expect(interval.suspendedNs > 0)
    let hold = try #require(interval.hold)
    #expect(hold.ns <= interval.durationNs)
  }
}
