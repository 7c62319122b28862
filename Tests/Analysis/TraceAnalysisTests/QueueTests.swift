import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat
import TraceReplay

extension QueueTrace {
  func analysis() throws -> Analysis {
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    #expect(findingFaults(analysis) == [])
    return analysis
  }
}

/// Queues other than the main queue: waits, runs, depth, and the states of tasks.
@Suite struct QueueTests {
  func queue(_ name: String, _ analysis: Analysis) throws -> WorkQueueResult {
    try #require(analysis.work.queues.first { $0.name == name })
  }

  func findings(_ rule: RuleID, _ analysis: Analysis) -> [Finding] {
    analysis.findings.filter { $0.rule == rule }
  }

  /// Two blocks of a serial queue: the second waits for the first.
  @Test func waitsAndRuns() throws {
    let main = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.create #11 name=6 kind=0 queue=2
      9000 mark name=9
      """
    let worker = """
      110 work.begin #10 queue=2
      1110 work.end #10 why=0
      1120 work.begin #11 queue=2
      1320 work.end #11 why=0
      """
    let analysis = try QueueTrace(threads: [main, worker]).analysis()
    let db = try queue("db", analysis)
    #expect(analysis.work.queues.map(\.name) == ["db"])
    #expect(db.kind == .serial && db.queues == 1 && db.width == 1 && db.threads == 1)
    #expect(db.queued == 2 && db.begun == 2 && db.ended == 2 && db.discarded == 0 && db.waiting == 0)
    #expect(db.waitNs.count == 2 && db.waitNs.max == 1_100_000 && db.waitNs.min == 100_000)
    #expect(db.longestWaitStartNs == 20_000)
    #expect(db.runNs.sum == 1_200_000 && db.longestRun == "work a" && db.longestRunStartNs == 110_000)
    #expect(db.depth == 2 && db.depthNs == 20_000 && db.atOnce == 1)
    #expect(analysis.callouts.map(\.kind) == ["work", "work"])
    #expect(analysis.busy.isEmpty && analysis.gaps.isEmpty && analysis.loops.isEmpty)
    #expect(
      analysis.verdict.text
        == "Nothing wrong was found: no work waited 100 ms in a queue. The recording has no Swift tasks."
    )
  }

  /// The report has the section only if there are queues.
  @Test func documentsLeaveOutWhatIsNotThere() throws {
    let analysis = try QueueTrace(threads: ["10 work.create #10 name=5 kind=0 queue=2\n20 mark name=9"])
      .analysis()
    #expect(try AnalysisJSON.encode([("x", analysis)]).contains("\"work_queues\""))
    let without = try QueueTrace(threads: ["20 mark name=9"], hasQueues: false).analysis()
    let json = try AnalysisJSON.encode([("x", without)])
    #expect(!json.contains("\"work_queues\"") && !json.contains("\"tasks_omitted\""))
  }

  /// A task that hops to an actor, is suspended there, resumes, and ends. Each slice has its wait.
  @Test func slicesOfATask() throws {
    let first = """
      10 work.create #10 name=5 kind=1 queue=1 parent=0 site=9
      30 work.begin #10 queue=1
      50 work.end #10 why=2
      900 work.queue #10 queue=1
      9000 mark name=9
      """
    let second = """
      90 work.begin #10 queue=4
      190 work.end #10 why=1
      950 work.begin #10 queue=1
      1000 work.end #10 why=0
      """
    let analysis = try QueueTrace(threads: [first, second]).analysis()
    let (pool, store) = (try queue("pool", analysis), try queue("Store", analysis))
    #expect(pool.queued == 2 && pool.begun == 2 && pool.waitNs.max == 50_000 && pool.runNs.sum == 70_000)
    #expect(store.queued == 1 && store.waitNs.sum == 40_000 && store.runNs.sum == 100_000)
    #expect(analysis.work.tasks.isEmpty && analysis.work.hasTasks)
    #expect(analysis.verdict.text == "Nothing wrong was found: no work waited 100 ms in a queue.")
  }

  /// Another pool that begins during a slice of an actor, as for a sleep, does not keep a thread of the first one.
  @Test func aPoolThatBeginsLater() throws {
    let events = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.begin #10 queue=4
      25 queue.create #6 name=1 kind=3 width=2
      30 work.end #10
      40 work.create #11 name=6 kind=1 queue=1
      50 work.begin #11 queue=1
      60 work.end #11
      """
    #expect(try queue("pool", try QueueTrace(threads: [events]).analysis()).atOnce == 1)
  }

