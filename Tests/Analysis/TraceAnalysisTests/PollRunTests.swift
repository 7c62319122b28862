import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Busy intervals, input delay and polling of loops whose runs have no time to wait (docs/reference/numbers.md).
@Suite struct PollRunTests {
  /// Returns a run in mode 1 from `start`, 100 µs long: one pass that does not wait. `timeout`: the limit of its call
  /// in nanoseconds, nil = not recorded. `serving`: the events between BeforeSources and Exit.
  private func poll(_ start: Int, timeout: UInt64? = 0, serving: String = "") -> String {
    let call = timeout.map { "\(start) run.begin m1 #1 timeout_ns=\($0) return_after_source=1\n" } ?? ""
    let end = timeout == nil ? "" : "\(start + 100) run.end m1 #1 result=3\n"
    return call
      + """
      \(start) Entry.low m1 #1
      \(start + 10) BeforeTimers.low m1 #1
      \(start + 20) BeforeSources.low m1 #1
      \(serving)\(start + 100) Exit.low m1 #1

      """ + end
  }

  private func callout(_ kind: String, _ from: Int, _ to: Int) -> String {
    "\(from) \(kind).begin m1 #5\n\(to) \(kind).end m1 #5\n"
  }

  /// Returns 60 frames a second for five seconds. Each one serves the loop, then draws and sleeps.
  private func frames(_ body: (Int) -> String) -> HandTrace {
    HandTrace(main: (0..<300).map { body($0 * 16_667) }.joined())
  }

  @Test func aFrameLoopIsNotAHang() throws {
    for timeout in [0, 800, nil] as [UInt64?] {
      let analysis = try frames { poll($0, timeout: timeout) }.analysis()
      #expect(analysis.busy.isEmpty)
      #expect(analysis.findings.isEmpty, "\(analysis.findings.map(\.text))")
      let input = try #require(analysis.inputDelay)
      #expect(input.delay.max == 16_667_000 && input.hangs == 0 && input.hangRate == 0)
      // All time is accounted for.
      #expect(input.spanNs == UInt64(299 * 16_667 + 100) * 1000)
      #expect(analysis.modes[0].pollRuns == 300 && analysis.modes[0].emptyPolls == 300)
      // Stall monitors only see waits.
      #expect(analysis.detectors.first { $0.name == "apple" }?.count == 1)
    }
  }

  /// The loop serves a timer, a source or a block in each frame.
  @Test func aFrameLoopThatServesWorkIsNotAHang() throws {
    for kind in ["timer", "source1", "mainQueueBlock", "block", "source0"] {
      let analysis = try frames { poll($0, serving: callout(kind, $0 + 30, $0 + 90)) }.analysis()
      #expect(analysis.busy.isEmpty, "\(kind)")
      #expect(analysis.inputDelay?.delay.max == 16_667_000, "\(kind)")
      #expect(!analysis.findings.contains { $0.rule == .hang || $0.rule == .spins }, "\(kind)")
      #expect(analysis.modes[0].emptyPolls == 0)
    }
  }

  /// One frame takes 400 ms inside the run.
  @Test func aLongFrameIsAHang() throws {
    var main = (0..<30).map { poll($0 * 16_667) }.joined()
    main += "600000 run.begin m1 #1 timeout_ns=0 return_after_source=1\n600000 Entry.low m1 #1\n"
    main += "600010 BeforeTimers.low m1 #1\n600020 BeforeSources.low m1 #1\n"
    main += callout("timer", 600_030, 1_000_030) + "1000100 Exit.low m1 #1\n1000100 run.end m1 #1 result=3\n"
    main += (0..<30).map { poll(1_016_667 + $0 * 16_667) }.joined()
    let analysis = try HandTrace(main: main).analysis()
    let hang = try #require(analysis.busy.first)
    #expect(analysis.busy.count == 1 && hang.startNs == 483_443_000 && hang.durationNs == 516_657_000)
    #expect(hang.outsideNs == 116_557_000 && hang.longestOutsideNs == 116_557_000)
    #expect(hang.durationNs == hang.calloutNs + hang.outsideNs + hang.unexplainedNs)
    #expect(analysis.inputDelay?.hangs == 1)
    #expect(analysis.findings.map(\.rule) == [.hang])
  }

