import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// How bad findings are, by share and by time.
@Suite struct SeverityTests {
  private func analysis(_ main: String) throws -> Analysis {
    let analysis = try HandTrace(main: main).analysis()
    #expect(findingFaults(analysis) == [])
    return analysis
  }

  /// Returns the severity of the finding about a 60 Hz timer. Each pair of `stalls` is the number of a point and the
  /// points that are missed after it, while another callout runs.
  private func missed(_ stalls: [(after: Int, points: Int)], of due: Int, every interval: Int = 16_667) throws
    -> Finding?
  {
    var main =
      HandTrace.tick(due: interval, interval: interval)
      + "0 source.create m1 #3 name=4 version=0 order=0 site=5\n0 Entry.low m1 #1\n"
    var point = 1
    while point <= due {
      let time = point * interval
      let stall = stalls.first { $0.after == point }
      let late = stall.map { $0.points * interval + 500 } ?? 0
      main += "\(time - 300) BeforeTimers.low m1 #1\n"
      if stall != nil { main += "\(time - 200) source0.begin m1 #3\n\(time + late) source0.end m1 #3\n" }
      main += "\(time + late + 10) timer.due m1 #2 due=\(time)\n\(time + late + 10) timer.begin m1 #2\n"
      main += "\(time + late + 20) timer.end m1 #2\n"
      point += 1 + (stall?.points ?? 0)
    }
    let analysis = try analysis(main + "\(due * interval + 5000) Exit.low m1 #1\n")
    let found = analysis.findings.first { $0.rule == .starvedByBusy }
    let share = found.flatMap(Self.share)
    #expect(share == [UInt64(stalls.map(\.points).reduce(0, +)), UInt64(due)])
    return found
  }

  /// Swift 6.3 crashes when it optimizes a caller into which this is inlined.
  @inline(never)
  private static func share(_ finding: Finding) -> [UInt64]? {
    finding.headline?.share.map { [$0.part, $0.whole] }
  }

  private func played(_ scenario: String) throws -> Analysis {
    let sink = MemorySink()
    _ = try VirtualRecording.record(ScenarioReader.read(scenario), sink: sink, unit: .ns10, codec: NoCodec())
    return try TraceAnalyzer(openTrace(sink.bytes)).analyze()
  }

  /// 2,000 hangs of 300 ms take 600 of 5,000 s. The 1,000 listed ones alone take 6 %.
  @Test func hangsThatAreNotListedCount() throws {
    let analysis = try played(
      """
      scenario: many hangs
      timers: [{name: slow, every: 2500ms, do: [cpu: 300ms]}]
      thread: [run: {for: 5000s}]
      """)
    #expect(analysis.busyOmitted == 1000)
    let finding = try #require(analysis.findings.first { $0.rule == .hang })
    #expect(finding.severity == .error)
    #expect(finding.text.contains("All hangs of this loop took 600 s, 12.0 % of the time in which it ran"))
    #expect(finding.text.contains("1000 more hangs of this loop, 300 s in all, are shorter and not listed"))
    #expect(analysis.inputDelay?.hangs == 2000)
  }

  /// A poll at each interval: 90, 101, 990 and 1,010 per second.
  @Test(
    arguments: [(11_111, nil), (9_900, .warning), (1_010, .warning), (990, .error)]
      as [(Int, Finding.Severity?)])
  func ratesOfPolls(everyUs: Int, severity: Finding.Severity?) throws {
    let analysis = try played(
      """
      scenario: polls
      sources:
        - {name: s, modes: [p]}
      timers:
        - {name: poller, every: \(everyUs)us, do: [run: {mode: p, for: 0s}]}
      thread:
        - run: {for: 3s}
      """)
    #expect(analysis.findings.first { $0.rule == .spins }?.severity == severity)
  }

  /// The loops of all threads are judged alike.
  @Test func aHangOfAnotherThread() throws {
    let analysis = try played(
      """
      scenario: worker
      timers:
        - {name: tick, every: 100ms}
      workers:
        - name: net
          timers:
            - {name: long, first: 1s, do: [cpu: 300ms]}
          thread:
            - run: {for: 3s}
      thread:
        - run: {for: 3s}
      """)
    #expect(analysis.findings.first { $0.rule == .hang }?.severity == .warning)
  }

