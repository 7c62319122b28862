import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Queued work that never ran, and the reason.
@Suite struct UnservedWorkTests {
  /// Returns the analysis of a recording of five seconds that ends with a mark on another thread.
  private static func analysis(_ main: String, until end: Int = 5_000_000, worker: String = "") throws
    -> Analysis
  {
    try HandTrace(main: main, worker: worker + "\n\(end) mark name=9\n").analysis()
  }

  private static func row(_ main: String, worker: String = "") throws -> UnservedResult {
    let analysis = try analysis(main, worker: worker)
    #expect(findingFaults(analysis).isEmpty, "\(findingFaults(analysis))")
    #expect(analysis.verdict.outcome == .fault, "\(analysis.verdict.text)")
    #expect(analysis.unserved.count == 1, "\(analysis.unserved)")
    return try #require(analysis.unserved.first)
  }

  @Test func aLoopThatIsNotWoken() throws {
    let row = try Self.row(
      HandTrace.asleep, worker: "1000000 block.create #9 name=4 loop=1 due=1000000 mode=1\n")
    #expect(row.reason == .notWoken && row.kind == .block && row.name == "parse")
    #expect(row.queuedNs == 1_000_000_000 && row.waitedNs == 4_000_000_000)
    #expect(row.modes == ["mode 1"] && row.blockedSinceNs == 10_000)
  }

  @Test func aSourceInNoMode() throws {
    let place = "0 source.create #5 name=6 version=0 order=0 site=0\n0 source.add #5 mode=1 loop=1\n"
    let signal = "1000000 source.signal #5\n"
    let served = try Self.row(place + HandTrace.asleep, worker: signal)
    #expect(served.reason == .notWoken && served.kind == .source0 && served.name == "draw")
    let removed = try Self.row(place + HandTrace.asleep + "500000 source.remove #5 mode=1\n", worker: signal)
    #expect(removed.reason == .inNoMode && removed.loop.isEmpty)
    // An invalidated source does not wait for anything.
    let ended = try Self.analysis(
      place + HandTrace.asleep, worker: signal + "1100000 source.invalidate #5\n")
    #expect(ended.unserved.isEmpty && ended.verdict.outcome == .clear)
  }

  /// The source is a common item, and mode 1 is the only common mode. A mode that becomes common later has the source.
  @Test func aCommonSourceThatWasRemovedFromEachCommonMode() throws {
    let removed =
      "0 loop.addCommonMode #1 mode=1\n0 source.create #5 name=6 version=0 order=0 site=0\n"
      + "0 source.add #5 mode=3 loop=1\n" + HandTrace.asleep + "500000 source.remove #5 mode=1\n"
    let signal = "1000000 source.signal #5\n"
    #expect(try Self.row(removed, worker: signal).reason == .inNoMode)
    let again = try Self.row(removed + "600000 loop.addCommonMode #1 mode=2\n", worker: signal)
    #expect(again.reason == .modeNotRun && again.ranModes == ["mode 1"])
  }

  /// The block may only run in mode 1. The loop has run mode 2 since before the block was queued, or runs it nested.
  @Test func aModeThatDoesNotRun() throws {
    let other = HandTrace.asleep.replacing("m1", with: "m2")
    let block = "1000000 block.create #9 name=4 loop=1 due=1000000 mode=1\n"
    let alone = try Self.row(other, worker: block)
    #expect(alone.reason == .modeNotRun && alone.ranModes == ["mode 2"])
    let nested =
      """
      0 Entry.low m1 #1
      10 BeforeTimers.low m1 #1
      20 BeforeSources.low m1 #1
      30 source0.begin m1 #5
      40 block.create #9 name=4 loop=1 due=40 mode=1
      50 Entry.low m2 #1
      60 BeforeTimers.low m2 #1
      70 BeforeSources.low m2 #1
      80 BeforeWaiting.low m2 #1

      """
    let inside = try Self.row(nested)
    #expect(inside.reason == .modeNotRun && inside.ranModes == ["mode 2"])
    // Between two nested runs the outer mode is the innermost, but still serves nothing.
    let between = try Self.row(nested + "4000000 AfterWaiting.low m2 #1\n4000010 Exit.low m2 #1\n")
    #expect(between.reason == .modeNotRun && between.ranModes == ["mode 2"])
  }

