import TestSupport
import Testing
import TraceAnalysis

/// Frames and hitches, computed by hand. Times are microseconds; the source `tick` has due points every 10 ms, from
/// 10 ms on.
@Suite struct FrameTests {
  private static let loop = "0 Entry.low m1 #1\n10 BeforeTimers.low m1 #1\n"
  private static let parse = "0 source.create #3 name=4 version=0 order=0 site=5\n"
  private static let tick = HandTrace.tick(due: 10_000, interval: 10_000)
  private static let declared = tick + "0 timer.frames #2\n" + parse + loop

  /// Returns a callout of a source that begins at its due point, or at `time`.
  private static func frame(_ due: Int, at time: Int? = nil, took: Int = 1000, of timer: Int = 2) -> String {
    let time = time ?? due
    return """
      \(time) timer.due m1 #\(timer) due=\(due)
      \(time) timer.begin m1 #\(timer)
      \(time + took) timer.end m1 #\(timer)

      """
  }

  private static func exit(_ time: Int) -> String { "\(time) Exit.low m1 #1\n" }

  private func analysis(
    _ main: String, worker: String = "", recorder: String = "", _ options: AnalysisOptions = AnalysisOptions()
  ) throws -> Analysis {
    let analysis = try HandTrace(main: main, worker: worker, recorder: recorder).analysis(options)
    // A hitch that began before the span may be blamed on a callout that ended before it.
    if options.from == nil { #expect(findingFaults(analysis) == []) }
    return analysis
  }

  private func source(_ analysis: Analysis, _ name: String = "tick") throws -> FrameSourceResult {
    try #require(analysis.frames.sources.first { $0.name == name })
  }

  /// Compares the numbers of frames, on time, late and missing, and the times in microseconds.
  private func expect(
    _ source: FrameSourceResult, _ counts: [UInt64], hitch: UInt64, active: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      [source.frames, source.onTime, source.late, source.missing ?? .max] == counts,
      sourceLocation: sourceLocation)
    #expect(source.hitchNs == hitch * 1000, sourceLocation: sourceLocation)
    #expect(source.activeNs == active * 1000, sourceLocation: sourceLocation)
  }

  private func expect(
    _ hitch: HitchResult?, at start: UInt64, for length: UInt64, due: UInt64?, ready: UInt64?,
    _ words: String, causeTime: UInt64?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(hitch?.startNs == start * 1000, sourceLocation: sourceLocation)
    #expect(hitch?.durationNs == length * 1000, sourceLocation: sourceLocation)
    #expect(hitch?.dueNs == due.map { $0 * 1000 }, sourceLocation: sourceLocation)
    #expect(hitch?.readyNs == ready.map { $0 * 1000 }, sourceLocation: sourceLocation)
    #expect(hitch?.blame.words == words, sourceLocation: sourceLocation)
    #expect(hitch?.causeNs == causeTime.map { $0 * 1000 }, sourceLocation: sourceLocation)
  }

  // MARK: Frames

  /// Five frames of 1 ms, in 50 ms from the first due point on.
  @Test func allOnTime() throws {
    let main = Self.declared + (1...5).map { Self.frame($0 * 10_000) }.joined() + Self.exit(60_000)
    let found = try analysis(main)
    let source = try source(found)
    expect(source, [5, 5, 0, 0], hitch: 0, active: 50_000)
    #expect(source.choice == .program && source.isJudged && source.due == 5 && source.loop == "loop 1")
    #expect(source.band == .good && source.ratio == 0 && found.frames.hitches.isEmpty)
    #expect(!found.findings.contains { $0.rule == .hitches })
  }

