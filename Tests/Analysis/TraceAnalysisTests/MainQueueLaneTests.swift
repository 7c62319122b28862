import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The main queue where no run loop serves it: drains are busy time, and between two of them the queue waits.
@Suite struct MainQueueLaneTests {
  /// Served from 1 ms on: a drain of 5 ms with two blocks, and one with a timer.
  private static let twoDrains = """
    1000 loop.create m21 #1 name=1
    2000 mainQueueDrain.begin m21 #1
    2000 mainQueueBlock.begin m21 #5
    4000 mainQueueBlock.end m21 #5
    4500 mainQueueBlock.begin m21 #6
    7000 mainQueueBlock.end m21 #6
    7000 mainQueueDrain.end m21 #1
    10000 mainQueueDrain.begin m21 #1
    10000 timer.due m21 #2 due=9000
    10000 timer.begin m21 #2
    11000 timer.end m21 #2
    11000 mainQueueDrain.end m21 #1

    """
  private static let queued = """
    0 timer.create #2 name=2 interval_ns=0 tolerance_ns=0 due=9000 site=3
    1000 timer.add #2 mode=21 loop=1
    1500 block.create #5 name=4 loop=1
    1600 block.create #6 name=6 loop=1
    20000 mark name=9

    """

  private static func analysis(_ queue: String, worker: String = queued) throws -> Analysis {
    var trace = HandTrace(main: "", worker: worker)
    trace.queue = queue
    let analysis = try trace.analysis()
    #expect(findingFaults(analysis).isEmpty, "\(findingFaults(analysis))")
    #expect(analysis.trace.contradictions == 0)
    return analysis
  }

  @Test func timeOfDrainsAndBetweenThem() throws {
    let analysis = try Self.analysis(Self.twoDrains)
    let loop = try #require(analysis.loops.first)
    #expect(analysis.loops.count == 1 && loop.thread.isMainQueue)
    #expect(loop.timeNs == 19_000_000 && loop.busyNs == 6_000_000)
    #expect(loop.runs == 0 && loop.passes == 0 && loop.continuedNs == nil)
    let mode = try #require(analysis.modes.first)
    #expect(mode.mode == ModeName.noRunLoop && mode.passes == 0 && mode.waitingNs == 13_000_000)
    // The wait for the first drain counts as well.
    let use = try #require(analysis.utilisation.first)
    #expect(use.busyNs == loop.busyNs && use.waitingNs == mode.waitingNs)
  }

  @Test func callouts() throws {
    let analysis = try Self.analysis(Self.twoDrains)
    let rows = analysis.callouts.filter { $0.kind == "mainQueueBlock" }
    #expect(Set(rows.map(\.name)) == ["parse", "draw"])
    #expect(analysis.queues.mainQueueWaitNs.count == 2 && analysis.queues.mainQueueWaitNs.max == 2_900_000)
    #expect(analysis.lateness(of: "tick") == [.scheduler: 1000])
    #expect(analysis.verdict.outcome == .clear)
    #expect(analysis.verdict.text.contains("the main queue did not hang"), "\(analysis.verdict.text)")
    #expect(!analysis.verdict.text.contains("run loop"), "\(analysis.verdict.text)")
  }

