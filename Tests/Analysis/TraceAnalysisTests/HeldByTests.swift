import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The culprits of a gap or a busy interval: its callouts by their own time, added up by kind and name.
@Suite struct HeldByTests {
  private static let ms: UInt64 = 1_000_000

  private func holders(_ callouts: [SpanCalloutResult]) -> [String] {
    callouts.map { "\($0.kind) \($0.name) ×\($0.count) \($0.durationNs / Self.ms)/\($0.selfNs / Self.ms)" }
  }

  /// Returns a drain that runs `blocks` blocks of one closure. Each is a separate object and takes 20 ms.
  private func drain(blocks: Int, from start: Int, name: Int = 6) -> String {
    var lines = ["\(start) mainQueueDrain.begin m1 #1"]
    for block in 0..<blocks {
      let begin = start + block * 20_200
      lines.append("\(begin) block.create #\(block + 10) name=\(name) loop=1")
      lines.append("\(begin + 200) mainQueueBlock.begin m1 #\(block + 10)")
      lines.append("\(begin + 20_200) mainQueueBlock.end m1 #\(block + 10)")
    }
    lines.append("\(start + blocks * 20_200) mainQueueDrain.end m1 #1")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Twenty blocks of 20 ms count as 400 ms of one closure. They come before the drain around them.
  @Test func blocksOfOneNameAddUpAndPrecedeTheirDrain() throws {
    let main =
      HandTrace.asleep + "100 AfterWaiting.low m1 #1\n" + drain(blocks: 20, from: 200)
        + """
        404300 BeforeTimers.low m1 #1
        404400 BeforeSources.low m1 #1
        404500 BeforeWaiting.low m1 #1
        """
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let gap = try #require(analysis.gaps.first)
    #expect(
      holders(gap.callouts) == [
        "mainQueueBlock draw ×20 400/400", "mainQueueDrain mainQueueDrain #1 ×1 404/4",
      ])
    #expect(gap.calloutCount == 21 && gap.calloutNs == 404 * Self.ms)
    #expect(gap.unexplainedNs == 200_000)
    let busy = try #require(analysis.busy.first)
    #expect(busy.callouts == gap.callouts)
    #expect(busy.unexplainedNs == 400_000)
    let row = try #require(analysis.callouts.first { $0.kind == "mainQueueDrain" })
    #expect(row.timeNs == 404 * Self.ms && row.selfNs == 4 * Self.ms)
    #expect(analysis.incidents.first?.callout == "draw")
  }

  /// Short callouts fill two of four seconds: no gap is long, but the busy interval still has its culprit.
  @Test func busyIntervalsHaveCulpritsWithoutALongGap() throws {
    var main = "0 source.create #3 name=4 version=0 order=0 site=5\n" + HandTrace.asleep
    main += "1000 AfterWaiting.low m1 #1\n"
    for pass in 0..<600 {
      let start = 1000 + pass * 1000
      main += """
        \(start) BeforeTimers.low m1 #1
        \(start) BeforeSources.low m1 #1
        \(start + 100) source0.begin m1 #3
        \(start + 900) source0.end m1 #3

        """
    }
    main += "601000 BeforeTimers.low m1 #1\n601000 BeforeSources.low m1 #1\n601000 BeforeWaiting.low m1 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.gaps.isEmpty)
    let busy = try #require(analysis.busy.first)
    #expect(holders(busy.callouts) == ["source0 parse ×600 480/480"])
    #expect(busy.calloutCount == 600 && busy.unexplainedNs == 120 * Self.ms)
  }

  /// By the end of a callout, its object's ID may already belong to another block.
  @Test func aBlockKeepsItsNameWhenItsIdIsReused() throws {
    let main =
      "0 block.create #9 name=6 loop=1\n" + HandTrace.asleep + """
        100 AfterWaiting.low m1 #1
        200 mainQueueBlock.begin m1 #9
        300200 mainQueueBlock.end m1 #9
        300300 BeforeTimers.low m1 #1
        """
    // The next generation of slot 9.
    let again = 9 | 1 << ObjectID.slotBits
    let analysis = try HandTrace(
      main: main, worker: "100000 block.create #\(again) name=7 loop=1"
    ).analysis()
    #expect(analysis.gaps.first.map { holders($0.callouts) } == ["mainQueueBlock draw ×1 300/300"])
    #expect(analysis.callouts.map(\.name) == ["draw"])
  }

  /// A single block without a name is shown by its number. Several do not count as one callout.
  @Test func unnamedBlocksAreNotOneCallout() throws {
    func trace(_ ids: [Int]) throws -> [String] {
      var main = HandTrace.asleep + "100 AfterWaiting.low m1 #1\n"
      for (place, id) in ids.enumerated() {
        main += """
          \(100_000 * place + 200) block.begin m1 #\(id)
          \(100_000 * place + 90_200) block.end m1 #\(id)

          """
      }
      main += "300300 BeforeTimers.low m1 #1\n"
      return try HandTrace(main: main).analysis().gaps.first.map { holders($0.callouts) } ?? []
    }
    #expect(try trace([7, 7, 7]) == ["block block #7 ×3 270/270"])
    #expect(try trace([7, 8, 9]) == ["block block without a name ×3 270/270"])
  }

