import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Work that waits long: for the threads of pools and queues, and for actors.
extension QueueTests {
  /// Both threads of the pool run tasks for `us` while a third task waits. `stacks`: samples of both threads.
  private func pool(us: Int, busy: Int = 2, samples: String = "") throws -> Analysis {
    let second = "50 work.begin #11 queue=1\n\(busy > 1 ? us + 60 : 60) work.end #11 why=1\n"
    let main = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.create #11 name=6 kind=1 queue=1
      30 work.create #12 name=7 kind=1 queue=1
      40 work.begin #10 queue=1
      \(us + 60) work.end #10 why=0
      \(us + 70) work.begin #12 queue=1
      \(us + 80) work.end #12 why=0
      \(us + 90) mark name=9
      """
    return try QueueTrace(threads: [main, second, samples]).analysis()
  }

  /// Without samples, it is not known whether the threads waited.
  @Test func aPoolWithoutSamplesIsNotJudged() throws {
    let analysis = try pool(us: 200_000)
    #expect(findings(.poolExhausted, analysis).isEmpty)
    let found = try #require(findings(.mainQueueWaits, analysis).first)
    #expect(found.severity == .info && found.subject == "pool")
    #expect(
      found.text.contains("Meanwhile, it ran \"work a\" and \"work b\". The recording does not show whether"))
  }

  @Test func aPoolWithAFreeThreadIsNotExhausted() throws {
    #expect(findings(.poolExhausted, try pool(us: 200_000, busy: 1)).isEmpty)
    #expect(findings(.poolExhausted, try pool(us: 90_000)).isEmpty)
  }

  /// Stacks in sleep(3) show that the threads waited: an error from one second on.
  @Test func aBlockedPool() throws {
    let samples = """
      5 frameName address=4096 depth=0 function=5 file=0 line=0 column=0
      600000 thread.stack thread=100 reason=1 frame=4096
      600010 thread.stack thread=101 reason=1 frame=4096
      """
    var trace = try pool(us: 1_100_000, samples: samples)
    // The function has no cause that a rule knows.
    #expect(findings(.poolExhausted, trace).isEmpty)
    trace.work.backlogs[0].works[0].cause = .sleep
    trace.work.backlogs[0].works[1].cause = .lock
    let blocked = try #require(FindingRules.rule(.poolExhausted)?.findings(in: trace).first)
    #expect(
      blocked.severity == .error
        && blocked.text.contains("its 2 threads slept or waited in \"work a\" (sleeping"))
    for place in 0...1 { trace.work.backlogs[0].works[place].cause = .cpu }
    #expect(FindingRules.rule(.poolExhausted)?.findings(in: trace).isEmpty == true)
    let busy = try #require(FindingRules.rule(.mainQueueWaits)?.findings(in: trace).first)
    #expect(busy.severity == .info)
    #expect(busy.text.contains("Meanwhile, it ran \"work a\" (CPU)"))
  }

  /// Both threads of the pool run a loop in a task until 1.1 s. The loops wait from `begin` to `end`, and a job waits
  /// from `queued` on, in microseconds. `noted`: where runs were noted.
  private func poolOfLoops(from begin: Int, to end: Int, queued: Int, noted: String = "") throws -> Analysis {
    func slice(_ work: Int, loop: Int) -> String {
      """
      \(30 + work) work.begin #\(work) queue=1
      \(40 + work) Entry.low m1 #\(loop)
      \(50 + work) BeforeTimers.low m1 #\(loop)
      \(60 + work) BeforeSources.low m1 #\(loop)
      \(begin) BeforeWaiting.low m1 #\(loop)
      \(end) AfterWaiting.low m1 #\(loop)
      1100000 Exit.low m1 #\(loop)
      1100010 work.end #\(work) why=0

      """
    }
    let main = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.create #11 name=6 kind=1 queue=1
      \(queued) work.create #12 name=7 kind=1 queue=1
      1200000 mark name=9
      """
    let waiting = "1100020 work.begin #12 queue=1\n1100030 work.end #12 why=0"
    let threads = [main, slice(10, loop: 20) + waiting, slice(11, loop: 21), noted]
    return try QueueTrace(threads: threads, info: ["\"recorder_thread\" \"3\""]).analysis()
  }

