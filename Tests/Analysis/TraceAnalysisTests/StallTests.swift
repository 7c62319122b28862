import CallStacks
import RunLoopVocabulary
import TestSupport
import Testing
@testable import TraceAnalysis
import TraceFormat
import TraceReplay

/// The culprits of a gap according to sampled stacks, in traces written by hand. Times are microseconds.
@Suite struct StallTests {
  private static let app: UInt64 = 0x1000
  private static let library: UInt64 = 0x9000

  /// `main`: events of the program's thread; `sampled`: the recorder's samples of it.
  private func analysis(
    main: String, sampled: String, profile: Profile? = nil, _ change: (inout StackOptions) -> Void = { _ in }
  ) throws -> Analysis {
    let text = """
      rltrace-text 1
      header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no
      strings
        1 "loop"
        2 "/usr/lib/x86_64-linux-gnu/libfancy.so.3"
        3 "/srv/app"
        4 "c0ffee"
      threads
        0 os=1 main=yes "main"
        1 os=0 main=no "rltrace-stalls"
      modes
        1 "mode 1"
      sync
        0 monotonic=1000000000 boottime=1000000000 realtime=0
      info
        "program" "/srv/app"
        "machine" "x86_64"
        "recorder_thread" "1"
      events thread=0
      \(indented(main))
      events thread=1
        0 imageMap path=2 base=0x9000 size=0x1000 build_id=4
        0 imageMap path=3 base=0x1000 size=0x1000 build_id=0
      \(indented(sampled))
      end
      """
    var options = AnalysisOptions()
    options.profile = profile
    // The names of frames by the last digits of their addresses.
    let names: [UInt64: String] = [
      Self.library + 0x10: "fancy_call", Self.library + 0x20: "pthread_mutex_lock",
      Self.library + 0x30: "memcpy", Self.library + 0x40: "nanosleep", Self.library + 0xA0: "futex_wait",
      Self.library + 0xB0: "writev", Self.library + 0xC0: "ppoll",
      Self.library + 0x4F: "CFRunLoopRun", Self.library + 0x6F: "dispatch_sync",
      Self.library + 0x7F: "DISPATCH_WAIT_FOR_QUEUE", Self.library + 0x8F: "DispatchSemaphore.wait(timeout:)",
      Self.app + 0x0F: "work", Self.app + 0x1F: "main", Self.app + 0x2F: "settle", Self.app + 0x3F: "reload",
    ]
    options.stacks.names = { images, addresses in
      var found: [StackAddress: [StackFrame]] = [:]
      for address in addresses {
        guard let image = images.first(where: { $0.range.contains(address.lookup) }) else { continue }
        var frame = StackFrame(image: image.name, symbol: names[address.lookup])
        if image.name == "app" {
          frame.file = "app.swift"
          frame.line = 7
        }
        found[address] = [frame]
      }
      return found
    }
    change(&options.stacks)
    return try TraceAnalyzer(openTrace(assembleTrace(text)), options: options).analyze()
  }

  private func indented(_ events: String) -> String {
    events.split(separator: "\n").map { "  " + $0.drop { $0 == " " } }.joined(separator: "\n")
  }

  /// Returns samples of `work` in a function of the library, one at each of `moments`.
  private func samples(_ moments: [Int], in function: Int, reason: Int = 1) -> String {
    moments.map {
      "\($0) thread.stack thread=1 reason=\(reason) frame=0x90\(function)0 frame=0x1010 frame=0x1020\n"
    }.joined()
  }

  // MARK: Names

  /// The path of its library decides whether a function belongs to the system, whatever its name is.
  @Test func thePathDecidesWhetherALibraryIsTheSystems() throws {
    let analysis = try analysis(
      main: HandTrace.held(at: 0, for: 1_000_000), sampled: samples([200_000, 400_000, 600_000], in: 1))
    let stall = try #require(analysis.stalls.first)
    #expect(stall.blamed?.function == "work")
    #expect(stall.stack.map(\.function) == ["fancy_call", "work", "main"])
    #expect(stall.stack.map(\.address) == [0x9010, 0x100F, 0x101F])
    #expect(stall.stack.map(\.imageOffset) == [0x10, 0xF, 0x1F])
    #expect(stall.stack[0].imagePath == "/usr/lib/x86_64-linux-gnu/libfancy.so.3")
    #expect(stall.stack[0].imageID == "c0ffee")
  }

  // MARK: Missing samples