  /// The frame of 20 is ready at 35, and presented at 40 instead of 30: 10 ms in 50 ms. The point at 30 is skipped.
  @Test func itsOwnCallout() throws {
    let main =
      Self.declared + Self.frame(10_000) + Self.frame(20_000, took: 15_000) + Self.frame(40_000)
      + Self.frame(50_000) + Self.exit(60_000)
    let found = try analysis(main)
    let source = try source(found)
    expect(source, [4, 3, 1, 1], hitch: 10_000, active: 50_000)
    #expect(source.hitches == 1 && source.longestHitchNs == 10_000_000 && source.band == .bad)
    #expect(found.frames.hitches.count == 1 && found.frames.hitchesOmitted == 0)
    expect(
      found.frames.hitches.first, at: 30_000, for: 10_000, due: 20_000, ready: 35_000, "timer tick",
      causeTime: 15_000)
    let finding = try #require(found.findings.first { $0.rule == .hitches })
    #expect(finding.severity == .error && finding.subject == "tick")
    #expect(finding.text.contains("200 milliseconds per second, which is bad"), "\(finding.text)")
  }

  /// A source0 runs from 19 to 33: 13 ms of the 14 ms from the due point at 20 to the end of the frame.
  private static let blocked =
    frame(10_000) + "19000 source0.begin m1 #3\n33000 source0.end m1 #3\n" + frame(20_000, at: 33_000)

  @Test func anotherCallout() throws {
    let found = try analysis(Self.declared + Self.blocked + Self.frame(40_000) + Self.exit(50_000))
    expect(try source(found), [3, 2, 1, 1], hitch: 10_000, active: 40_000)
    expect(
      found.frames.hitches.first, at: 30_000, for: 10_000, due: 20_000, ready: 34_000, "source0 parse",
      causeTime: 13_000)
    #expect(try source(found).costs.map(\.blame.callout) == ["parse"])
  }

  /// The loop runs mode 2 from 12 to 45. The frame of 20 is ready at 46, and presented at 50: 20 ms too late.
  @Test func anotherMode() throws {
    let main =
      Self.declared + Self.frame(10_000) + Self.exit(12_000) + "12000 Entry.low m2 #1\n45000 Exit.low m2 #1\n"
      + "45000 Entry.low m1 #1\n" + Self.frame(20_000, at: 45_100, took: 900) + Self.frame(50_000)
      + Self.exit(60_000)
    let found = try analysis(main)
    expect(try source(found), [3, 2, 1, 2], hitch: 20_000, active: 50_000)
    let hitch = try #require(found.frames.hitches.first)
    expect(hitch, at: 30_000, for: 20_000, due: 20_000, ready: 46_000, "mode 2", causeTime: 25_000)
    #expect(hitch.blame.cause == .wrongMode)
  }

  /// The callout of exactly one interval ends at the next due point, which the loop then skips.
  @Test func readyAtThePoint() throws {
    let main =
      Self.declared + Self.frame(10_000, took: 10_000) + Self.frame(30_000) + Self.exit(40_000)
    let found = try analysis(main)
    expect(try source(found), [2, 2, 0, 1], hitch: 10_000, active: 30_000)
    #expect(found.frames.hitches.first?.blame.words == "timer tick")
  }

  /// Frames of `draw`, every 20 ms, make those of `tick` late. `draw` itself is ready at 35, before 40.
  @Test func twoSources() throws {
    let draw =
      "0 timer.create #5 name=6 interval_ns=20000000 tolerance_ns=0 due=20000 site=5\n"
      + "0 timer.add #5 mode=1 loop=1\n0 timer.frames #5\n"
    let main =
      draw + Self.declared + Self.frame(10_000) + Self.frame(20_000, took: 15_000, of: 5)
      + Self.frame(20_000, at: 35_000) + Self.frame(40_000, at: 40_000, took: 500, of: 5)
      + Self.frame(40_000, at: 40_500) + Self.exit(50_000)
    let found = try analysis(main)
    #expect(found.frames.judged.count == 2)
    expect(try source(found), [3, 2, 1, 1], hitch: 10_000, active: 40_000)
    expect(try source(found, "draw"), [2, 2, 0, 0], hitch: 0, active: 30_000)
    expect(
      found.frames.hitches.first, at: 30_000, for: 10_000, due: 20_000, ready: 36_000, "timer draw",
      causeTime: 15_000)
  }

  // MARK: Frames per second