  /// Where the recorder saw jobs only, the verdict and a note say so.
  @Test func jobsOnly() throws {
    let jobs = "10 work.create #10 name=0 kind=2 queue=1\n20 work.begin #10 queue=1\n30 work.end #10"
    for seen in ["jobs", "recorded"] {
      let analysis = try QueueTrace(threads: [jobs], info: ["\"tasks\" \"\(seen)\""]).analysis()
      #expect(analysis.work.hasJobsOnly == (seen == "jobs"))
      #expect(analysis.verdict.text.contains("only jobs of the global executor") == (seen == "jobs"))
      #expect(analysis.noteTexts.contains { $0.contains("Swift runtime") } == (seen == "jobs"))
    }
    let two = """
      10 work.create #10 name=0 kind=2 queue=2
      20 work.create #11 name=0 kind=2 queue=2
      30 work.begin #10 queue=2
      300000 work.end #10
      300010 work.begin #11 queue=2
      300020 work.end #11
      """
    let backlogs = try QueueTrace(threads: [two], info: ["\"tasks\" \"jobs\""]).analysis().work.backlogs
    #expect(backlogs.first?.works.map(\.name) == ["job #10"])
  }

  /// If the verdict says that queues were not recorded, the next commands say how to record them.
  @Test func howToRecordQueues() throws {
    let loop = HandTrace.held(at: 100, for: 20_000)
    let work = "30000 work.create #10 name=5 kind=0 queue=2\n30010 work.begin #10 queue=2\n30020 work.end #10"
    for hasQueues in [false, true] {
      let trace = QueueTrace(
        threads: [loop + (hasQueues ? work : "")], hasQueues: hasQueues, info: ["\"command\" \"./server\""])
      let analysis = try trace.analysis()
      #expect(analysis.verdict.outcome == .clear)
      #expect(analysis.verdict.text.contains("were not recorded") == !hasQueues)
      let lines = AnalysisText(
        analysis, gapThresholdNs: 250_000_000, style: TextStyle(isColoured: false)
      ).lines(file: "a.rltrace", isBrief: true)
      #expect(
        lines.contains("  rltrace record --queues all -- ./server   # records tasks and all queues as well")
          == !hasQueues)
    }
  }

  /// All queues were to be recorded, and the program used none.
  @Test func noQueuesToRecord() throws {
    let info = ["\"command\" \"./server\"", "\"queues\" \"recorded\""]
    let trace = QueueTrace(threads: [HandTrace.held(at: 100, for: 20_000)], hasQueues: false, info: info)
    #expect(try trace.analysis().verdict.text.hasSuffix("The recording has no Swift tasks."))
  }

  /// Three tasks go to an actor at once. Their queue is known only when each begins there.
  @Test func theDepthOfAnActor() throws {
    let tasks = (10...12).map { "\($0) work.create #\($0) name=5 kind=1 queue=1\n" }
    let hops = (10...12).map {
      "\(10 * $0) work.begin #\($0) queue=1\n\(10 * $0 + 5) work.end #\($0) why=2\n"
    }
    let onActor = (10...12).map {
      "\(100 * $0) work.begin #\($0) queue=4\n\(100 * $0 + 90) work.end #\($0)\n"
    }
    let main = (tasks + hops).joined()
    let analysis = try QueueTrace(threads: [main, onActor.joined()]).analysis()
    let store = try queue("Store", analysis)
    #expect(store.depth == 3 && store.depthNs == 125_000 && store.queued == 3)
    #expect(store.waitNs.max == 1_075_000 && store.atOnce == 1)
  }

  /// A task may begin on a thread before another one has stored the end of its former slice.
  @Test func slicesThatOverlap() throws {
    let first = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.begin #10 queue=1
      60 work.end #10 why=1
      200 mark name=9
      """
    let second = """
      40 work.queue #10 queue=1
      50 work.begin #10 queue=1
      80 work.end #10 why=0
      """
    let analysis = try QueueTrace(threads: [first, second]).analysis()
    let pool = try queue("pool", analysis)
    #expect(pool.begun == 2 && pool.ended == 2 && pool.runNs.sum == 70_000 && pool.running == 0)
    #expect(analysis.work.tasks.isEmpty)
  }

  /// The work begins a time unit before its creation is stored.
  @Test func workThatBeginsBeforeItsCreation() throws {
    let first = """
      11 work.create #10 name=5 kind=0 queue=2
      500 mark name=9
      """
    let second = """
      10 work.begin #10 queue=2
      60 work.end #10 why=0
      """
    let db = try queue("db", try QueueTrace(threads: [first, second]).analysis())
    #expect(db.queued == 1 && db.waitNs.count == 1 && db.waitNs.max == 0 && db.waiting == 0)
  }

  @Test func workThatIsDiscarded() throws {
    let main = """
      10 work.create #10 name=5 kind=0 queue=2
      900000 work.discard #10
      900010 mark name=9
      """
    let db = try queue("db", try QueueTrace(threads: [main]).analysis())
    #expect(db.queued == 1 && db.discarded == 1 && db.waiting == 0 && db.begun == 0)
  }

  /// The end of a slice may be among lost events.
  @Test func aSliceBeforeALoss() throws {
    let main = "10 work.create #10 name=5 kind=0 queue=2\n900000 mark name=9"
    let worker = """
      20 work.begin #10 queue=2
      50 mark name=9
      60 lostEvents count=3
      70 work.begin #11 queue=2
      90 work.end #11 why=0
      """
    let analysis = try QueueTrace(threads: [main, worker]).analysis()
    #expect(analysis.callouts.map(\.timeNs) == [30_000, 20_000])
    #expect(analysis.callouts.map(\.open) == [0, 0])
  }

  /// Delayed work waits from its due point on, and delays no other work before.
  @Test func delayedWork() throws {
    let main = """
      10 work.create #10 name=5 kind=0 queue=2 parent=0 site=0 due=500010
      500020 work.begin #10 queue=2
      500040 work.end #10 why=0
      """
    let analysis = try QueueTrace(threads: [main]).analysis()
    let db = try queue("db", analysis)
    #expect(db.waitNs.max == 10_000 && db.depth == 0 && analysis.work.backlogs.isEmpty)
  }

  // MARK: Hostile traces

  /// Each line belongs to no sensible trace. Sums and counts stay finite, and nothing traps.
  @Test(arguments: [
    "10 work.end #10 why=1", "10 work.end #10 why=7", "10 work.begin #10 queue=77",
    "10 work.begin queue=0\n20 work.end", "10 work.queue #10 queue=0", "10 work.discard #10",
    "10 queue.end #2\n20 work.begin #10 queue=2\n30 work.end #10",
    "10 work.begin #10 queue=2\n20 work.begin #10 queue=2\n30 work.end #10\n40 work.end #10",
    "10 work.create #10 name=5 kind=9 queue=10\n20 work.create #10 name=6 kind=1 queue=2",
    "10 work.create #1048575 name=5 kind=0 queue=1048574\n20 work.begin #1048575 queue=1048574",
    "10 queueWait.begin #2 holder=100\n20 queueWait.end #3\n30 queueWait.end #2",
    "10 queue.create #2 name=3 kind=44 width=18446744073709551615\n20 work.begin #10 queue=2",
    "10 work.begin #10 queue=2\n20 lostEvents count=3\n30 work.end #10 why=1\n40 work.end #10",
    "10 work.create #10 name=5 kind=1 queue=1\n20 work.begin #10 queue=1\n30 work.create #1048586 name=6 kind=1 queue=1",
  ]) func hostile(events: String) throws {
    let text = QueueTrace(threads: [events + "\n400000 mark name=9"]).text
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    for queue in analysis.work.queues {
      #expect(queue.ended <= queue.begun && queue.running <= queue.begun && queue.atOnce <= 4)
    }
  }

  @Test func aQueueWithoutADefinitionHasItsNumber() throws {
    let main = "10 work.begin #10 queue=7\n30 work.end #10\n40 mark name=9"
    let analysis = try QueueTrace(threads: [main]).analysis()
    #expect(analysis.work.queues.map(\.name) == ["queue #7"])
    #expect(analysis.work.queues.map(\.kind) == [nil] && analysis.work.queues.map(\.queues) == [0])
  }

  // MARK: The end

  @Test func workThatNeverRan() throws {
    let main = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.create #11 name=6 kind=0 queue=2
      30 work.begin #10 queue=2
      1500000 mark name=9
      """
    let analysis = try QueueTrace(threads: [main]).analysis()
    let found = try #require(findings(.unservedWork, analysis).first)
    #expect(found.severity == .error)
    #expect(
      found.text.hasPrefix("Work \"work b\" was queued in \"db\" at 0.000020 s and had not run 1.50 s later"))
    #expect(found.text.hasSuffix("work \"work a\" has been running since 0.000030 s."))
    #expect(analysis.unserved.map(\.reason) == [.calloutUnderWay])
  }

  /// A barrier waits for readers, which are not recorded, as does a further reader.
  @Test func aReaderBehindABarrier() throws {
    let main = """
      10 queueWait.begin #5 holder=0
      1500000 mark name=9
      """
    let creator = """
      0 queue.create #5 name=3 kind=1 width=0
      9 work.create #10 name=5 kind=0 queue=5
      """
    let analysis = try QueueTrace(threads: ["", creator, main]).analysis()
    #expect(analysis.unserved.map(\.reason) == [.unknown])
    let found = try #require(findings(.unservedWork, analysis).first)
    #expect(
      found.text.hasSuffix(
        "does not show why. Thread \"thread 2\" has waited for this queue as well, since 0.000010 s."),
      "\(found.text)")
    #expect(findings(.waitsForItself, analysis).isEmpty)
  }

  @Test func tasksThatNeverResumed() throws {
    let main = """
      10 work.create #10 name=8 kind=1 queue=1 parent=0 site=9
      20 work.begin #10 queue=1
      30 work.end #10 why=1
      900000 mark name=9
      """
    let analysis = try QueueTrace(threads: [main]).analysis()
    let task = try #require(analysis.work.tasks.first)
    #expect(task.name == "lost" && task.site == "make.swift:7" && task.state == .suspended)
    #expect(task.sinceNs == 30_000 && task.stayedNs == 899_970_000 && task.slices == 1)
    let found = try #require(findings(.neverResumed, analysis).first)
    #expect(found.severity == .info && analysis.verdict.outcome == .clear)
    #expect(found.text.contains("\"lost\", created by \"make.swift:7\", since 0.000030 s"))
  }

  /// A task of the main actor is not suspended while the main queue's block still runs it.
  @Test(arguments: [false, true]) func tasksOfTheMainActor(isOver: Bool) throws {
    let main = """
      100 Entry.low m1 #9
      110 BeforeTimers.low m1 #9
      120 BeforeSources.low m1 #9
      130 mainQueueDrain.begin m1 #9
      140 mainQueueBlock.begin m1 #20
      141 work.create #10 name=8 kind=1 queue=0 parent=0 site=9
      141 work.begin #10 queue=0
      141 work.end #10 why=1
      \(isOver ? "160 mainQueueBlock.end m1 #20\n170 mainQueueDrain.end m1 #9\n" : "")900000 mark name=9
      """
    let analysis = try QueueTrace(threads: [main]).analysis()
    #expect(analysis.work.tasks.map(\.state) == [isOver ? .suspended : .running])
    #expect(findings(.neverResumed, analysis).count == (isOver ? 1 : 0))
  }

  /// Threads in work of one queue each that wait for the next one's queue. `holders`: with the ids of the holders, or
  /// by the slices that run.
  private func waits(_ count: Int, holders: Bool) throws -> Analysis {
    let threads = (0..<count).map { thread in
      let next = (thread + 1) % count
      return """
        \(10 + thread) work.create #\(10 + thread) name=\(5 + thread) kind=0 queue=\(2 + thread)
        \(20 + thread) work.begin #\(10 + thread) queue=\(2 + thread)
        \(100 + thread) queueWait.begin #\(2 + next) holder=\(holders ? 100 + next : 0)
        """
    }
    return try QueueTrace(threads: threads + ["900000 mark name=9"]).analysis()
  }

  @Test(arguments: 1...3, [false, true]) func queuesThatWaitForEachOther(count: Int, holders: Bool) throws {
    let analysis = try waits(count, holders: holders)
    let found = findings(.waitsForItself, analysis)
    #expect(found.count == 1 && found.first?.severity == .error)
    #expect(analysis.work.deadlocks.map(\.links.count) == [count])
    #expect(found.first?.text.contains("in work \"work a\" of queue \"db\", waits for queue") == true)
    #expect(analysis.verdict.rule == .waitsForItself)
  }

  /// A thread that only waits long is not in a deadlock.
  @Test func aLongWaitIsNoDeadlock() throws {
    let holder = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.begin #10 queue=2
      900000 work.end #10
      """
    let waiting = """
      100 queueWait.begin #2 holder=100
      900010 queueWait.end #2
      """
    let analysis = try QueueTrace(threads: [holder, waiting]).analysis()
    #expect(analysis.work.deadlocks.isEmpty && findings(.waitsForItself, analysis).isEmpty)
    #expect(try queue("db", analysis).callNs.max == 899_910_000)
    let unfinished = try QueueTrace(
      threads: ["10 work.begin #10 queue=2\n900000 mark name=9", "100 queueWait.begin #2 holder=100"]
    ).analysis()
    #expect(unfinished.work.deadlocks.isEmpty)
  }

  // MARK: Loops

  /// Work inside a callout of a loop is part of it, and makes neither gap nor hang of its own.
  @Test func workInsideACallout() throws {
    let pass = HandTrace.held(at: 100, for: 20_000).replacing(
      "20130 source0.end", with: "20100 work.end #10\n20130 source0.end"
    ).replacing("130 source0.begin m1 #5\n", with: "130 source0.begin m1 #5\n200 work.begin #10 queue=2\n")
    let with = try QueueTrace(threads: [pass]).analysis()
    let without = try QueueTrace(threads: [HandTrace.held(at: 100, for: 20_000)]).analysis()
    #expect(with.loops.map(\.busyNs) == without.loops.map(\.busyNs))
    #expect(with.modes.map(\.passNs) == without.modes.map(\.passNs))
    #expect(with.callouts.first { $0.kind == "source0" }?.timeNs == without.callouts.first?.timeNs)
    #expect(try queue("db", with).runNs.sum == 19_900_000)
  }
}