  /// A source that signals itself keeps a run with ample time from waiting. Work that happens before a wait, such as
  /// layout and drawing, does not run, even if the passes are short.
  @Test func aRunThatNeverGetsToWaitIsAHang() throws {
    var passes = "0 run.begin m1 #1 timeout_ns=4000000000 return_after_source=0\n0 Entry.low m1 #1\n"
    for pass in 0..<2000 {
      let start = pass * 2000
      passes += "\(start + 1) BeforeTimers.low m1 #1\n\(start + 2) BeforeSources.low m1 #1\n"
      passes += callout("source0", start + 3, start + 1999)
    }
    let analysis = try HandTrace(main: passes + "4000001 Exit.low m1 #1\n").analysis()
    #expect(analysis.busy.map(\.durationNs) == [4_000_001_000])
    #expect(analysis.findings.first?.rule == .hang && analysis.findings.first?.severity == .error)
  }

  /// The interval also continues after a run that could have waited, but returned because it had served a source.
  @Test func runsThatReturnAfterEachSourceAreAHang() throws {
    for timeout in [10_000_000_000, nil] as [UInt64?] {
      let main = (0..<3000).map {
        poll($0 * 101, timeout: timeout, serving: callout("source0", $0 * 101 + 21, $0 * 101 + 99))
      }
      let analysis = try HandTrace(main: main.joined()).analysis()
      #expect(analysis.busy.map(\.durationNs) == [302_999_000])
      #expect(analysis.findings.first?.rule == .hang)
    }
  }

  /// A callout that serves the loop every 10 ms while it works.
  @Test func nestedPollsEndBusyIntervals() throws {
    var main = "0 Entry.low m1 #1\n10 BeforeTimers.low m1 #1\n20 BeforeSources.low m1 #1\n"
    main += "30 BeforeWaiting.low m1 #1\n1000 AfterWaiting.low m1 #1\n1010 timer.begin m1 #5\n"
    main += (1...40).map { poll(1010 + $0 * 10_000) }.joined()
    main += "500000 timer.end m1 #5\n500010 BeforeTimers.low m1 #1\n500020 BeforeSources.low m1 #1\n"
    main += "500030 BeforeWaiting.low m1 #1\n600000 AfterWaiting.low m1 #1\n600010 Exit.low m1 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    // The longest delay is after the last run.
    #expect(analysis.busy.isEmpty && analysis.inputDelay?.delay.max == 98_920_000)
    let apple = try #require(analysis.detectors.first { $0.name == "apple" })
    #expect(apple.reports.map(\.startNs) == [1_000_000] && apple.reports.map(\.durationNs) == [499_030_000])
  }

  /// The sums are complete for windows that begin or end between two polls, or after the last one.
  @Test func windowsOfPolls() throws {
    let trace = frames { poll($0) }
    for from in [0, 7_000_000, 16_700_000, 2_000_000_000] as [UInt64] {
      var options = AnalysisOptions()
      options.from = from
      options.to = 4_000_000_000
      let analysis = try trace.analysis(options)
      #expect(analysis.busy.isEmpty)
      #expect(analysis.utilisation.first?.busyNs == analysis.inputDelay?.spanNs)
    }
  }

  /// An observer of Entry runs another mode before the run's only pass.
  @Test func aRunInsideEntryIsNotAPassOfAPollRun() throws {
    let main = """
      0 run.begin m1 #1 timeout_ns=0 return_after_source=1
      0 Entry.low m1 #1
      10 observer.begin m1 #6
      20 Entry.low m2 #1
      30 BeforeTimers.low m2 #1
      40 BeforeSources.low m2 #1
      50 Exit.low m2 #1
      60 observer.end m1 #6
      70 BeforeTimers.low m1 #1
      80 BeforeSources.low m1 #1
      100 Exit.low m1 #1
      100 run.end m1 #1 result=3
      """
    let analysis = try HandTrace(main: main).analysis()
    #expect(analysis.modes.first { $0.mode == "mode 1" }?.pollRuns == 1)
  }

  // MARK: Which callout polls

