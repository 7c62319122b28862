import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Traces with event loops only: where a loop ends, what counts as held up, and the words of findings.
@Suite struct EventLoopRuleTests {
  /// Analyzes a trace whose main thread has the event loop #1. `worker` ends the recording.
  private func analysis(_ main: String, worker: String = "", kind: LoopKind = .epoll) throws -> Analysis {
    let begin = "0 loop.create m1 #1 name=1 kind=\(kind.rawValue)\n0 Entry.low m1 #1\n"
    let text = HandTrace(main: begin + main, worker: worker).text().replacing("minor=0", with: "minor=2")
      .replacing("\"mode 1\"", with: "\"\(ModeName.eventLoop)\"")
    var options = AnalysisOptions()
    options.replay.listGaps(fromNs: BlockedLoop.sampledNs)
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text)), options: options).analyze()
    #expect(findingFaults(analysis) == [])
    expectSumsToClose(analysis)
    expectNoRunLoop(analysis)
    return analysis
  }

  /// Checks that neither findings nor the verdict speak of things that event loops do not have.
  private func expectNoRunLoop(_ analysis: Analysis) {
    let texts = analysis.findings.map { "\($0.text) \($0.remedy)" } + [analysis.verdict.text]
    for text in texts {
      for word in ["CFRunLoop", "run loop", "main queue", "BeforeSources", "observers", "recorded callouts"] {
        #expect(!text.contains(word), "\(word) in: \(text)")
      }
    }
  }

  /// Returns a pass of loop #1 from `start`, in microseconds, and the wait after it.
  private func pass(at start: Int, us: Int, waitUs: Int = 10_000, serving: String = "", loop: Int = 1)
    -> String
  {
    """
    \(start) BeforeTimers.low m1 #\(loop)
    \(start) BeforeSources.low m1 #\(loop)
    \(serving)\(start + us) BeforeWaiting.low m1 #\(loop)
    \(start + us + waitUs) AfterWaiting.low m1 #\(loop)

    """
  }

  private func finding(_ rule: RuleID, _ analysis: Analysis) -> Finding? {
    analysis.findings.first { $0.rule == rule }
  }

  // MARK: The end of a loop

  /// The thread left the loop when its last wait returned, and computed for three seconds.
  @Test func timeAfterALoopIsNotBusy() throws {
    let main =
      pass(at: 10, us: 1000)
        + """
        11020 BeforeTimers.low m1 #1
        11020 BeforeSources.low m1 #1
        3011000 Exit.low m1 #1
        3011010 loop.end m1 #1

        """
    let analysis = try analysis(main, worker: "3020000 mark name=9")
    #expect(analysis.gaps.isEmpty && analysis.busy.isEmpty)
    #expect(analysis.findings.isEmpty, "\(analysis.findings.map(\.text))")
    #expect(analysis.loops.map(\.timeNs) == [11_020_000])
    #expect(analysis.modes.map(\.busyNs) == analysis.utilisation.map(\.busyNs))
    #expect(analysis.verdict.text == "Nothing wrong was found: no event loop hung.")
  }

  /// The time between two loops of a thread belongs to neither.
  @Test func aThreadMayHaveAnotherLoop() throws {
    let main =
      pass(at: 10, us: 1000) + pass(at: 11_010, us: 1000)
        + """
        3011000 Exit.low m1 #1
        3011010 loop.end m1 #1
        3011020 loop.create m1 #3 name=2 kind=1
        3011020 Entry.low m1 #3

        """ + pass(at: 3_011_030, us: 1000, loop: 3) + pass(at: 3_022_030, us: 1000, loop: 3)
    let analysis = try analysis(main)
    #expect(analysis.gaps.isEmpty && analysis.busy.isEmpty && analysis.findings.isEmpty)
    #expect(analysis.loops.count == 2)
  }

  /// If the recording ends in a pass, the thread may have left the loop.
  @Test func aLastPassIsForInformation() throws {
    let last = "11020 BeforeTimers.low m1 #1\n11020 BeforeSources.low m1 #1\n"
    let analysis = try analysis(pass(at: 10, us: 1000) + last, worker: "3020000 mark name=9")
    let hang = try #require(finding(.hang, analysis))
    #expect(hang.severity == .info && hang.text.contains("may have left it"), "\(hang.text)")
    #expect(analysis.verdict.outcome == .clear)
    let short = try self.analysis(pass(at: 10, us: 1000) + last, worker: "171020 mark name=9")
    #expect(finding(.blockedEventLoop, short)?.severity == .info)
  }

  // MARK: Lists

  /// The thread of a list may do other things between two waits, unless something is seen to have waited.
  @Test func aListIsHeldUpOnlyIfSomethingWaited() throws {
    for us in [150_000, 300_000] {
      let rule: RuleID = us < 250_000 ? .blockedEventLoop : .hang
      func found(waitUs: Int, timer: String = "") throws -> Finding? {
        let main = timer + pass(at: 10, us: us, waitUs: waitUs) + pass(at: us + waitUs + 20, us: 10)
        return finding(rule, try analysis(main, kind: .list))
      }
      #expect(try found(waitUs: 10_000) == nil)
      #expect(
        try found(waitUs: 20)?.text.contains("wait returned at once (20.0 µs): further work was") ?? false)
      let due = try found(waitUs: 10_000, timer: HandTrace.tick(due: 100_000, interval: 0))
      #expect(due?.text.contains("Meanwhile, 1 timer came due") ?? false, "\(due?.text ?? "")")
    }
  }

  // MARK: What waited

  @Test func aBlockedLoopStatesWhatWaited() throws {
    let source = "0 source.create #5 name=7 version=1 order=0 site=0\n"
    let served = """
      150060 source1.begin m1 #5
      150070 source1.end m1 #5
      150080 source1.begin m1 #5
      150090 source1.end m1 #5

      """
    let main = source + pass(at: 10, us: 150_000, waitUs: 20) + pass(at: 150_040, us: 100, serving: served)
    let found = try #require(finding(.blockedEventLoop, try analysis(main)))
    #expect(found.text.contains("served 2 callouts: source1 \"read\" (2)"), "\(found.text)")
    #expect(found.text.contains("at once (20.0 µs): further work was waiting, and the loop"), "\(found.text)")
    #expect(found.evidence.flatMap(\.figures).contains(.ns("next_wait_ns", 20_000)))
    let polled = try #require(
      finding(
        .blockedEventLoop, try analysis(pass(at: 10, us: 150_000, waitUs: 0) + pass(at: 150_020, us: 10))))
    #expect(polled.text.contains("went on without a wait (0 ns)"), "\(polled.text)")
    let quiet = try #require(
      finding(.blockedEventLoop, try analysis(pass(at: 10, us: 150_000) + pass(at: 160_020, us: 10))))
    #expect(quiet.text.contains("does not show whether something waited"), "\(quiet.text)")
  }

  @Test func aWakeUpWaited() throws {
    let source =
      "0 source.create #5 name=7 version=0 order=0 site=0\n0 source.add #5 mode=1 loop=1\n"
    let served = "150060 source0.begin m1 #5\n150070 source0.end m1 #5\n"
    let main = source + pass(at: 10, us: 150_000, waitUs: 20) + pass(at: 150_040, us: 100, serving: served)
    let analysis = try analysis(main, worker: "20060 source.signal #5\n")
    let found = try #require(finding(.blockedEventLoop, analysis))
    #expect(found.text.contains("\"read\" was signalled, and served 130 ms later"), "\(found.text)")
    #expect(finding(.slowSource, analysis) != nil)
  }

  @Test func aWakeUpThatNothingServed() throws {
    let source =
      "0 source.create #5 name=7 version=0 order=0 site=0\n0 source.add #5 mode=1 loop=1\n"
    let analysis = try analysis(
      source + "10 BeforeTimers.low m1 #1\n20 BeforeSources.low m1 #1\n30 BeforeWaiting.low m1 #1\n",
      worker: "1000 source.signal #5\n3000000 mark name=9")
    #expect(finding(.unservedWork, analysis)?.remedy.contains("Write to the descriptor") ?? false)
  }

  /// A second is an error if something is seen to have waited.
  @Test(arguments: [(1_000_000, 20, true), (1_000_000, 10_000, false), (990_000, 20, false)])
  func aLongBlockIsAnError(us: Int, waitUs: Int, isError: Bool) throws {
    let main = pass(at: 10, us: us, waitUs: waitUs) + pass(at: us + waitUs + 20, us: 10)
    let hang = try #require(finding(.hang, try analysis(main)))
    #expect(hang.severity == (isError ? .error : .warning), "\(hang.text)")
  }

  // MARK: Polls

  /// Calls that return nothing: those that are passes, and those that are only counted.
  @Test(arguments: [(2000, true), (0, false)]) func aLoopThatAsksAllTheTimeSpins(polls: Int, isSpin: Bool)
    throws
  {
    let passes = (0..<1500).map { pass(at: 10 + 1000 * $0, us: 999, waitUs: 1) }.joined()
    let analysis = try analysis(passes + (polls > 0 ? "1500010 loop.polls m1 #1 count=\(polls)\n" : ""))
    #expect(analysis.modes.map(\.pollsWithoutPass) == [UInt64(polls)])
    #expect((finding(.spins, analysis) != nil) == isSpin, "\(analysis.findings.map(\.text))")
  }

  /// A descriptor is always ready, and nothing serves it. A wait then lasts as long as the call.
  @Test(arguments: [(25, true), (200, false)])
  func aLoopWhoseWaitsReturnAtOnceSpins(waitUs: Int, isSpin: Bool) throws {
    let period = 60 + waitUs
    let passes = (0..<(1_200_000 / period)).map { pass(at: 10 + period * $0, us: 50, waitUs: waitUs) }
    let analysis = try analysis(passes.joined())
    #expect((finding(.spins, analysis) != nil) == isSpin, "\(analysis.findings.map(\.text))")
  }

  /// The loop was woken in its last pass. Its thread may have left it.
  @Test func aWakeUpOfTheLastPassIsAnInfo() throws {
    let source =
      "0 source.create #5 name=7 version=0 order=0 site=0\n0 source.add #5 mode=1 loop=1\n"
    let last = "20030 BeforeTimers.low m1 #1\n20030 BeforeSources.low m1 #1\n"
    let analysis = try analysis(
      source + pass(at: 10, us: 10_000) + last, worker: "30000 source.signal #5\n3020000 mark name=9")
    let found = try #require(finding(.unservedWork, analysis), "\(analysis.findings.map(\.text))")
    #expect(found.severity == .info && found.text.contains("may have left it"), "\(found.text)")
    #expect(analysis.verdict.outcome == .clear)
  }
}