  /// The nested run counts for the main-queue block only, and not once more for the drain around it.
  @Test func aNestedRunCountsOnce() throws {
    let main =
      HandTrace.asleep + """
        100 AfterWaiting.low m1 #1
        150 mainQueueDrain.begin m1 #1
        200 mainQueueBlock.begin m1 #7
        300 Entry.low m2 #1
        310 BeforeTimers.low m2 #1
        320 BeforeSources.low m2 #1
        330 BeforeWaiting.low m2 #1
        800000 AfterWaiting.low m2 #1
        800010 Exit.low m2 #1
        800020 mainQueueBlock.end m1 #7
        800030 mainQueueDrain.end m1 #1
        800040 BeforeTimers.low m1 #1
        800050 BeforeSources.low m1 #1
        800060 BeforeWaiting.low m1 #1
        """
    let analysis = try HandTrace(main: main).analysis()
    #expect(findingFaults(analysis) == [])
    let found = analysis.findings.filter { $0.rule == .nestedRuns }
    #expect(found.count == 1 && found.first?.members.isEmpty == true)
    #expect(found.first?.text.hasPrefix("mainQueueBlock ") == true, "\(found.map(\.text))")
    #expect(found.first?.remedy.contains("blocks of the main queue") == true)
  }

  /// A callout that starts a nested run has a part of both gaps. The callouts of the nested run do not count as its
  /// own time.
  @Test func nestedRunsAreNotOwnTime() throws {
    let main =
      "0 source.create #3 name=4 version=0 order=0 site=5\n" + HandTrace.asleep + """
        100 AfterWaiting.low m1 #1
        200 block.begin m1 #7
        110200 Entry.low m2 #1
        110200 BeforeTimers.low m2 #1
        110200 BeforeSources.low m2 #1
        110200 source0.begin m2 #3
        310200 source0.end m2 #3
        310200 Exit.low m2 #1
        430200 block.end m1 #7
        430200 BeforeTimers.low m1 #1
        430200 BeforeSources.low m1 #1
        430200 BeforeWaiting.low m1 #1
        """
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = 100 * Self.ms
    let analysis = try HandTrace(main: main).analysis(options)
    expectSumsToClose(analysis)
    #expect(
      analysis.gaps.map { holders($0.callouts) } == [
        ["block block #7 ×1 110/110"], ["source0 parse ×1 200/200"], ["block block #7 ×1 120/120"],
      ])
    let busy = try #require(analysis.busy.first)
    #expect(holders(busy.callouts) == ["block block #7 ×1 230/230", "source0 parse ×1 200/200"])
    #expect(busy.calloutNs == 430 * Self.ms && busy.calloutCount == 2)
  }

  /// Where the observers of an activity were not recorded individually, their total time has one entry.
  @Test func observersOfAnActivityAreNamed() throws {
    let main = """
      0 Entry.low m1 #1
      0 Entry.high m1 #1
      10 BeforeTimers.low m1 #1
      10 BeforeTimers.high m1 #1
      20 BeforeSources.low m1 #1
      20 BeforeSources.high m1 #1
      30 BeforeWaiting.low m1 #1
      1030 observer.begin m1 #8
      51030 observer.end m1 #8
      300030 BeforeWaiting.high m1 #1
      400000 AfterWaiting.low m1 #1
      400000 AfterWaiting.high m1 #1
      """
    let analysis = try HandTrace(
      main: "0 observer.create #8 name=7 activities=32 order=0\n" + main, hasHigh: true
    )
    .analysis()
    expectSumsToClose(analysis)
    let expected = ["observers BeforeWaiting ×1 250/250", "observer read ×1 50/50"]
    #expect(analysis.gaps.first.map { holders($0.callouts) } == expected)
    #expect(analysis.busy.first.map { holders($0.callouts) } == expected)
    #expect(analysis.gaps.first?.unexplainedNs == 0)
  }

  /// Ties are ordered by kind and name, so that the same input gives the same output.
  @Test func tiesAreInOneOrder() throws {
    func order(_ first: Int, _ second: Int) throws -> [String] {
      let main =
        "0 source.create #3 name=4 version=0 order=0 site=5\n0 source.create #4 name=7 version=0 order=0 site=5\n"
        + HandTrace.asleep + """
          100 AfterWaiting.low m1 #1
          200 source0.begin m1 #\(first)
          150200 source0.end m1 #\(first)
          150200 source0.begin m1 #\(second)
          300200 source0.end m1 #\(second)
          300300 BeforeTimers.low m1 #1
          """
      return try HandTrace(main: main).analysis().gaps.first?.callouts.map(\.name) ?? []
    }
    #expect(try order(3, 4) == ["parse", "read"])
    #expect(try order(4, 3) == ["parse", "read"])
  }
}