  /// The events show that the threads waited, as in Process.waitUntilExit. A thread in such a wait is not sampled.
  @Test func aPoolThatWaitsInRunLoops() throws {
    let found = try #require(
      findings(.poolExhausted, try poolOfLoops(from: 100, to: 1_090_000, queued: 30)).first)
    #expect(found.severity == .error)
    #expect(
      found.text.contains("its 2 threads slept or waited in \"work a\" (waiting in a run loop) and"),
      "\(found.text)")
    let noted = """
      5 frameName address=4096 depth=0 function=8 file=0 line=0 column=0
      5 frameName address=4112 depth=0 function=5 file=0 line=0 column=0
      60 thread.stack thread=101 reason=5 frame=4096 frame=4113
      """
    let named = try #require(
      findings(.poolExhausted, try poolOfLoops(from: 100, to: 1_090_000, queued: 30, noted: noted)).first)
    #expect(
      named.text.contains(
        "\"work a\" (waiting in a run loop in \"lost\") and \"work b\" (waiting in a run loop)"),
      "\(named.text)")
    let computing = try poolOfLoops(from: 100, to: 400_000, queued: 30)
    #expect(findings(.poolExhausted, computing).isEmpty)
    let waits = try #require(findings(.mainQueueWaits, computing).first)
    #expect(waits.text.contains("does not show whether its threads waited"), "\(waits.text)")
  }

  /// Most of the loops' wait was over before the job was queued.
  @Test func waitsInRunLoopsBeforeTheBacklog() throws {
    let analysis = try poolOfLoops(from: 100, to: 800_000, queued: 700_000)
    #expect(analysis.work.backlogs.map(\.activity) == [.unknown])
    #expect(findings(.poolExhausted, analysis).isEmpty && !findings(.mainQueueWaits, analysis).isEmpty)
  }

  /// The finding about a pool that is blocked up to the end speaks for the jobs that wait for it, and for no other work.
  @Test func aPoolThatIsBlockedToTheEnd() throws {
    let main = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.create #11 name=6 kind=1 queue=1
      30 work.create #12 name=7 kind=1 queue=1
      31 work.create #13 name=7 kind=1 queue=1
      32 work.create #14 name=8 kind=0 queue=2
      40 work.begin #10 queue=1
      1500000 mark name=9
      """
    var analysis = try QueueTrace(threads: [main, "50 work.begin #11 queue=1"]).analysis()
    let rule = try #require(FindingRules.rule(.unservedWork))
    #expect(Set(rule.findings(in: analysis).map(\.subject)) == ["work c", "lost"])
    for place in 0...1 { analysis.work.backlogs[0].works[place].cause = .lock }
    #expect(rule.findings(in: analysis).map(\.subject) == ["lost"])
    let found = try #require(FindingRules.rule(.poolExhausted)?.findings(in: analysis).first)
    #expect(found.severity == .error)
    #expect(found.text.contains("up to 4 jobs at once, until the recording ended"), "\(found.text)")
  }

  /// Each slice is short, but together they keep all threads occupied while other jobs wait.
  @Test func manySlicesExhaustAPool() throws {
    func slices(_ first: Int, _ begin: Int) -> String {
      (0..<10).map { number in
        "\(begin + number * 40_000) work.begin #\(first + number) queue=1\n"
          + "\(begin + number * 40_000 + 39_000) work.end #\(first + number) why=0"
      }.joined(separator: "\n")
    }
    let created = (0..<20).map { "10 work.create #\(10 + $0) name=5 kind=1 queue=1" }.joined(separator: "\n")
    var analysis = try QueueTrace(threads: [created, slices(10, 30), slices(20, 40)]).analysis()
    analysis.work.backlogs[0].works[0].cause = .lock
    let found = try #require(FindingRules.rule(.poolExhausted)?.findings(in: analysis).first)
    #expect(found.text.contains("A job waited 360 ms for the pool of Swift tasks, and up to 20 jobs at once"))
    #expect(analysis.work.backlogs.first?.works.map(\.name) == ["work a"])
  }

  /// With one processor, Dispatch gives a blocked pool its second thread after a second. `hadTwo`: the pool had two
  /// threads before.
  private func poolWithALateThread(hadTwo: Bool) throws -> Analysis {
    let first = """
      10 work.create #10 name=5 kind=1 queue=1
      12 work.begin #10 queue=1
      1200000 work.end #10 why=0
      1200010 work.begin #12 queue=1
      1200020 work.end #12 why=0
      1200030 mark name=9
      """
    let before = "10 work.create #13 name=7 kind=1 queue=1\n11 work.begin #13 queue=1\n15 work.end #13\n"
    let second = "1000000 work.begin #11 queue=1\n1200000 work.end #11"
    let creator = "20 work.create #11 name=6 kind=1 queue=1\n30 work.create #12 name=7 kind=1 queue=1"
    return try QueueTrace(threads: [first, (hadTwo ? before : "") + second, creator]).analysis()
  }

  @Test func aPoolWithALateThread() throws {
    var analysis = try poolWithALateThread(hadTwo: false)
    let backlog = try #require(analysis.work.backlogs.first)
    #expect(backlog.isFull && backlog.threads == 2 && backlog.runningAtFirst == 1)
    for place in 0...1 { analysis.work.backlogs[0].works[place].cause = .lock }
    let found = try #require(FindingRules.rule(.poolExhausted)?.findings(in: analysis).first)
    #expect(found.severity == .error && found.text.contains("its 2 threads slept or waited in"))
    #expect(try poolWithALateThread(hadTwo: true).work.backlogs.map(\.isFull) == [false])
  }

  /// A slice of an actor occupies a thread of the pool.
  @Test func actorsOccupyThePool() throws {
    let main = """
      10 work.create #10 name=5 kind=1 queue=4
      20 work.create #11 name=6 kind=1 queue=1
      30 work.create #12 name=7 kind=1 queue=1
      40 work.begin #10 queue=4
      200000 work.end #10 why=0
      200010 work.begin #12 queue=1
      200020 work.end #12 why=0
      200030 mark name=9
      """
    let second = "50 work.begin #11 queue=1\n200050 work.end #11 why=0"
    let analysis = try QueueTrace(threads: [main, second]).analysis()
    #expect(analysis.work.backlogs.map(\.isFull) == [true])
    #expect(try queue("pool", analysis).atOnce == 2)
  }

  /// A concurrent queue whose blocks sleep gets a thread about every second.
  @Test func aQueueThatGrows() throws {
    let main = """
      0 queue.create #5 name=3 kind=1 width=0
      10 work.create #10 name=5 kind=0 queue=5
      20 work.create #11 name=5 kind=0 queue=5
      30 work.create #12 name=5 kind=0 queue=5
      40 work.begin #10 queue=5
      3000000 work.end #10 why=0
      """
    let second = "1000000 work.begin #11 queue=5\n3000000 work.end #11"
    let third = "2000000 work.begin #12 queue=5\n3000000 work.end #12"
    var analysis = try QueueTrace(threads: [main, second, third]).analysis()
    #expect(findings(.poolGrows, analysis).isEmpty)
    analysis.work.backlogs[0].works[0].cause = .sleep
    let found = try #require(FindingRules.rule(.poolGrows)?.findings(in: analysis).first)
    #expect(found.severity == .warning && found.subject == "log" && found.times == 1)
    #expect(found.text.contains("The queue used 1 thread at first and 3 threads later"))
    #expect(FindingRules.rule(.mainQueueWaits)?.findings(in: analysis).isEmpty == true)
  }

  // MARK: Long waits

  /// Two jobs of a queue that runs one at a time. The first one runs from `begin`, in microseconds, to 300 ms. `kind`:
  /// 0 = blocks, 1 = tasks.
  private func twoJobs(kind: Int, queue: Int, begin: Int = 30) -> String {
    """
    10 work.create #10 name=5 kind=\(kind) queue=\(queue)
    20 work.create #11 name=6 kind=\(kind) queue=\(queue)
    \(begin) work.begin #10 queue=\(queue)
    300000 work.end #10 why=0
    300010 work.begin #11 queue=\(queue)
    300020 work.end #11 why=0
    """
  }

  @Test func aContendedActor() throws {
    let main = twoJobs(kind: 1, queue: 4)
    let found = try #require(findings(.actorContended, try QueueTrace(threads: [main]).analysis()).first)
    #expect(found.subject == "Store" && found.blocker == "work a")
    #expect(found.text.hasPrefix("Tasks waited for actor \"Store\" up to 300 ms"))
    #expect(found.text.contains("While one of them waited, \"work a\" was on it for 300 ms"))
  }

  /// The threads of an executor of the program are not those of the pool.
  @Test func aContendedExecutor() throws {
    let main = "0 queue.create #5 name=4 kind=5 width=1\n" + twoJobs(kind: 1, queue: 5)
    let second = "25 work.create #12 name=7 kind=1 queue=1\n50 work.begin #12 queue=1\n60 work.end #12"
    let analysis = try QueueTrace(threads: [main, second]).analysis()
    let found = try #require(findings(.actorContended, analysis).first)
    #expect(found.title == "tasks wait long for an executor" && found.blocker == "work a")
    #expect(found.text.hasPrefix("Tasks waited for executor \"Store\" up to 300 ms"), "\(found.text)")
    #expect(findings(.mainQueueWaits, analysis).isEmpty)
    #expect(try queue("pool", analysis).atOnce == 1)
  }

  /// A task leaves a free actor, and goes on on its thread. Its slice is the longest, but no task waited for it.
  @Test func aTaskThatLeavesAnActor() throws {
    let first = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.begin #10 queue=1
      30 work.end #10 why=2
      40 work.begin #10 queue=4
      900000 work.end #10 why=0
      """
    let second = """
      10 work.create #11 name=6 kind=1 queue=1
      20 work.begin #11 queue=1
      30 work.end #11 why=2
      100 work.begin #11 queue=4
      200100 work.end #11 why=1
      900010 mark name=9
      """
    let third = """
      10 work.create #12 name=7 kind=1 queue=1
      60 work.begin #12 queue=1
      70 work.end #12 why=2
      200110 work.begin #12 queue=4
      200120 work.end #12 why=0
      """
    let analysis = try QueueTrace(threads: [first, second, third]).analysis()
    let store = try queue("Store", analysis)
    #expect(store.atOnce == 1 && store.runNs.max == 200_000_000 && store.longestRun == "work b")
    #expect(store.holder == "work b" && store.longestHoldNs == 200_000_000)
    let found = try #require(findings(.actorContended, analysis).first)
    #expect(found.blocker == "work b")
  }

  /// Two blocks of a serial queue. The first one runs from `begin` to 300 ms.
  private func blocks(begin: Int) -> QueueTrace {
    QueueTrace(threads: [twoJobs(kind: 0, queue: 2, begin: begin)])
  }

  @Test func aSerialQueueThatWaitsLong() throws {
    let found = try #require(findings(.mainQueueWaits, try blocks(begin: 30).analysis()).first)
    #expect(found.title == "work of a queue waits long" && found.subject == "db")
    #expect(found.text.contains("Meanwhile, it ran \"work a\""))
  }

  /// A queue that was suspended, or held by something else, ran little of its own work. That work is not to blame.
  @Test func aQueueThatIsHeldBySomethingElse() throws {
    var analysis = try blocks(begin: 299_900).analysis()
    analysis.work.backlogs[0].works[0].cause = .sleep
    let found = try #require(FindingRules.rule(.mainQueueWaits)?.findings(in: analysis).first)
    #expect(found.severity == .info)
    #expect(
      found.text.hasSuffix(
        "Meanwhile, its own work ran for only 100 µs. It may have been suspended, held by a call such as dispatch_sync, or waiting for a thread or for the queue that it targets."
      ), "\(found.text)")
    #expect(!found.text.contains("work a") && found.sampled.isEmpty && !found.remedy.contains("Shorten"))
    // Enough of the wait.
    let busy = try #require(findings(.mainQueueWaits, try blocks(begin: 150_000).analysis()).first)
    #expect(busy.text.contains("Meanwhile, it ran \"work a\"") && busy.remedy.contains("Shorten"))
  }

  @Test func aQueueThatRunsNothing() throws {
    let block = "10 work.create #10 name=5 kind=0 queue=2\n300000 work.begin #10 queue=2\n300010 work.end #10"
    let found = try #require(findings(.mainQueueWaits, try QueueTrace(threads: [block]).analysis()).first)
    #expect(found.text.contains("Meanwhile, none of its own work ran. It may have been suspended"))
    let job = block.replacing("queue=2", with: "queue=1")
    let ofPool = try #require(findings(.mainQueueWaits, try QueueTrace(threads: [job]).analysis()).first)
    #expect(ofPool.text.hasSuffix("It may have waited for a thread."), "\(ofPool.text)")
  }

  /// The states of tasks on the main queue have a row. Their waits are those of the main queue's blocks.
  @Test func theMainQueueIsReportedOnce() throws {
    let text = blocks(begin: 30).text.replacing("\"db\"", with: "\"\(WorkQueueResult.mainQueue)\"")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    #expect(analysis.work.queues.map(\.waitNs.count) == [2])
    #expect(findings(.mainQueueWaits, analysis).isEmpty)
  }

  // MARK: Waits of threads

  /// A block of db takes `us`, and a thread waits for its turn behind it. `isOpen`: to the end of the recording.
  private func call(us: Int, isOpen: Bool = false) throws -> Analysis {
    let holder = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.begin #10 queue=2
      \(isOpen ? "\(us + 100) mark name=9" : "\(us + 90) work.end #10")
      """
    let waiting = "100 queueWait.begin #2 holder=100\n\(isOpen ? "" : "\(us + 100) queueWait.end #2")"
    return try QueueTrace(threads: [holder, waiting]).analysis()
  }

  private func text(_ analysis: Analysis) -> String {
    AnalysisText(analysis, gapThresholdNs: 250_000_000, style: TextStyle(isColoured: false)).lines(
      file: "a.rltrace", isBrief: false
    ).joined(separator: "\n")
  }

  @Test func aThreadThatWaitsLong() throws {
    var analysis = try call(us: 300_000)
    let found = try #require(findings(.mainQueueWaits, analysis).first)
    #expect(
      found.title == "threads wait long for a queue" && found.subject == "db" && found.severity == .info)
    #expect(
      found.text.hasPrefix("Threads waited up to 300 ms for queue \"db\" in calls such as dispatch_sync (p99")
    )
    #expect(
      found.text.hasSuffix(", 1 wait). Meanwhile, work \"work a\" was on it for 300 ms."), "\(found.text)")
    #expect(!analysis.verdict.text.contains("no work waited") && text(analysis).contains("  call wait  "))
    // Sampled stacks show what held the queue.
    var owner = LockOwner()
    owner.name = "client"
    for (cause, severity, words) in [
      (.sleep, .warning, "Thread \"client\" ran the blocks of that queue: sleeping"),
      (.cpu, .info, "Thread \"client\" ran the blocks of that queue."),
      (.lock, .warning, "That thread is waiting itself: waiting for a lock"),
    ] as [(StallCause, Finding.Severity, String)] {
      owner.cause = cause
      analysis.work.queues[0].longestCall?.owner = owner
      let sampled = try #require(FindingRules.rule(.mainQueueWaits)?.findings(in: analysis).first)
      #expect(sampled.severity == severity && sampled.text.contains(words), "\(sampled.text)")
    }
  }

  /// Calls alone are enough for a verdict.
  @Test func shortWaitsOfThreads() throws {
    let calls = "100 queueWait.begin #2 holder=101\n99900 queueWait.end #2\n900000 mark name=9"
    let analysis = try QueueTrace(threads: [calls]).analysis()
    #expect(findings(.mainQueueWaits, analysis).isEmpty)
    #expect(
      analysis.verdict.text
        == "Nothing wrong was found: no work waited 100 ms in a queue. The recording has no Swift tasks.")
    let long = try QueueTrace(threads: [calls.replacing("99900", with: "100100")]).analysis()
    #expect(long.verdict.text.contains("Thread \"101\" held it when the wait began"), "\(long.verdict.text)")
    let without = try QueueTrace(threads: ["10 work.begin #10 queue=2\n20 work.end #10"]).analysis()
    #expect(!text(without).contains("call wait"))
  }

  /// Fewer than 1 % of the waits are long.
  @Test func aLongWaitAmongShortOnes() throws {
    func wait(from begin: Int, us: Int) -> String {
      "\(begin) queueWait.begin #2 holder=0\n\(begin + us) queueWait.end #2\n"
    }
    let waits = (0..<200).map { wait(from: $0 * 100 + 10, us: 10) } + [wait(from: 30_000, us: 200_000)]
    var analysis = try QueueTrace(threads: [waits.joined()]).analysis()
    var owner = LockOwner()
    owner.cause = .sleep
    analysis.work.queues[0].longestCall?.owner = owner
    let found = try #require(FindingRules.rule(.mainQueueWaits)?.findings(in: analysis).first)
    #expect(found.severity == .info)
    #expect(!analysis.verdict.text.contains("no work waited"))
  }

  @Test(
    arguments: [(90_000, nil), (200_000, .info), (300_000, .warning), (1_000_000, .error)]
      as [(Int, Finding.Severity?)])
  func aThreadThatStillWaits(us: Int, severity: Finding.Severity?) throws {
    let analysis = try call(us: us, isOpen: true)
    let found = findings(.mainQueueWaits, analysis).first
    #expect(found?.severity == severity)
    #expect(analysis.verdict.text.contains("no work waited") == (severity == nil))
    guard let found, found.severity < .info else { return }
    #expect(found.text.hasPrefix("Thread \"thread 1\" waited"), "\(found.text)")
    #expect(
      found.text.contains("still waited when the recording ended. Meanwhile, work \"work a\" was on it"),
      "\(found.text)")
  }

  /// The queue still gets on with its work.
  @Test func aQueueThatIsNotStuck() throws {
    let worker = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.begin #10 queue=2
      900000 work.end #10
      900010 work.create #11 name=6 kind=0 queue=2
      900020 work.begin #11 queue=2
      1500000 mark name=9
      """
    let waiting = "100 queueWait.begin #2 holder=100"
    let found = findings(.mainQueueWaits, try QueueTrace(threads: [worker, waiting]).analysis())
    #expect(found.map(\.severity) == [.info])
  }

  /// Sampled stacks name the function. The thread that holds the queue waits for the other one in turn.
  @Test func theHolderWaitsInTurn() throws {
    func state(_ thread: Int, awaits awaited: Int) -> String {
      "thread.state thread=\(thread) state=83 system_call=202 cpu_ns=0 waited_ns=0 voluntary_switches=0 "
        + "involuntary_switches=0 minor_faults=0 major_faults=0 read_bytes=0 written_bytes=0 "
        + "awaited_thread=\(awaited)"
    }
    let samples = """
      5 frameName address=4096 depth=0 function=5 file=0 line=0 column=0
      600000 \(state(101, awaits: 100))
      600001 thread.stack thread=101 reason=1 frame=4096
      600002 \(state(100, awaits: 101))
      600003 thread.stack thread=100 reason=2 frame=4096
      """
    func analysis(_ end: String) throws -> Analysis {
      let holder = "10 work.create #10 name=5 kind=0 queue=2\n20 work.begin #10 queue=2\n1200000 mark name=9"
      return try QueueTrace(threads: [holder, "100 queueWait.begin #2 holder=100\n\(end)", samples])
        .analysis()
    }
    let deadlock = "That thread waits for this one, which is a deadlock"
    let open = try #require(findings(.mainQueueWaits, try analysis("")).first)
    #expect(open.severity == .error && open.text.contains(deadlock), "\(open.text)")
    let over = try #require(findings(.mainQueueWaits, try analysis("1100000 queueWait.end #2")).first)
    #expect(over.severity == .info && !over.text.contains(deadlock), "\(over.text)")
  }

  // MARK: Waits that are not known

  @Test func handlersHaveNoWaits() throws {
    let fire = "100 work.create #11 name=6 kind=3 queue=2\n100 work.begin #11 queue=2\n150 work.end #11\n"
    let block = """
      200 work.create #10 name=5 kind=0 queue=2
      210 work.begin #10 queue=2
      900000 work.end #10
      """
    let analysis = try QueueTrace(threads: [fire + block]).analysis()
    let db = try queue("db", analysis)
    #expect(db.queued == 1 && db.begun == 2 && db.waitNs.count == 1 && db.depth == 1)
    #expect(analysis.verdict.text.hasPrefix("Nothing wrong was found: no work waited 100 ms in a queue."))
    #expect(analysis.verdict.text.contains("handlers of dispatch sources, also of timers,"))
    let alone = try QueueTrace(threads: [fire]).analysis()
    #expect(alone.verdict.outcome == .clear && !alone.verdict.text.contains("no work waited"))
  }

  /// An operation, and a block in the queue of an OperationQueue.
  @Test func operationsWaitElsewhere() throws {
    let work = "10 work.create #10 name=5 kind=0 queue=2\n20 work.begin #10 queue=2\n30 work.end #10"
    let exception = "How long operations waited in an OperationQueue is not recorded."
    let trace = QueueTrace(threads: [work])
    #expect(try !trace.analysis().verdict.text.contains(exception))
    for text in [
      trace.text.replacing("kind=0 queue=2", with: "kind=4 queue=2"),
      trace.text.replacing("\"db\"", with: "\"NSOperationQueue 0x1234\""),
    ] {
      let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
      #expect(analysis.verdict.text.hasSuffix(exception), "\(analysis.verdict.text)")
    }
  }
}