  @Test func aHang() throws {
    let analysis = try Self.analysis(
      """
      1000 loop.create m21 #1 name=1
      2000 mainQueueDrain.begin m21 #1
      2000 mainQueueBlock.begin m21 #5
      902000 mainQueueBlock.end m21 #5
      902000 mainQueueBlock.begin m21 #6
      1202000 mainQueueBlock.end m21 #6
      1202000 mainQueueDrain.end m21 #1

      """, worker: Self.queued + "2000000 mark name=9\n")
    let busy = try #require(analysis.busy.first)
    #expect(busy.startNs == 2_000_000 && busy.durationNs == 1_200_000_000 && !busy.isOpen)
    let finding = try #require(analysis.findings.first { $0.rule == .hang })
    #expect(
      finding.sentence.text().hasPrefix("The main queue was busy for 1.20 s"), "\(finding.sentence.text())")
    #expect(finding.title == "the main queue hangs")
    // There was no run loop monitor that could report it.
    #expect(analysis.detectors.allSatisfy { $0.reports.isEmpty } && analysis.incidents.isEmpty)
  }

  /// A program often exits inside a job of the queue, so the trace ends with an open drain.
  @Test func aDrainThatIsOpenAtTheEnd() throws {
    let analysis = try Self.analysis(
      """
      1000 loop.create m21 #1 name=1
      2000 mainQueueDrain.begin m21 #1
      2000 mainQueueBlock.begin m21 #5

      """)
    #expect(analysis.loops.first?.busyNs == 18_000_000)
  }

  /// The next drain proves that the previous one ended, and only the time of that one before the loss is known.
  @Test func anEndThatWasLost() throws {
    let analysis = try Self.analysis(
      """
      1000 loop.create m21 #1 name=1
      2000 mainQueueDrain.begin m21 #1
      2000 mainQueueBlock.begin m21 #5
      4000 lostEvents count=2
      900000 mainQueueDrain.begin m21 #1
      900000 mainQueueBlock.begin m21 #6
      901000 mainQueueBlock.end m21 #6
      901000 mainQueueDrain.end m21 #1

      """, worker: Self.queued + "1000000 mark name=9\n")
    #expect(analysis.loops.first?.busyNs == 1_000_000)
    #expect(analysis.busy.isEmpty && !analysis.findings.contains { $0.rule == .hang })
  }

  /// A block that no thread took is unserved, for an unknown reason.
  @Test func workThatNoThreadTook() throws {
    let analysis = try Self.analysis(
      """
      1000 loop.create m21 #1 name=1
      2000 mainQueueDrain.begin m21 #1
      2000 mainQueueBlock.begin m21 #5
      3000 mainQueueBlock.end m21 #5
      3000 mainQueueDrain.end m21 #1

      """, worker: Self.queued + "2000000 block.create #7 name=8 loop=1\n4000000 mark name=9\n")
    let late = try #require(analysis.unserved.first { $0.name == "save" })
    #expect(late.reason == .unknown)
  }

  /// Work from before dispatchMain() was queued for the main loop, which then never runs.
  @Test func workFromBeforeTheLane() throws {
    let before = "0 loop.create #9 name=1\n0 block.create #7 name=8 loop=9\n"
    var trace = HandTrace(main: "", worker: before + Self.queued + "4000000 mark name=9\n")
    trace.queue = """
      1000 loop.create m21 #1 name=1
      2000 mainQueueDrain.begin m21 #1
      2000 mainQueueBlock.begin m21 #5

      """
    let text = trace.text().replacing("\"loop\"", with: "\"main\"")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    #expect(!analysis.notes.contains { $0.text.contains("never ran") })
    let late = try #require(analysis.unserved.first { $0.name == "save" })
    #expect(late.reason == .calloutUnderWay)
  }

  @Test func theNote() throws {
    let note = try #require(
      try Self.analysis(Self.twoDrains).notes.map(\.text).first { $0.contains("run loop") })
    #expect(note.contains("without a run loop"))
    let ofLoop = try HandTrace(main: HandTrace.held(at: 0, for: 1000)).analysis()
    #expect(!ofLoop.notes.contains { $0.text.contains("without a run loop") })
  }

  /// A copy without names still shows that the lane is the main queue.
  @Test func redaction() throws {
    let lane = ThreadDefinition(index: 3, osThread: 0, isMain: true, name: "main queue")
    #expect(lane.isMainQueue && lane.mainName == "main queue")
    #expect(!ThreadDefinition(index: 0, osThread: 1, isMain: true, name: "main queue").isMainQueue)
    #expect(ThreadDefinition(index: 0, osThread: 1, isMain: true, name: "x").mainName == "main")
    #expect(ModeName.ofSystems.contains(ModeName.noRunLoop))
  }
}