  @Test func impossibleSamplesAreReported() throws {
    let blocked = (1...3).map { "\($0)00000 thread.unsampled thread=1 reason=2\n" }.joined()
    let analysis = try analysis(
      main: HandTrace.held(at: 0, for: 1_000_000),
      sampled: blocked
        + "400000 thread.unsampled thread=77 reason=1\n500000 thread.unsampled thread=1 reason=99")
    #expect(analysis.stalls.isEmpty)
    let notes = analysis.notes.map(\.text)
    #expect(
      notes.contains(
        "3 stack samples of thread main could not be taken: the thread blocks the signal (--stall-signal can name another), or had no processor"
      ))
    #expect(
      notes.contains {
        $0.hasPrefix("1 stack sample of system thread 77 could not be taken: the program handles")
      })
  }

  /// If a thread mostly slept at hidden places, the samples of its work do not stand for that time.
  @Test func hiddenPlacesHaveNoFunction() throws {
    func analysisHidden(at moments: [Int]) throws -> Analysis {
      let hidden = moments.map { "\($0) thread.unsampled thread=1 reason=3\n" }.joined()
      let seen = [100_000, 300_000, 500_000, 700_000, 900_000].filter { !moments.contains($0) }
      // All times have six digits.
      let lines = (hidden + samples(seen, in: 1)).split(separator: "\n").sorted()
      return try analysis(
        main: HandTrace.held(at: 0, for: 1_000_000), sampled: lines.joined(separator: "\n"))
    }
    let mostly = try analysisHidden(at: [300_000, 500_000, 700_000])
    #expect(mostly.stalls.isEmpty)
    #expect(
      mostly.notes.map(\.text).contains(
        "3 stack samples of thread main could not be taken: the thread slept, and the system does not show where, as in a program that changed its user"
      ))
    let hardly = try analysisHidden(at: [950_000])
    #expect(hardly.stalls.first?.blamed?.function == "work")
  }

  private struct Broken: Error, CustomStringConvertible { let description = "line 3: no rule" }

  /// A stall without causes must not look like a stall with an unknown cause.
  @Test func unreadableRulesAreReported() throws {
    let main = HandTrace.held(at: 0, for: 1_000_000)
    let sampled = samples([200_000, 400_000], in: 2)
    let broken = try analysis(main: main, sampled: sampled) { $0.builtInRules = { throw Broken() } }
    #expect(broken.stalls.first?.blamed?.function == "work" && broken.stalls.first?.cause == .unknown)
    #expect(broken.notes.contains { $0.text.hasSuffix("so no stall has a cause: line 3: no rule") })
    let whole = try analysis(main: main, sampled: sampled)
    #expect(whole.stalls.first?.cause == .lock)
    #expect(!whole.notes.contains { $0.text.contains("rules") })
  }

  /// The rules are read only when they are needed.
  @Test func rulesAreReadOnlyForStacks() throws {
    var reads = 0
    for sampled in ["", samples([200_000], in: 2)] {
      _ = try analysis(main: HandTrace.held(at: 0, for: 1_000_000), sampled: sampled) {
        $0.builtInRules = {
          reads += 1
          return .none
        }
      }
    }
    #expect(reads == 1)
  }

  // MARK: Many

  @Test func samplesOfASpanAreFoundBySearch() {
    let times = (0..<100_000).map { UInt64($0 / 3 * 10) }
    var looks = 0
    func found(_ span: ClosedRange<UInt64>) -> ArraySlice<UInt64> {
      times.within(span) {
        looks += 1
        return $0
      }
    }
    #expect(found(100...120).map { $0 } == [100, 100, 100, 110, 110, 110, 120, 120, 120])
    #expect(found(101...109).isEmpty && found(1_000_000...2_000_000).isEmpty)
    #expect(found(0...UInt64.max).count == times.count && [UInt64]().within(0...5) { $0 }.isEmpty)
    #expect(looks < 200)
  }

  @Test func eachGapHasItsOwnSamples() throws {
    var main = "", sampled = ""
    for number in 0..<400 {
      let start = number * 1_000_000
      main += HandTrace.held(at: start, for: 600_000)
      // The third sample lies outside.
      sampled += samples([start + 200_000, start + 400_000, start + 800_000], in: 1 + number % 3)
    }
    // There is also a gap after each Exit.
    let stalls = try analysis(main: main, sampled: sampled).stalls.filter {
      $0.startNs % 1_000_000_000 < 1_000_000
    }
    #expect(stalls.count == 400)
    let wrong = stalls.filter { stall in
      stall.samples != 2 || stall.stack[0].address != 0x9010 + stall.startNs / 1_000_000_000 % 3 * 0x10
    }
    #expect(wrong.isEmpty)
  }

  // MARK: Causes

  /// Six tenths are waiting for a lock, four are copying: each sample is judged by the thread's state at its own
  /// time.
  @Test func causesOfSamplesDiffer() throws {
    var sampled = "20000 thread.state thread=1 state=83 system_call=202 cpu_ns=0 waited_ns=0\n"
    for tenth in 1..<10 {
      let isLock = tenth < 6
      let used = max(tenth - 6, 0) * 100_000_000
      let call = isLock ? "202" : "18446744073709551615"
      sampled +=
        "\(tenth)00000 thread.state thread=1 state=\(isLock ? 83 : 82) system_call=\(call) cpu_ns=\(used) waited_ns=0\n"
      sampled += samples([tenth * 100_000], in: isLock ? 2 : 3)
    }
    let analysis = try analysis(main: HandTrace.held(at: 0, for: 999_960), sampled: sampled)
    let stall = try #require(analysis.stalls.first)
    #expect(stall.cause == .lock && stall.rule == "lock" && stall.blamed?.function == "work")
    #expect(stall.causes.map(\.cause) == [.lock, .cpu])
    #expect(stall.causes.map { ($0.ns + 50_000_000) / 100_000_000 } == [6, 4])
    let text = try #require(analysis.findings.first { $0.rule == .hang }).text
    #expect(text.contains("waiting for a lock (60.0 %) and CPU (40.0 %)"), "\(text)")
  }

  /// Six tenths are copying in one function, three are sleeping in another: each has its own time and cause.
  @Test func eachFunctionHasItsOwnCause() throws {
    var sampled =
      "20000 thread.state thread=1 state=82 system_call=18446744073709551615 cpu_ns=0 waited_ns=0\n"
    for tenth in 1..<10 {
      let isCopy = tenth < 7
      let call = isCopy ? "18446744073709551615" : "35"
      sampled +=
        "\(tenth)00000 thread.state thread=1 state=\(isCopy ? 82 : 83) system_call=\(call) cpu_ns=\(min(tenth, 7) * 100_000_000) waited_ns=0\n"
      sampled += "\(tenth)00000 thread.stack thread=1 reason=1 "
      sampled += isCopy ? "frame=0x9030 frame=0x1010\n" : "frame=0x9040 frame=0x1030\n"
    }
    let analysis = try analysis(main: HandTrace.held(at: 0, for: 999_960), sampled: sampled)
    let stall = try #require(analysis.stalls.first)
    #expect(stall.functions.map(\.frame.name) == ["work", "settle"] && stall.caller == nil)
    #expect(stall.functions.map { $0.causes.map(\.cause) } == [[.cpu], [.sleep]])
    #expect(stall.cause == .cpu && stall.causes.map(\.cause) == [.cpu, .sleep])
    let text = try #require(analysis.findings.first { $0.rule == .hang }).text
    #expect(
      text.contains(
        #""work app.swift:7" held the thread for 700 ms: CPU. "settle app.swift:7" held it for 300 ms: sleeping"#
      ), "\(text)")
    #expect(findingFaults(analysis) == [])
  }

  /// A server writes to a socket: the samples in which it runs show no wait, whatever share of a processor it had.
  /// 20 is the number of `writev`.
  @Test(
    arguments: [
      (82, .max, 0, .cpu, "runs"), (83, 20, 4, .network, "connection"),
      (68, 20, 1, .disk, "file-descriptor"), (83, 20, 0, .disk, "unknown-descriptor"),
    ] as [(Int, UInt64, Int, StallCause, String)])
  func aCallThatWrites(state: Int, call: UInt64, descriptor: Int, cause: StallCause, rule: String) throws {
    let sampled = (1..<10).map { tenth in
      """
      \(tenth)00000 thread.state thread=1 state=\(state) system_call=\(call) \
      cpu_ns=\(tenth * 60_000_000) waited_ns=0 voluntary_switches=0 involuntary_switches=0 \
      minor_faults=0 major_faults=0 read_bytes=0 written_bytes=0 awaited_thread=0 descriptor=\(descriptor)
      \(tenth)00000 thread.stack thread=1 reason=1 frame=0x90b0 frame=0x1010 frame=0x1020

      """
    }.joined()
    let analysis = try analysis(main: HandTrace.held(at: 0, for: 999_960), sampled: sampled)
    let stall = try #require(analysis.stalls.first)
    #expect(stall.causes.map(\.cause) == [cause] && stall.rule == rule && stall.blamed?.function == "work")
    #expect(stall.confidence == (rule == "unknown-descriptor" ? .medium : .high))
    #expect(findingFaults(analysis) == [])
  }

  /// A thread that computes, but had a processor for a quarter of the time.
  @Test func theProcessorThatOthersHad() throws {
    func text(waited: Int) throws -> Finding {
      var sampled =
        "20000 thread.state thread=1 state=82 system_call=18446744073709551615 cpu_ns=0 waited_ns=0\n"
      for tenth in 1..<10 {
        sampled +=
          "\(tenth)00000 thread.state thread=1 state=82 system_call=18446744073709551615 cpu_ns=\(tenth * 25_000_000) waited_ns=\(tenth * waited)\n"
        sampled += samples([tenth * 100_000], in: 3)
      }
      let analysis = try analysis(main: HandTrace.held(at: 0, for: 999_960), sampled: sampled)
      #expect(findingFaults(analysis) == [])
      return try #require(analysis.findings.first { $0.rule == .hang })
    }
    let busy = try text(waited: 75_000_000)
    #expect(
      busy.text.contains("the thread had a processor for 25.6 % of the time and waited for one for 76.7 %"),
      "\(busy.text)")
    #expect(busy.remedy.hasPrefix("Other threads or programs used the processor."))
    #expect(try !text(waited: 1_000_000).text.contains("processor"))
  }

  // MARK: Callers

  /// The program's code outside the function that ran the loop did not call the callout's function.
  @Test func theCodeThatRanTheLoopIsNoCaller() throws {
    func places(_ frames: String) throws -> [Finding.Place.Role] {
      let sampled = (1..<10).map { "\($0)00000 thread.stack thread=1 reason=1 \(frames)\n" }.joined()
      let analysis = try analysis(main: HandTrace.held(at: 0, for: 1_000_000), sampled: sampled)
      return try #require(analysis.findings.first { $0.rule == .hang }).sampled.map(\.role)
    }
    #expect(try places("frame=0x9030 frame=0x1010 frame=0x9050 frame=0x1020") == [.function])
    #expect(
      try places("frame=0x9030 frame=0x1010 frame=0x1030 frame=0x9050 frame=0x1020") == [.function, .caller])
  }

  // MARK: Queues

  /// A function waits for a queue inside a block that it runs with sync itself. The queue may be the same one.
  @Test func aSyncInsideASync() throws {
    func text(_ frames: String) throws -> String {
      let sampled = (1..<10).map { "\($0)00000 thread.stack thread=1 reason=1 \(frames)\n" }.joined()
      let analysis = try analysis(main: HandTrace.held(at: 0, for: 1_000_000), sampled: sampled)
      #expect(findingFaults(analysis) == [])
      return try #require(analysis.findings.first { $0.rule == .hang }).text
    }
    let wait = "frame=0x90a0 frame=0x9080 frame=0x9070 frame=0x1010 "
    let nested = try text(wait + "frame=0x1030 frame=0x9070 frame=0x1010 frame=0x1020")
    #expect(nested.contains("If both calls use one queue, the thread waits for itself"), "\(nested)")
    #expect(try !text(wait + "frame=0x1030 frame=0x9070 frame=0x1040 frame=0x1020").contains("itself"))
    #expect(try !text(wait + "frame=0x1030 frame=0x1010 frame=0x1020").contains("itself"))
  }

  /// The main thread waits for a queue whose block waits, too, while a block of the main queue cannot run.
  @Test(arguments: [(0, false), (1, true)])
  func aQueueThatWaitsInTurn(awaited: Int, isDeadlock: Bool) throws {
    var sampled = ""
    for moment in [200_000, 400_000, 600_000, 800_000] {
      sampled += """
        \(moment) thread.state thread=1 state=83 system_call=202 cpu_ns=0 waited_ns=0 voluntary_switches=0 involuntary_switches=0 minor_faults=0 major_faults=0 read_bytes=0 written_bytes=0 awaited_thread=77
        \(moment) thread.stack thread=1 reason=1 frame=0x90a0 frame=0x9080 frame=0x9070 frame=0x1010 frame=0x1020
        \(moment) thread.state thread=77 state=83 system_call=202 cpu_ns=0 waited_ns=0 voluntary_switches=0 involuntary_switches=0 minor_faults=0 major_faults=0 read_bytes=0 written_bytes=0 awaited_thread=\(awaited)
        \(moment) thread.stack thread=77 reason=2 frame=0x90a0 frame=0x9090 frame=0x1040

        """
    }
    let main = HandTrace.held(at: 0, for: 1_000_000).split(separator: "\n").prefix(4).joined(separator: "\n")
    let analysis = try analysis(
      main: main + "\n300000 block.create #9 name=1 loop=1\n1000000 mark name=1", sampled: sampled)
    let owner = try #require(analysis.stalls.first?.owner)
    #expect(owner.cause == .wait && owner.waits && owner.isDeadlock == isDeadlock)
    let hang = try #require(analysis.findings.first { $0.rule == .hang })
    #expect(
      hang.text.contains(
        isDeadlock ? "which is a deadlock" : "That thread is waiting itself: waiting for other threads"),
      "\(hang.text)")
    #expect(!hang.remedy.hasPrefix("Shorten"))
    let work = try #require(analysis.findings.first { $0.rule == .waitsForItself })
    #expect(
      work.text.contains(
        isDeadlock ? "Neither can continue" : "If one of them waits for this work, neither can continue"),
      "\(work.text)")
    #expect(work.text.contains(#""work app.swift:7""#) && work.text.contains(#""reload app.swift:7""#))
    #expect(findingFaults(analysis) == [])
  }

  /// The holder waits for events in a run loop inside its block: the function that runs the loop is named.
  @Test func aHolderInARunLoop() throws {
    let none =
      "voluntary_switches=0 involuntary_switches=0 minor_faults=0 major_faults=0 "
      + "read_bytes=0 written_bytes=0"
    let sampled = [200_000, 400_000, 600_000, 800_000].map { moment in
      """
      \(moment) thread.state thread=1 state=83 system_call=202 cpu_ns=0 waited_ns=0 \(none) awaited_thread=77
      \(moment) thread.stack thread=1 reason=1 frame=0x90a0 frame=0x9080 frame=0x9070 frame=0x1010 frame=0x1020
      \(moment) thread.state thread=77 state=83 system_call=271 cpu_ns=0 waited_ns=0 \(none) awaited_thread=0
      \(moment) thread.stack thread=77 reason=2 frame=0x90c0 frame=0x9050 frame=0x1040

      """
    }.joined()
    let analysis = try analysis(main: HandTrace.held(at: 0, for: 1_000_000), sampled: sampled)
    let owner = try #require(analysis.stalls.first?.owner)
    #expect(owner.blamed?.function == "reload" && owner.isInLoop && owner.waits && !owner.isDeadlock)
    let hang = try #require(analysis.findings.first { $0.rule == .hang })
    #expect(
      hang.text.contains("reload app.swift:7") && hang.text.contains("waits for events in a run loop"))
    #expect(!hang.remedy.hasPrefix("Shorten"))
    #expect(findingFaults(analysis) == [])
  }

  /// A single cause is shown without shares.
  @Test func oneCauseHasNoShares() throws {
    let analysis = try analysis(
      main: HandTrace.held(at: 0, for: 1_000_000), sampled: samples([200_000, 400_000, 600_000], in: 2))
    #expect(analysis.stalls.first?.causes.map(\.cause) == [.lock])
    let text = try #require(analysis.findings.first { $0.rule == .hang }).text
    #expect(text.contains(": waiting for a lock") && !text.contains("("), "\(text)")
  }

  /// The stack contains no function of the program, as after a tail call. The function that the callout called is
  /// named, instead of the system call below it.
  @Test func theCalledFunctionIsNamedAfterATailCall() throws {
    var sampled = ""
    for moment in [200_000, 400_000, 600_000, 700_000, 800_000] {
      sampled += "\(moment) thread.stack thread=1 reason=1 frame=0x9050 frame=0x9060 frame=0x9070\n"
    }
    let analysis = try analysis(main: HandTrace.held(at: 0, for: 1_000_000), sampled: sampled) { options in
      options.names = { images, addresses in
        let names: [UInt64: String] = [
          0x9050: "futex_wait", 0x905F: "DispatchSemaphore.wait(timeout:)", 0x906F: "timer_callout",
        ]
        var found: [StackAddress: [StackFrame]] = [:]
        for address in addresses {
          found[address] = [StackFrame(image: "libfancy.so.3", symbol: names[address.lookup])]
        }
        return found
      }
    }
    let stall = try #require(analysis.stalls.first)
    #expect(stall.blamed == nil && stall.cause == .wait && stall.rule == "semaphore")
    #expect(stall.entry == "DispatchSemaphore.wait(timeout:)")
    let hang = try #require(analysis.findings.first { $0.rule == .hang })
    #expect(
      hang.text.contains(#" in "DispatchSemaphore.wait(timeout:)": waiting for other threads"#),
      "\(hang.text)")
    #expect(hang.remedy == stall.remedy && !hang.text.contains("futex"))
    #expect(findingFaults(analysis) == [])
  }

  /// A cause that no rule recognizes lowers the confidence; the function is still named.
  @Test func anUnknownCauseIsNotCertain() throws {
    let analysis = try analysis(
      main: HandTrace.held(at: 0, for: 1_000_000),
      sampled: samples([100_000, 200_000, 300_000, 400_000, 500_000, 600_000], in: 1))
    let stall = try #require(analysis.stalls.first)
    #expect(stall.cause == .unknown && stall.confidence == .low && stall.reasons.first == .causeUnknown)
    #expect(stall.functionConfidence == .high)
    #expect(
      analysis.findings.first { $0.rule == .hang }?.text.contains(
        #". "work app.swift:7" held the thread for "#)
        == true)
  }

  // MARK: Limits

  private static let halfASecond = Profile(name: "mine", limitNs: 500_000_000)

  @Test func aGapOverItsLimitNamesTheFunctionAtTheLimit() throws {
    let sampled =
      samples([200_000], in: 1) + samples([400_000, 480_000, 520_000], in: 2, reason: 3)
      + samples([900_000], in: 3)
    let main = HandTrace.held(at: 0, for: 1_000_000)
    let over = try analysis(main: main, sampled: sampled, profile: Self.halfASecond)
    let atLimit = try #require(over.stalls.first?.atLimit)
    #expect(atLimit.afterNs == 519_980_000)
    #expect(atLimit.blamed?.function == "work" && atLimit.cause == .lock)
    #expect(atLimit.stack.first?.function == "pthread_mutex_lock")
    let text = try #require(over.findings.first { $0.rule == .overLimit }).text
    #expect(
      text.hasSuffix(#"allows. At the limit the thread was in "work app.swift:7" (waiting for a lock)."#),
      "\(text)")
    // The recorder's limit applies where the analysis has none.
    #expect(try analysis(main: main, sampled: sampled).stalls.first?.atLimit?.afterNs == 519_980_000)
    // No limit was reached.
    let short = try analysis(main: main, sampled: samples([200_000], in: 1), profile: .watchdog)
    #expect(short.stalls.first.map { $0.atLimit == nil } == true)
  }

  /// The program was killed before a loop ran.
  @Test func aLaunchThatReachedItsLimit() throws {
    let analysis = try analysis(
      main: "0 lifeCycle phase=1\n20100000 mark name=1", sampled: samples([19_950_000], in: 1, reason: 3))
    let phase = try #require(analysis.lifeCycle.phases.first)
    #expect(phase.atLimit?.afterNs == 19_950_000_000 && phase.atLimit?.blamed?.function == "work")
    let found = try #require(analysis.findings.first { $0.rule == .slowLaunch })
    #expect(found.severity == .error)
    #expect(found.text.contains("The main loop did not run for "))
    #expect(found.text.hasSuffix(#"At the limit the thread was in "work app.swift:7"."#), "\(found.text)")
  }
  // MARK: Functions

  /// A function of the program holds the time of the library code that it called.
  @Test func functionsOfTheSampledStacks() throws {
    let analysis = try analysis(
      main: HandTrace.held(at: 0, for: 1_000_000),
      sampled: samples([200_000, 400_000], in: 1) + samples([600_000], in: 3))
    let rows = analysis.functions
    #expect(rows.map(\.function.function) == ["work", "fancy_call", "memcpy", "main"])
    #expect(rows.map(\.samples) == [3, 2, 1, 3])
    let gap = try #require(analysis.stalls.first).durationNs
    #expect(rows.map(\.heldNs) == [gap, 0, 0, 0])
    #expect(rows.map(\.selfNs) == [0, 599_980_000, gap - 599_980_000, 0])
    #expect(rows.map(\.totalNs) == [gap, 599_980_000, gap - 599_980_000, gap])
    #expect(
      rows.allSatisfy { $0.mode == "mode 1" && $0.callout.hasPrefix("source0") && $0.function.line == nil })
    #expect(rows.map(\.selfNs).saturatedSum == analysis.sampledStacks.map(\.durationNs).saturatedSum)
    let filtered = AnalysisFilter(mode: "another").apply(to: analysis)
    #expect(filtered.functions.isEmpty)
  }
}