  /// Returns a source of about 10 s. `late`: by the number of a frame, its delay and the length of its callout.
  private func rate(
    _ interval: Int, _ count: Int, late: [Int: (by: Int, took: Int)] = [:]
  ) throws -> FrameSourceResult {
    var main = HandTrace.tick(due: interval, interval: interval) + "0 timer.frames #2\n" + Self.loop
    var number = 1
    while number <= count {
      let (by, took) = late[number] ?? (0, 1000)
      main += Self.frame(number * interval, at: number * interval + by, took: took)
      number += (by + took) / interval + 1
    }
    return try source(try analysis(main + Self.exit((count + 1) * interval)))
  }

  @Test func framesPerSecondMislead() throws {
    // 600 frames at 60 Hz, and 240 at 24 Hz.
    let fluent = try rate(16_667, 600)
    expect(fluent, [600, 600, 0, 0], hitch: 0, active: 600 * 16_667)
    let film = try rate(41_667, 240)
    expect(film, [240, 240, 0, 0], hitch: 0, active: 240 * 41_667)
    // Once a second, 16.7 ms of work begin 1 ms late: the frame is presented one interval too late.
    let late = Dictionary(uniqueKeysWithValues: (0..<10).map { ($0 * 60 + 30, (by: 1000, took: 16_700)) })
    let uneven = try rate(16_667, 600, late: late)
    expect(uneven, [590, 580, 10, 10], hitch: 10 * 16_667, active: 600 * 16_667)
    #expect(uneven.hitches == 10 && uneven.ratio.map(Units.significant) == "16.7" && uneven.band == .bad)
    // One callout of 200 ms: its frame is presented after 12 intervals instead of one.
    let stopped = try rate(16_667, 600, late: [300: (by: 0, took: 200_000)])
    expect(stopped, [589, 588, 1, 11], hitch: 11 * 16_667, active: 600 * 16_667)
    #expect(stopped.ratio.map(Units.significant) == "18.3" && stopped.band == .bad)
  }

  // MARK: Holes

  private static let stop = "15000 process.stop signal=19\n55000 process.continue signal=18\n"

  /// The process is stopped from 15 to 55. The frame of 20 is ready at 56.1: neither on time nor late. 60 ms from the
  /// first due point on, 40 of them suspended.
  @Test func suspension() throws {
    let main =
      Self.declared + Self.frame(10_000) + Self.frame(20_000, at: 55_100) + Self.frame(60_000)
      + Self.exit(70_000)
    let found = try analysis(main, recorder: Self.stop)
    expect(try source(found), [3, 2, 0, 0], hitch: 0, active: 20_000)
  }

  /// After the stop, a frame is expected at 70, one interval after the first grid point. It comes at 100.
  @Test func lateAfterASuspension() throws {
    let main =
      Self.declared + Self.frame(10_000) + "55100 source0.begin m1 #3\n95100 source0.end m1 #3\n"
      + Self.frame(20_000, at: 95_100, took: 900) + Self.frame(100_000) + Self.exit(110_000)
    let found = try analysis(main, recorder: Self.stop)
    let source = try source(found)
    #expect(source.frames == 3 && source.onTime == 2 && source.late == 0)
    #expect(source.hitchNs == 30_000_000 && source.activeNs == 60_000_000)
    #expect(found.frames.hitches.first?.startNs == 70_000_000)
  }

  /// Nothing is known from the last event before the loss, at 11, to the frame of 50.
  @Test func loss() throws {
    let main =
      Self.declared + Self.frame(10_000) + "45000 lostEvents m1 count=3\n" + Self.frame(50_000)
      + Self.exit(60_000)
    let found = try source(try analysis(main))
    #expect(found.frames == 2 && found.onTime == 2 && found.hitchNs == 0)
    #expect(found.activeNs == 11_000_000)
  }

  // MARK: The end of a source

  /// The source is in a mode from 0 to 12 and from 50.5 on: 2 and 9.5 ms.
  @Test func removedAndAdded() throws {
    let main =
      Self.declared + Self.frame(10_000) + "12000 timer.remove #2 mode=1\n50500 timer.add #2 mode=1 loop=1\n"
      + Self.frame(20_000, at: 50_600, took: 400) + Self.exit(60_000)
    expect(try source(try analysis(main)), [2, 2, 0, 0], hitch: 0, active: 11_500)
  }

