import CallStacks
import RunLoopVocabulary
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Event loops, pools and run loops in the same traces: which rules judge them, and from which length.
@Suite struct BlockedEventLoopTests {
  private static let app: UInt64 = 0x1000
  private static let library: UInt64 = 0x9000

  /// Analyzes a loop whose passes take the given times, in milliseconds, with waits of `waitUs` between them.
  ///
  /// `kind`: nil = the event has no such argument. `isSleeping`: samples show that the function `work`, or the code at
  /// `callers`, sleeps in each pass of 30 ms and above. `readyShare`: samples show that it computes instead, and has
  /// no processor for this share of the time. `due`: in microseconds, when a one-shot timer comes due; the next pass
  /// fires it.
  private func analysis(
    _ passesMs: [Int], waitUs: Int = 10_000, kind: LoopKind? = .epoll, isSleeping: Bool = false,
    readyShare: Double? = nil, callers: [Int] = [0x1010, 0x1020], due: Int? = nil
  ) throws -> Analysis {
    var main = "0 loop.create m1 #1 name=1\(kind.map { " kind=\($0.rawValue)" } ?? "")\n0 Entry.low m1 #1\n"
    main += due.map { HandTrace.tick(due: $0, interval: 0) } ?? ""
    var sampled = ""
    var time = 10
    var pending = due
    for passMs in passesMs {
      main += "\(time) BeforeTimers.low m1 #1\n\(time) BeforeSources.low m1 #1\n"
      if let due = pending, due <= time {
        main += "\(time) timer.due m1 #2 due=\(due)\n\(time) timer.begin m1 #2\n\(time) timer.end m1 #2\n"
        pending = nil
      }
      if isSleeping || readyShare != nil, passMs >= 30 {
        sampled += samples(from: time, ms: passMs, callers, readyShare)
      }
      time += passMs * 1000
      main += "\(time) BeforeWaiting.low m1 #1\n\(time + waitUs) AfterWaiting.low m1 #1\n"
      time += waitUs
    }
    main += "\(time) Exit.low m1 #1\n"
    if !sampled.isEmpty {
      let images = """
        0 imageMap path=8 base=0x9000 size=0x1000 build_id=0
        0 imageMap path=9 base=0x1000 size=0x1000 build_id=0

        """
      sampled = images + sampled
    }
    var trace = HandTrace(main: main, recorder: sampled)
    trace.facts = ["program=/srv/app", "machine=x86_64", "recorder_thread=2"]
    var text = trace.text().replacing("minor=0", with: "minor=2")
      .replacing("\"save\"", with: "\"/usr/lib/x86_64-linux-gnu/libc.so.6\"").replacing(
        "\"x\"", with: "\"/srv/app\"")
    if let kind, kind != .runLoop { text = text.replacing("\"mode 1\"", with: "\"\(ModeName.eventLoop)\"") }
    var options = AnalysisOptions()
    options.replay.listGaps(fromNs: BlockedLoop.sampledNs)
    options.stacks.names = names
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text)), options: options).analyze()
    #expect(findingFaults(analysis) == [])
    return analysis
  }

  /// Returns a sample every 10 ms, in which the thread sleeps or, with `readyShare`, computes or is ready to.
  private func samples(from start: Int, ms: Int, _ callers: [Int], _ readyShare: Double?) -> String {
    let frames = ((readyShare == nil ? [0x9040] : []) + callers).map { "frame=0x\(String($0, radix: 16))" }
      .joined(separator: " ")
    return stride(from: 10, to: ms, by: 10).map { passed in
      let time = start + passed * 1000
      let ready = Int(Double(passed) * (readyShare ?? 0)) * 1_000_000
      let state = readyShare.map { _ in
        "state=82 system_call=18446744073709551615 cpu_ns=\(passed * 1_000_000 - ready) waited_ns=\(ready)"
      }
      return """
        \(time) thread.state thread=1 \(state ?? "state=83 system_call=35 cpu_ns=0 waited_ns=0")
        \(time) thread.stack thread=1 reason=1 \(frames)

        """
    }.joined()
  }

  private func names(_ images: [MappedImage], _ addresses: [StackAddress]) -> [StackAddress: [StackFrame]] {
    let known: [UInt64: String] = [
      Self.library + 0x40: "nanosleep", Self.app + 0x0F: "work", Self.app + 0x1F: "main",
    ]
    var found: [StackAddress: [StackFrame]] = [:]
    for address in addresses {
      guard let image = images.first(where: { $0.range.contains(address.lookup) }) else { continue }
      found[address] = [StackFrame(image: image.name, symbol: known[address.lookup])]
    }
    return found
  }

  private func blocked(_ analysis: Analysis) -> Finding? {
    analysis.findings.first { $0.rule == .blockedEventLoop }
  }
  private func has(_ rule: RuleID, _ analysis: Analysis) -> Bool {
    analysis.findings.contains { $0.rule == rule }
  }

  // MARK: Lengths

  /// A loop that sleeps is blocked sooner than one without samples.
  @Test func aSleepOf60MsBlocks() throws {
    let asleep = try analysis([0, 60, 0], isSleeping: true)
    let found = try #require(blocked(asleep), "\(asleep.findings.map(\.text))")
    #expect(found.severity == .warning)
    #expect(found.text.hasPrefix("The event loop of thread main was blocked for 60.0 ms"), "\(found.text)")
    #expect(found.text.contains("\"work\"") && found.text.contains("sleeping"), "\(found.text)")
    #expect(blocked(try analysis([0, 60, 0])) == nil)
    #expect(blocked(try analysis([0, 40, 0], isSleeping: true)) == nil)
  }

  @Test(arguments: [LoopKind.epoll, .list]) func a150MsPassBlocks(kind: LoopKind) throws {
    let analysis = try analysis([0, 150, 0], waitUs: 20, kind: kind)
    #expect(blocked(analysis) != nil && !has(.hang, analysis))
  }

  /// Without the time in which the thread had no processor, 130 ms are 65 ms.
  @Test func timeWithoutAProcessorDoesNotCount() throws {
    let busy = try analysis([0, 130, 0], readyShare: 0.5)
    #expect(blocked(busy) == nil, "\(busy.findings.map(\.text))")
    #expect(blocked(try analysis([0, 130, 0], readyShare: 0)) != nil)
  }

  @Test func aHangIsNotReportedTwice() throws {
    for isSleeping in [false, true] {
      let analysis = try analysis([0, 300, 0], isSleeping: isSleeping)
      #expect(has(.hang, analysis) && blocked(analysis) == nil)
    }
  }

  /// A timer came due while the loop hung. The findings about both name the function.
  @Test func aTimerThatIsLateBehindAHang() throws {
    let asleep = try analysis([0, 300, 0], waitUs: 20, isSleeping: true, due: 1000)
    let late = try #require(asleep.findings.first { $0.rule == .lateWakeUps })
    #expect(
      late.text.hasPrefix("Timer \"tick\" (one-shot) fired 299 ms late on average while no recorded callout"),
      "\(late.text)")
    #expect(
      late.text.contains("nothing that was recorded for 300 ms. \"work\" held the thread"), "\(late.text)")
    let hang = try #require(asleep.findings.first { $0.rule == .hang })
    #expect(late.blocker == "work" && late.blocker == hang.blocker && late.remedy == hang.remedy)
    let unknown = try analysis([0, 300, 0], waitUs: 20, due: 1000)
    #expect(unknown.findings.first { $0.rule == .lateWakeUps }?.text.hasSuffix("does not show why.") == true)
  }

  /// Hangs with one cause in several functions share a finding, which lists the functions.
  @Test func hangsInSeveralFunctions() throws {
    var analysis = try analysis([0, 300, 0, 400, 0], isSleeping: true)
    analysis.stalls[1].blamed = StackFrame(image: "app", symbol: "rest")
    analysis.findings = FindingRules.findings(in: analysis)
    let found = try #require(analysis.findings.first { $0.rule == .hang })
    #expect(found.members.map(\.subject) == ["main", "main"])
    #expect(
      found.text.hasPrefix("2 hangs (") && found.text.hasSuffix("\"rest\" and \"work\"."), "\(found.text)")
  }

  /// Passes of one thread with one cause share a finding. RL036 does not count them again.
  @Test func severalPassesAreOneFinding() throws {
    let analysis = try analysis([150, 150, 160])
    let found = analysis.findings.filter { $0.rule == .blockedEventLoop }
    #expect(
      found.count == 1 && found[0].text.contains("was blocked 3 times, 460 ms in all"), "\(found.map(\.text))"
    )
    #expect(!has(.shortHangs, analysis))
  }

  /// The function that called code in no image did not sleep.
  @Test func codeMadeAtRunTimeHasNoFunction() throws {
    func analysis(_ kind: LoopKind?) throws -> Analysis {
      try self.analysis([0, 150, 0], kind: kind, isSleeping: true, callers: [0x5010, 0x1010, 0x1020])
    }
    let eventLoop = try analysis(.epoll)
    let stall = try #require(eventLoop.stalls.first)
    #expect(stall.blamed == nil && stall.holder == nil)
    #expect(stall.stack.map(\.name) == ["nanosleep", StackFrame.runTimeCode, "work", "main"])
    let found = try #require(blocked(eventLoop))
    let words = "in a function that is not known, because its code was made at run time: sleeping"
    #expect(found.text.contains(words) && !found.text.contains("\"work\""), "\(found.text)")
    // A trace of a run loop does not tell.
    let runLoop = try #require(try analysis(nil).stalls.first)
    #expect(runLoop.blamed?.name == "work" && runLoop.stack[1].name == "0x500f")
    // The outermost address may be anything.
    let cut = try self.analysis([0, 150, 0], isSleeping: true, callers: [0x1010, 0x5010])
    #expect(cut.stalls.first?.blamed?.name == "work" && cut.stalls.first?.stack.last?.name == "0x500f")
  }

  // MARK: Other loops

  /// A run loop, also in a trace that states its kind.
  @Test(arguments: [nil, LoopKind.runLoop]) func aRunLoopHasOtherRules(kind: LoopKind?) throws {
    for passMs in [60, 150, 300] {
      let asleep = try analysis([0, passMs, 0], kind: kind, isSleeping: true)
      #expect(blocked(asleep) == nil && has(.hang, asleep) == (passMs >= 250))
    }
    let several = try analysis([150, 150, 160], kind: kind)
    #expect(blocked(several) == nil && has(.shortHangs, several))
  }

  /// Threads of a pool also rest elsewhere.
  @Test func aPoolIsNotJudged() throws {
    let pool = try analysis([0, 3000, 150, 0], kind: .pool, isSleeping: true)
    #expect(pool.gaps.isEmpty && pool.busy.isEmpty && pool.loops.map(\.kind) == [.pool])
    #expect(pool.findings.isEmpty, "\(pool.findings.map(\.text))")
  }

  /// The work of an event loop is not recorded one by one.
  @Test func wakeUpsOfAnEventLoopAreNotForNothing() throws {
    let passes = [Int](repeating: 1, count: 200)
    #expect(!has(.wakesForNothing, try analysis(passes)))
    #expect(has(.wakesForNothing, try analysis(passes, kind: nil)))
  }

  /// Computations that are too short to be reported by themselves are an info if they come often.
  @Test func shortComputations() throws {
    let often = try #require(blocked(try analysis([80, 80, 80])))
    #expect(often.severity == .info && often.times == 3)
    #expect(blocked(try analysis([80, 80])) == nil)
    #expect(blocked(try analysis([80, 80, 80], waitUs: 2_000_000)) == nil)
    let long = try #require(blocked(try analysis([80, 80, 80, 120])))
    #expect(long.severity == .warning && long.times == 1)
  }
}
