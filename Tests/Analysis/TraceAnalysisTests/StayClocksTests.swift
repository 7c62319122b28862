import TestSupport
import Testing
import TraceAnalysis

/// The duration of a stay in the background, measured by each clock. Times of the traces are microseconds.
@Suite struct StayClocksTests {
  /// Clocks are read at the sync point nearest to a moment, before or after it.
  @Test(arguments: [(10_000, 20_000), (400_000, 600_000), (900_000, 990_000)])
  func syncPointsOnEitherSide(left: Int, returned: Int) throws {
    let trace = HandTrace(
      main: HandTrace.asleep + "\(left) lifeCycle phase=4\n\(returned) lifeCycle phase=2\n",
      sync: [(0, 1000, 1000), (1_000_000, 2000, 2500)])
    let stay = try #require(try trace.analysis().lifeCycle.stays.first)
    // Half a second of sleep lies between the two points.
    let slept: UInt64 = left < 500_000 && returned > 500_000 ? 500_000_000 : 0
    #expect(stay.durationNs == UInt64(returned - left) * 1000)
    #expect(stay.bootNs == stay.durationNs + slept)
  }

  /// The boot-time clock, which cannot be set, went back: the points contradict each other, so its duration is
  /// unknown.
  @Test func clocksThatContradictEachOther() throws {
    let trace = HandTrace(
      main: HandTrace.asleep + "400000 lifeCycle phase=4\n600000 lifeCycle phase=2\n",
      sync: [(0, 1000, 5_000_000), (1_000_000, 2000, 2500)])
    let stay = try #require(try trace.analysis().lifeCycle.stays.first)
    #expect(stay.bootNs == nil)
  }
}