  /// The callout that begins at 20 invalidates its timer at 45. Its frame would be presented at 50 instead of 30.
  @Test func endedByItself() throws {
    let main =
      Self.declared + Self.frame(10_000) + "20000 timer.due m1 #2 due=20000\n20000 timer.begin m1 #2\n"
      + "45000 timer.invalidate m1 #2\n46000 timer.end m1 #2\n" + Self.exit(60_000)
    let found = try source(try analysis(main))
    #expect(found.frames == 2 && found.late == 1)
    #expect(found.hitchNs == 20_000_000 && found.activeNs == 35_000_000)
  }

  /// The program puts the next frame off until 100.
  @Test func moved() throws {
    let main =
      Self.declared + Self.frame(10_000) + "12000 timer.reschedule #2 due=100000\n" + Self.frame(100_000)
      + Self.frame(110_000) + Self.exit(120_000)
    expect(try source(try analysis(main)), [3, 3, 0, 0], hitch: 0, active: 110_000)
  }

  // MARK: The end by another thread, while the loop's thread stores no event from 11 to 60

  /// The source is in a mode until 15. It is invalidated before or after its next due point.
  @Test(arguments: [18_000, 45_000])
  func removedAndInvalidatedByAnotherThread(end: Int) throws {
    let worker = "15000 timer.remove #2 mode=1\n\(end) timer.invalidate #2\n"
    let found = try analysis(Self.declared + Self.frame(10_000) + Self.exit(60_000), worker: worker)
    expect(try source(found), [1, 1, 0, 0], hitch: 0, active: 5000)
  }

  /// The frame of 20 is overdue from 30 until the source leaves its mode at 35. The point at 30 is skipped.
  @Test func removedByAnotherThreadWhileOverdue() throws {
    let worker = "35000 timer.remove #2 mode=1\n45000 timer.invalidate #2\n"
    let found = try analysis(Self.declared + Self.frame(10_000) + Self.exit(60_000), worker: worker)
    expect(try source(found), [1, 1, 0, 1], hitch: 5000, active: 25_000)
  }

  /// The source leaves its only mode at 15, and enters mode 2 at 16, when that becomes common. Removed at 18, it is not
  /// due there. Invalidated at 25, it is due from 20 on.
  @Test(arguments: [
    ("18000 timer.remove #2 mode=2\n", UInt64(5000)), ("25000 timer.invalidate #2\n", 10_000),
  ])
  func aModeBecomesCommonByAnotherThread(end: String, active: UInt64) throws {
    let main =
      HandTrace.tick(due: 10_000, modes: [3], interval: 10_000) + "0 timer.frames #2\n"
      + "0 loop.addCommonMode #1 mode=1\n" + Self.loop + Self.frame(10_000) + Self.exit(60_000)
    let worker = "15000 timer.remove #2 mode=1\n16000 loop.addCommonMode #1 mode=2\n" + end
    expect(try source(try analysis(main, worker: worker)), [1, 1, 0, 0], hitch: 0, active: active)
  }

  // MARK: The end of the span

  /// The frame of 20 never comes. It is overdue from 30 to the end at 80.
  @Test func overdueAtTheEnd() throws {
    let main =
      Self.declared + Self.frame(10_000) + "19000 source0.begin m1 #3\n80000 source0.end m1 #3\n"
    let found = try analysis(main)
    #expect(try source(found).hitchNs == 50_000_000)
    expect(
      found.frames.hitches.first, at: 30_000, for: 50_000, due: 20_000, ready: nil, "busy", causeTime: nil)
  }

  // MARK: Windows