  /// Blocks for different modes wait for different runs.
  @Test func eachModeHasItsRow() throws {
    let blocks = "1000000 block.create #9 name=4 loop=1 due=1000000 mode=1\n"
    let analysis = try Self.analysis(
      HandTrace.asleep.replacing("m1", with: "m2"),
      worker: blocks + "1000001 block.create #8 name=4 loop=1 due=1000001 mode=4\n")
    #expect(analysis.unserved.map(\.modes) == [["mode 1"], ["mode 4"]])
  }

  /// The program adds something that is not recorded, such as an observer, to the loop of a thread that never runs it.
  @Test func aLoopThatNeverRan() throws {
    let analysis = try Self.analysis(HandTrace.asleep, worker: "1000 loop.create #7 name=1\n")
    #expect(analysis.verdict.outcome == .undecided)
    #expect(analysis.verdict.text.contains("added something to \"loop\", which never ran"))
    let ran = try Self.analysis(
      HandTrace.asleep, worker: "1000 loop.create #7 name=1\n2000 Entry.low m1 #7\n2010 Exit.low m1 #7\n")
    #expect(ran.verdict.outcome == .clear)
  }

  @Test func commonModesAreThoseOfTheLoop() throws {
    let common = "0 loop.addCommonMode #1 mode=1\n"
    let block = "1000000 block.create #9 name=4 loop=1 due=1000000 mode=3\n"
    let row = try Self.row(common + HandTrace.asleep.replacing("m1", with: "m2"), worker: block)
    #expect(row.reason == .modeNotRun && row.isOfCommonModes && row.modes.isEmpty)
    #expect(try Self.row(common + HandTrace.asleep, worker: block).reason == .notWoken)
  }

  @Test func severalModes() throws {
    let block = "1000000 block.create #9 name=4 loop=1 due=1000000 mode=4 mode=5\n"
    let row = try Self.row(HandTrace.asleep, worker: block)
    #expect(row.reason == .modeNotRun && row.modes == ["mode 4", "mode 5"])
    let eligible = "1000000 block.create #9 name=4 loop=1 due=1000000 mode=4 mode=1\n"
    #expect(try Self.row(HandTrace.asleep, worker: eligible).reason == .notWoken)
  }

  @Test func aLoopThatDoesNotRun() throws {
    let block = "1000000 block.create #9 name=4 loop=1 due=1000000 mode=1\n"
    let returned = try Self.row(HandTrace.held(at: 0, for: 100), worker: block)
    #expect(returned.reason == .loopNotRunning && returned.blockedSinceNs == 160_000)
    let ended = try Self.row(HandTrace.held(at: 0, for: 100) + "500000 loop.end #1\n", worker: block)
    #expect(ended.reason == .loopEnded && ended.blockedSinceNs == 500_000_000)
    let never = try Self.row(
      HandTrace.held(at: 0, for: 100), worker: block.replacing("loop=1", with: "loop=7"))
    #expect(never.reason == .loopNotRunning && never.thread == nil && never.blockedSinceNs == nil)
  }

