import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Items of loops that never ran. The main loop sleeps; a worker adds items to loop 7.
@Suite struct UnrunLoopTests {
  private static let made =
    "1000 loop.create #7 name=1\n1000 source.create #5 name=6 version=0 order=0 site=0\n"
  private static let added = made + "2000 source.add #5 mode=1 loop=7\n"

  private static func analysis(
    _ worker: String, until end: Int = 5_000_000, _ options: AnalysisOptions = AnalysisOptions()
  ) throws -> Analysis {
    let analysis = try HandTrace(main: HandTrace.asleep, worker: worker + "\n\(end) mark name=9\n")
      .analysis(options)
    #expect(findingFaults(analysis).isEmpty, "\(findingFaults(analysis))")
    return analysis
  }

  private static func findings(_ analysis: Analysis) -> [Finding] {
    analysis.findings.filter { $0.rule == .loopNeverRan }
  }

  @Test func aSourceInALoopThatNeverRan() throws {
    let analysis = try Self.analysis(Self.added)
    let found = try #require(Self.findings(analysis).first)
    #expect(found.severity == .warning && found.subject == "loop")
    #expect(found.text.contains("on: source \"draw\". In the 5.00 s until"), "\(found.text)")
    #expect(analysis.verdict.rule == .loopNeverRan)
    let loop = try #require(analysis.unrunLoops.first)
    #expect(loop.boundNs == 2_000_000 && loop.waitedNs == 4_998_000_000 && loop.endedNs == nil)
    #expect(loop.items == [UnrunLoopResult.Item(kind: .source0, name: "draw")])
  }

  /// Foundation adds a source that does nothing to the loop of each thread that starts a process.
  @Test func theSourceOfAProcess() throws {
    let text = HandTrace(main: HandTrace.asleep, worker: Self.added + "\n5000000 mark name=9\n").text()
      .replacing("\"draw\"", with: "\"emptyRunLoopCallback(_:)\"")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    #expect(Self.findings(analysis).isEmpty)
  }

  /// The system calls a source1, without an event of the recording before.
  @Test func aPort() throws {
    let analysis = try Self.analysis(Self.added.replacing("version=0", with: "version=1"))
    #expect(Self.findings(analysis).first?.severity == .error)
  }

  /// Neither a later run, nor one that may have been lost, nor an item that left.
  @Test(arguments: [
    "3000 Entry.low m1 #7\n3010 Exit.low m1 #7\n", "4900000 Entry.low m1 #7\n4900010 Exit.low m1 #7\n",
    "3000 run.begin m1 #7 timeout_ns=0 return_after_source=0\n3001 run.end m1 #7 result=1\n",
    "3000 lostEvents count=1\n", "3000 source.remove #5 mode=1\n", "3000 source.invalidate #5\n",
    "3000 source.add #5 mode=1 loop=1\n",
  ])
  func noFinding(then: String) throws {
    #expect(Self.findings(try Self.analysis(Self.added + then)).isEmpty)
  }

  /// A thread may still prepare to run its loop for a second. Until then, the verdict is undecided.
  @Test(arguments: [(1_001_999, false), (1_002_000, true)])
  func aLoopNeedsTime(end: Int, isFound: Bool) throws {
    let analysis = try Self.analysis(Self.added, until: end)
    #expect(Self.findings(analysis).isEmpty == !isFound)
    #expect(analysis.verdict.outcome == (isFound ? .fault : .undecided))
  }

  /// Events behind the span may be of a run.
  @Test func aSpanWithoutTheEnd() throws {
    var options = AnalysisOptions()
    options.to = 4_000_000
    #expect(Self.findings(try Self.analysis(Self.added, options)).isEmpty)
  }

  /// The items are known, but nothing shows whether they are needed; without items, it is not known what was added.
  @Test func aLoopWithoutItems() throws {
    let analysis = try Self.analysis(Self.made)
    #expect(Self.findings(analysis).isEmpty && analysis.verdict.outcome == .undecided)
    #expect(Self.isWorkUnknown(analysis))
  }

  /// Whether a note states that it is not known whether work waits for the loop.
  private static func isWorkUnknown(_ analysis: Analysis) -> Bool {
    analysis.noteTexts.contains { $0.hasSuffix("whether work waits for that loop is not known") }
  }

  /// Work that waits, and timers that missed fires, have their own findings.
  @Test func knownWorkIsReportedOnce() throws {
    let signalled = try Self.analysis(Self.added + "3000 source.signal #5\n")
    #expect(Self.findings(signalled).isEmpty && signalled.verdict.rule == .unservedWork)
    #expect(!Self.isWorkUnknown(signalled))
    let timer =
      "1000 timer.create #2 name=2 interval_ns=100000000 tolerance_ns=0 due=100000 site=3\n"
      + "1000 timer.add #2 mode=1 loop=7\n"
    let missed = try Self.analysis(Self.made + timer)
    #expect(Self.findings(missed).isEmpty && missed.verdict.rule == .starvedByNoRun)
    let future = timer.replacing("due=100000", with: "due=9000000")
    #expect(Self.findings(try Self.analysis(Self.made + future)).first?.severity == .warning)
  }

  /// Observers are in snapshots only. The thread ended at once, so it can never run its loop.
  private static let observer = """
    1000 loop.create #7 name=1
    1400 topology.begin #7 reason=4 address=0 unseen=0
    1400 topology.mode m1 #7 state=1
    1400 topology.item m1 #8 kind=2 name=8 order=0 address=0 activities=2 repeats=1 interval_ns=0 tolerance_ns=0
    1400 topology.end #7 items=1 omitted=0
    1500 loop.end #7

    """

  @Test func anObserverOfAThreadThatEnded() throws {
    let found = try #require(Self.findings(try Self.analysis(Self.observer)).first)
    #expect(found.severity == .error)
    #expect(
      found.text.contains("observer \"save\"") && found.text.contains("its thread ended"), "\(found.text)")
  }

  /// Without events of other threads, the recording may be of the main thread only.
  @Test func onlyTheMainThreadWasRecorded() throws {
    let analysis = try HandTrace(main: HandTrace.asleep + Self.added + "5000000 mark name=9\n").analysis()
    #expect(Self.findings(analysis).isEmpty && analysis.verdict.outcome == .undecided)
  }

  @Test func severalLoops() throws {
    let second = Self.added.replacing("#7", with: "#8").replacing("loop=7", with: "loop=8")
      .replacing("#5", with: "#6").replacing("name=1", with: "name=4")
      .replacing("1000 ", with: "2000 ")
    let found = Self.findings(try Self.analysis(Self.added + second))
    #expect(found.count == 1 && found[0].members.count == 2)
    #expect(found[0].text.hasPrefix("2 loops hold work and never ran"), "\(found[0].text)")
  }
}