  /// The hitch from 30 to 40 is longer than what the first half has of it, and counts in both halves.
  @Test func aHitchAcrossTheBoundary() throws {
    let main = Self.declared + Self.blocked + Self.frame(40_000) + Self.exit(50_000)
    var (first, second) = (AnalysisOptions(), AnalysisOptions())
    first.to = 36_000
    second.from = 36_000
    for (options, length) in [(first, UInt64(6_000_000)), (second, 4_000_000)] {
      let found = try analysis(main, options).frames
      let source = try #require(found.sources.first)
      #expect(source.hitches == 1 && source.hitchNs == length && source.longestHitchNs == length)
      #expect(source.costs.map(\.hitchNs) == [length] && found.hitches.map(\.durationNs) == [length])
    }
  }

  /// Hitches of 30 to 40, and of 50 to 60 with a callout from 40 to 55, cut anywhere.
  @Test func halvesAddUp() throws {
    let main =
      Self.declared + Self.blocked + Self.frame(40_000, took: 15_000) + Self.frame(60_000)
      + Self.exit(70_000)
    let whole = try source(try analysis(main))
    expect(whole, [4, 2, 2, 2], hitch: 20_000, active: 60_000)
    for cut in stride(from: UInt64(5000), through: 69_000, by: 500) {
      var (first, second) = (AnalysisOptions(), AnalysisOptions())
      first.to = cut
      second.from = cut
      let halves = try [first, second].map { try analysis(main, $0).frames.sources.first }
      func sum(_ value: (FrameSourceResult) -> UInt64) -> UInt64 {
        halves.compactMap { $0.map(value) }.reduce(0, +)
      }
      #expect(sum(\.hitchNs) == whole.hitchNs, "\(cut)")
      #expect(sum(\.activeNs) == whole.activeNs, "\(cut)")
      #expect(sum { $0.costs.map(\.hitchNs).reduce(0, +) } == whole.hitchNs, "\(cut)")
      #expect(halves.allSatisfy { $0.map { $0.longestHitchNs <= $0.hitchNs } ?? true }, "\(cut)")
      #expect([sum(\.frames), sum(\.onTime), sum(\.late)] == [4, 2, 2], "\(cut)")
    }
  }

  // MARK: The choice of sources

  private static func hundred(_ count: Int, of timer: Int = 2, after offset: Int = 0) -> [(Int, String)] {
    (1...count).map { ($0 * 10_000 + offset, frame($0 * 10_000 + offset, of: timer)) }
  }

  @Test func offered() throws {
    let start = Self.tick + Self.loop
    let many = Self.hundred(100).map(\.1).joined()
    let found = try source(try analysis(start + many + Self.exit(1_005_000)))
    #expect(found.choice == .offered && found.isJudged && found.due == 100 && found.frames == 100)
    let few = Self.hundred(99).map(\.1).joined()
    #expect(try analysis(start + few + Self.exit(995_000)).frames.sources.isEmpty)
  }

  /// Two timers look like frame sources, so neither is judged.
  @Test func offeredTwice() throws {
    let draw =
      "0 timer.create #5 name=6 interval_ns=10000000 tolerance_ns=0 due=15000 site=5\n"
      + "0 timer.add #5 mode=1 loop=1\n"
    let both = Self.hundred(120) + Self.hundred(110, of: 5, after: 5000)
    let frames = both.sorted { $0.0 < $1.0 }.map(\.1).joined()
    let main = draw + Self.tick + Self.loop + frames + Self.exit(1_205_000)
    let found = try analysis(main)
    #expect(found.frames.sources.map(\.choice) == [.offered, .offered] && found.frames.judged.isEmpty)
    #expect(found.frames.hitches.isEmpty)
    var options = AnalysisOptions()
    options.frameSources = ["tick"]
    let chosen = try analysis(main, options).frames
    #expect(chosen.sources.map(\.name) == ["tick"] && chosen.sources.map(\.choice) == [.reader])
    #expect(chosen.judged.count == 1)
  }

  @Test func timersThatAreNoSources() throws {
    let once = HandTrace.tick(due: 10_000, interval: 0) + "0 timer.frames #2\n0 timer.frames #9\n"
    let main = once + Self.loop + Self.frame(10_000) + Self.exit(20_000)
    #expect(try analysis(main).frames.sources.isEmpty)
  }
}