  /// The main loop never runs, or the program has no run loops.
  @Test(arguments: [("1000 loop.create #7 name=1\n", 7), ("", 0)])
  func aMainQueueThatNothingServes(created: String, loop: Int) throws {
    let block = "1000 block.create #9 name=4 loop=\(loop)\n"
    let analysis = try Self.analysis(created + block)
    #expect(findingFaults(analysis).isEmpty, "\(findingFaults(analysis))")
    let row = try #require(analysis.unserved.first)
    #expect(row.kind == .mainQueueBlock && row.reason == .loopNotRunning && row.thread == nil)
    let verdict = analysis.verdict
    #expect(verdict.rule == .unservedWork && verdict.severity == .error)
    #expect(verdict.text.contains("neither the main run loop nor dispatchMain() served"), "\(verdict.text)")
    #expect(verdict.remedy.contains("Do not let the main thread wait"), "\(verdict.remedy)")
    // It is known what waits for the loop.
    #expect(!analysis.noteTexts.contains { $0.contains("never ran") })
    // A loop that ran without this work does not explain it.
    if loop == 0 { #expect(try Self.row(HandTrace.asleep + block).reason == .unknown) }
  }

  /// If all queues were recorded, work of the main queue can be judged without a loop.
  @Test(arguments: [
    (["queues=recorded"], 5_000_000, true), (["queues=recorded"], 2000, false), ([], 5_000_000, false),
  ])
  func aMainQueueAlone(facts: [String], end: Int, isJudged: Bool) throws {
    var trace = HandTrace(
      main: "1000 block.create #9 name=4 loop=0\n", worker: "\(end) mark name=9\n")
    trace.facts = facts
    let doubt = try trace.analysis().verdict.nothingToJudge
    #expect((doubt == nil) == isJudged)
  }

  private static let draining = """
    0 Entry.low m1 #1
    10 BeforeTimers.low m1 #1
    20 BeforeSources.low m1 #1
    30 BeforeWaiting.low m1 #1
    1000000 AfterWaiting.low m1 #1
    1000010 mainQueueDrain.begin m1 #1
    1000020 mainQueueBlock.begin m1 #8
    1000030 block.create #9 name=4 loop=1

    """

  /// A block of the main queue runs a nested loop: the next block cannot run before that block returns.
  @Test func aDrainInsideADrain() throws {
    let nested = """
      1000040 Entry.low m1 #1
      1000050 BeforeTimers.low m1 #1
      1000060 BeforeSources.low m1 #1
      1000070 BeforeWaiting.low m1 #1

      """
    let analysis = try Self.analysis("0 block.create #8 name=5 loop=1\n" + Self.draining + nested)
    #expect(findingFaults(analysis).isEmpty, "\(findingFaults(analysis))")
    let row = try #require(analysis.unserved.first)
    #expect(row.reason == .drainUnderWay && row.kind == .mainQueueBlock && row.blocker == "App.swift:20")
    #expect(analysis.verdict.rule == .waitsForItself && analysis.verdict.severity == .error)
  }

  /// Without a nested loop, the work waits for a callout that may return without it.
  @Test func aCalloutThatDoesNotReturn() throws {
    let row = try Self.row("0 block.create #8 name=5 loop=1\n" + Self.draining)
    #expect(row.reason == .calloutUnderWay && row.blocker == "App.swift:20" && !row.mayBeDeadlock)
    #expect(row.blockedSinceNs == 1_000_020_000)
  }

  @Test func workThatIsOverDoesNotWait() throws {
    let ran = """
      1000000 block.begin m1 #9
      1000010 block.end m1 #9
      1000020 BeforeWaiting.low m1 #1

      """
    let create = "500000 block.create #9 name=4 loop=1 due=500000 mode=1\n"
    for worker in [create + "600000 block.discard #9\n", create.replacing("500000", with: "4900000")] {
      let analysis = try Self.analysis(HandTrace.asleep, worker: worker)
      #expect(analysis.verdict.outcome == .clear, "\(analysis.verdict.text)")
    }
    let served = try Self.analysis(
      HandTrace.asleep + create + "900000 AfterWaiting.low m1 #1\n" + ran)
    #expect(served.unserved.isEmpty)
    // A block that may only run later is not late.
    let later = try Self.analysis(
      HandTrace.asleep, worker: "1000000 block.create #9 name=4 loop=1 due=9000000\n")
    #expect(later.unserved.isEmpty)
  }

  /// The event that records that the work ran may be among the lost ones.
  @Test func lostEventsMakeItUncertain() throws {
    let analysis = try Self.analysis(
      HandTrace.asleep,
      worker: "1000000 block.create #9 name=4 loop=1 due=1000000 mode=1\n2000000 lostEvents count=3\n")
    #expect(analysis.unserved.first?.isUncertain == true)
    #expect(analysis.findings.first { $0.rule == .unservedWork }?.severity == .info)
    #expect(analysis.verdict.outcome != .clear)
  }

  /// Equal pieces of work share a row with the times of the piece that waited longest.
  @Test func equalWorkIsOneRow() throws {
    let blocks = (0..<5).map { "\(1_000_000 + $0) block.create #\(20 + $0) name=4 loop=1 due=0 mode=1\n" }
    let row = try Self.row(HandTrace.asleep, worker: blocks.joined())
    #expect(row.count == 5 && row.queuedNs == 1_000_000_000)
  }
}