  @Test func twoOfManyAreAnInfo() throws {
    #expect(try missed([(300, 2)], of: 600)?.severity == .info)
    #expect(try missed([(100, 1), (300, 1)], of: 600)?.severity == .info)
  }

  @Test func shareAndStretchMakeAWarning() throws {
    // 8 of 600 in one stretch of 133 ms.
    #expect(try missed([(300, 8)], of: 600)?.severity == .warning)
    // 6 of 600, each alone.
    #expect(try missed((1...6).map { ($0 * 90, 1) }, of: 600)?.severity == .warning)
    // 40 of 609 in stretches of 133 ms.
    #expect(try missed((1...5).map { ($0 * 110, 8) }, of: 609)?.severity == .warning)
  }

  @Test func muchOrLongIsAnError() throws {
    #expect(try missed([(50, 49)], of: 201, every: 20_000)?.severity == .error)
    #expect(try missed((1...9).map { ($0 * 30, 8) }, of: 300)?.severity == .error)
    // 24 of 2000 in 2.4 s.
    #expect(try missed([(50, 24)], of: 2000, every: 100_000)?.severity == .error)
    // One fire in two is much, but each stretch is short.
    #expect(try missed((1...99).map { ($0 * 2, 1) }, of: 200)?.severity == .warning)
  }

  /// A fire between two stretches ends the first one.
  @Test func aFireEndsAStretch() throws {
    let found = try #require(try missed([(300, 5), (306, 5)], of: 1200))
    #expect(found.severity == .info)
    let stretch = found.evidence.first { $0.note.hasPrefix("the longest time in which it missed") }
    #expect(stretch?.durationNs == 5 * 16_667_000)
  }

  // MARK: Hangs

  private func held(_ times: [Int], for length: Int, of whole: Int) throws -> Analysis {
    try analysis(
      HandTrace.asleep
        + times.map { time in
          "\(time) AfterWaiting.low m1 #1\n\(time + length - 10) BeforeTimers.low m1 #1\n"
            + "\(time + length - 5) BeforeSources.low m1 #1\n\(time + length) BeforeWaiting.low m1 #1\n"
        }.joined() + "\(whole) AfterWaiting.low m1 #1\n\(whole + 10) Exit.low m1 #1\n")
  }

  @Test func shortHangsAgainAndAgain() throws {
    let often = try held((1...5).map { $0 * 2_000_000 }, for: 150_000, of: 12_000_000)
    #expect(often.findings.map(\.rule) == [.shortHangs] && often.verdict.outcome == .fault)
    let found = try #require(often.findings.first)
    #expect(
      found.severity == .warning
        && found.text.contains("was busy for 100 ms to 250 ms 5 times, 750 ms in all"), "\(found.text)")
    // Two of them, and many of them in a long time.
    #expect(try held([1_000_000, 2_000_000], for: 150_000, of: 3_000_000).findings.isEmpty)
    #expect(try held((1...5).map { $0 * 2_000_000 }, for: 150_000, of: 30_000_000).findings.isEmpty)
    #expect(try held((1...50).map { $0 * 200_000 }, for: 99_000, of: 12_000_000).findings.isEmpty)
  }

  @Test func hangsTogether() throws {
    let one = try held([1_000_000], for: 300_000, of: 30_000_000)
    #expect(one.findings.map(\.severity) == [.warning])
    let many = try held((1...8).map { $0 * 1_000_000 }, for: 300_000, of: 20_000_000)
    let found = try #require(many.findings.first)
    #expect(
      found.rule == .hang && found.severity == .error
        && found.text.contains("All hangs of this loop took 2.40 s, 12.0 % of the time in which it ran"),
      "\(found.text)")
    #expect(many.findings.count == 1)
    let rare = try held((1...8).map { $0 * 1_000_000 }, for: 300_000, of: 60_000_000)
    #expect(rare.findings.map(\.severity) == [.warning])
  }
}