  /// Whether a poll run waits for its microsecond depends on the machine.
  @Test(arguments: [0, 1, 2]) func pollingIsReportedHoweverItIsSplit(waits: Int) throws {
    var main = ""
    for number in 0..<4000 {
      let start = number * 300
      if waits == 0 || waits == 1 && number.isMultiple(of: 2) {
        main += poll(start)
      } else {
        main += "\(start) run.begin m1 #1 timeout_ns=700 return_after_source=1\n\(start) Entry.low m1 #1\n"
        main += "\(start + 5) BeforeTimers.low m1 #1\n\(start + 6) BeforeSources.low m1 #1\n"
        main += "\(start + 7) BeforeWaiting.low m1 #1\n\(start + 70) AfterWaiting.low m1 #1\n"
        main += "\(start + 80) Exit.low m1 #1\n\(start + 80) run.end m1 #1 result=3\n"
      }
    }
    let analysis = try HandTrace(main: main).analysis()
    #expect(findingFaults(analysis) == [])
    #expect(analysis.findings.map(\.rule) == [.spins])
    let found = try #require(analysis.findings.first)
    #expect(found.severity == .error && found.text.hasPrefix("Thread main polls. 4000 runs of \"mode 1\""))
    #expect(found.text.contains("Code outside callouts started them"))
  }

  /// The thread does not run for 30 ms now and then, because the machine is busy.
  @Test func aBusyMachineDoesNotHidePolling() throws {
    let main = (0..<4000).map { poll($0 * 150 + $0 / 100 * 30_000) }.joined()
    let found = try HandTrace(main: main).analysis().findings
    #expect(found.map(\.rule) == [.spins])
  }

  @Test func aCalloutThatPollsIsNamed() throws {
    let main =
      "0 source.create m1 #5 name=4 version=0 order=0 site=5\n" + HandTrace.asleep
      + "100 AfterWaiting.low m1 #1\n200 source0.begin m1 #5\n"
      + (1...3000).map { poll($0 * 300) }.joined() + "950000 source0.end m1 #5\n950010 Exit.low m1 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    #expect(findingFaults(analysis) == [])
    let found = try #require(analysis.findings.first { $0.rule == .spins })
    #expect(found.text.contains("The callout source0 \"parse\" started them"))
  }

  /// A source that signals itself keeps the run from waiting.
  @Test func theCalloutThatKeepsARunFromWaitingIsNamed() throws {
    var main = "0 source.create m1 #5 name=4 version=0 order=0 site=5\n0 Entry.low m1 #1\n"
    for number in 0..<12_000 {
      let start = 10 + number * 100
      main +=
        "\(start) BeforeTimers.low m1 #1\n\(start + 1) BeforeSources.low m1 #1\n"
        + "\(start + 2) source0.begin m1 #5\n\(start + 40) source0.end m1 #5\n"
    }
    let analysis = try HandTrace(main: main + "1300000 Exit.low m1 #1\n").analysis()
    #expect(findingFaults(analysis) == [])
    let found = try #require(analysis.findings.first { $0.rule == .spins })
    #expect(found.text.hasSuffix(#". source0 "parse" ran 12000 times."#), "\(found.text)")
    #expect(found.remedy.contains("signal itself") && found.blocker == "parse" && found.thread == 0)
  }

  /// 60 frames a second, and one helper that polls for a short time.
  @Test func loopsThatDoNotPoll() throws {
    let frames = (0..<1000).map { poll($0 * 16_667) }.joined()
    #expect(try HandTrace(main: frames).analysis().findings.isEmpty)
    let moment = (0..<900).map { poll($0 * 200) }.joined()
    #expect(try HandTrace(main: moment).analysis().findings.isEmpty)
  }

  // MARK: Outside runs

  /// Three runs with half a second between them are not 1.5 s without a loop.
  @Test func timeBetweenRunsIsNotAddedUp() throws {
    let main = (0..<6).map { HandTrace.held(at: $0 * 500_000, for: 1000, waits: false) }.joined()
    let analysis = try HandTrace(main: main).analysis()
    let busy = try #require(analysis.busy.first)
    #expect(busy.outsideNs == 5 * 498_940_000 && busy.longestOutsideNs == 498_940_000)
    #expect(!analysis.findings.contains { $0.rule == .outsideRuns })
  }
}
