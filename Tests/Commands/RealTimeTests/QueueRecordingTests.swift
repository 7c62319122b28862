import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Recordings of Dispatch queues, tasks and actors, with `--queues all`.
@Suite(.ownThread) struct QueueRecordingTests {
  private static let dispatchPrograms = Program("dispatch-programs")

  private struct Recording {
    let run: RecordedProgram
    let events: [RecordedEvent]

    /// Records a program and expects that the trace is sound and complete.
    init(_ program: Program, _ name: String, options: [String] = ["--queues", "all"]) throws {
      run = try RecordedProgram(program, [name], options: options)
      try run.expectUnchanged()
      #expect(run.recorded.status == 0, "\(run.recorded)")
      let checked = try Program.rltrace.run(["validate", run.trace])
      #expect(checked.status == 0, "\(checked.output.prefix(2000))")
      events = try run.events()
      #expect(!events.contains { $0.kind == .lostEvents })
    }

    var hasStacks: Bool { events.contains { $0.kind == .threadStack } }

    func count(_ kind: EventKind, _ name: String) -> Int {
      events.count { $0.kind == kind && $0.name == name }
    }

    /// The last argument of the last event of this kind and name.
    func last(_ kind: EventKind, _ name: String) -> UInt64? {
      events.last { $0.kind == kind && $0.name == name }?.arguments.last
    }
  }

  @Test func everyPieceOfWork() throws {
    let recording = try Recording(Self.dispatchPrograms, "work")
    for (name, count) in [("shrink_image", 20), ("load_page", 5), ("add_one", 1)] {
      for kind in [EventKind.workCreate, .workBegin, .workEnd] {
        #expect(recording.count(kind, name) == count, "\(name) \(kind)")
      }
    }
    let queues = recording.events.filter { $0.kind == .queueCreate }
    #expect(queues.map(\.name).sorted() == ["downloads", "images"])
    let kinds = queues.reduce(into: [String: UInt64]()) { $0[$1.name] = $1.arguments.dropFirst().first }
    #expect(kinds["images"] == 0 && kinds["downloads"] == 1)
    // Only work that is to run later has a time for it.
    let creations = recording.events.filter { $0.kind == .workCreate }
    #expect(creations.filter { $0.arguments.count == 6 }.map(\.name) == ["add_one"])
    #expect(creations.allSatisfy { creation in queues.contains { $0.object == creation.arguments[2] } })
  }

  @Test func onlyWaitsThatTakeTimeAreRecorded() throws {
    let recording = try Recording(Self.dispatchPrograms, "waits")
    #expect(recording.count(.queueWaitBegin, "busy") == 1 && recording.count(.queueWaitEnd, "busy") == 1)
    // Another program may take the processor between the two stamps of a wait.
    #expect(recording.count(.queueWaitBegin, "idle") < 100)
    // The thread that holds the queue.
    #expect(recording.last(.queueWaitBegin, "busy") ?? 0 > 0)
  }

  /// Threads that wait behind readers, which are not known.
  @Test func waitsBehindReaders() throws {
    let recording = try Recording(Self.dispatchPrograms, "readers")
    #expect(recording.count(.queueWaitEnd, "written") == 1 && recording.last(.queueWaitBegin, "written") == 0)
    let behindReader = recording.count(.queueWaitBegin, "read")
    #expect((1..<100).contains(behindReader) && recording.count(.queueWaitEnd, "read") == behindReader)
  }

  @Test func twoQueuesThatWaitForEachOther() throws {
    let recording = try Recording(Self.dispatchPrograms, "deadlock")
    for queue in ["first", "second"] {
      #expect(recording.count(.queueWaitBegin, queue) == 1 && recording.count(.queueWaitEnd, queue) == 0)
      #expect(recording.last(.queueWaitBegin, queue) ?? 0 > 0)
    }
    for name in ["wait_for_first", "wait_for_second"] {
      #expect(recording.count(.workBegin, name) == 1 && recording.count(.workEnd, name) == 0)
    }
    #expect(recording.count(.workCreate, "nothing") == 1 && recording.count(.workBegin, "nothing") == 0)
  }

  /// A queue may get the address of one that was released.
  @Test func queuesWithTheSameAddress() throws {
    let recording = try Recording(Self.dispatchPrograms, "reused")
    let names = recording.events.filter { $0.kind == .queueCreate }.map(\.name)
    #expect(Set(names) == Set((0..<200).map { "queue \($0)" }) && names.count == 200)
    #expect(recording.count(.workEnd, "nothing") == 200)
    // The thread that queues the work also takes ids that the threads that ran earlier work hand over.
    #expect(Set(recording.events.filter { $0.kind == .workCreate }.map(\.object)).count == 200)
  }

  @Test func aFork() throws {
    let recording = try Recording(Self.dispatchPrograms, "forks")
    #expect(recording.count(.workEnd, "load_page") == 10)
    #expect(recording.run.folder.names == ["out.rltrace"])
  }

  /// Threads that run work pass its memory and its ids on to those that queue more, and threads end meanwhile.
  @Test func manyPiecesOfManyThreads() throws {
    let run = try RecordedProgram(Self.dispatchPrograms, ["handed"], options: ["--queues", "all"])
    // Rings may be full, which the recorder says.
    let plain = try run.plain
    #expect(plain.output == "wrong 0\n" && plain.status == 0, "\(plain)")
    #expect(run.recorded.output == plain.output && run.recorded.status == 0, "\(run.recorded)")
  }

  @Test func blocksOfSwift() throws {
    let recording = try Recording(.queuePrograms, "blocks")
    let begun = recording.events.filter { $0.kind == .workBegin }.map(\.name)
    #expect(begun.count { $0 == "closure #1 in Tasks.blocks()" } == 10, "\(begun)")
    #expect(begun.count { $0 == "closure #2 in Tasks.blocks()" } == 1, "\(begun)")
    let queue = try #require(recording.events.first { $0.kind == .queueCreate && $0.name == "blocks" })
    #expect(queue.arguments.dropFirst().first == 0)
  }

  /// The place where a block runs a loop is noted. Afterwards, the block is watched for stalls as before.
  @Test func aBlockThatRunsALoop() throws {
    let recording = try Recording(.queuePrograms, "loops")
    let stacks = try TraceAnalyzer(openTrace(path: recording.run.trace)).analyze().sampledStacks
    func shows(_ function: String, _ reason: StackReason) -> Bool {
      stacks.contains { $0.reason == reason && $0.frames.contains { $0.name.contains(function) } }
    }
    #expect(shows("runLoop()", .nestedRun) && shows("rest()", .stalled), "\(stacks)")
  }

  /// Work whose waits are not known has kinds of its own.
  @Test func handlersAndOperations() throws {
    let recording = try Recording(.queuePrograms, "handlers")
    let created = recording.events.filter { $0.kind == .workCreate }
    func kinds(_ name: String) throws -> [WorkKind?] {
      let queue = try #require(recording.events.first { $0.kind == .queueCreate && $0.name == name })
      let ofQueue = created.filter { $0.arguments[2] == UInt64(queue.object) }
      return ofQueue.map { WorkKind(rawValue: $0.arguments[1]) }
    }
    func words(_ command: [String]) throws -> String {
      try Program.rltrace.run(command).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    let handlers = try kinds("handlers")
    #expect(handlers.count >= 4 && handlers.allSatisfy { $0 == .handler }, "\(handlers)")
    #expect(try kinds("operations") == [.operation, .operation])
    let gate = try words(["gate", recording.run.trace, "--rule", "max(wait, queue=handlers) < 1h"])
    #expect(gate.contains("whose waits are not recorded"), "\(gate)")
    let verdict = try words(["analyze", "--brief", recording.run.trace])
    #expect(verdict.contains("when they were due is not recorded. How long operations waited"), "\(verdict)")
  }

  @Test func tasksAndAnActor() throws {
    let recording = try Recording(.queuePrograms, "tasks")
    let names = (0..<4).map { "compute \($0)" } + (1...3).map { "deposit \($0)" }
    for name in names {
      #expect(recording.count(.workCreate, name) == 1, "\(name)")
      #expect(recording.count(.workBegin, name) >= 1, "\(name)")
      #expect(recording.count(.workBegin, name) == recording.count(.workEnd, name), "\(name)")
      // An end without a reason: the task is over.
      let ends = recording.events.filter { $0.kind == .workEnd && $0.name == name }
      #expect(ends.max { $0.time < $1.time }?.arguments == [], "\(name)")
    }
    let actor = try #require(
      recording.events.first { $0.kind == .queueCreate && $0.name == "Bank" },
      "\(recording.events.filter { $0.kind == .queueCreate }.map(\.name))")
    // A task that finds the actor free goes to it inside its slice.
    let onActor = recording.events.filter {
      $0.kind == .workBegin && $0.name.hasPrefix("deposit") && $0.arguments.first == UInt64(actor.object)
    }
    #expect(Set(onActor.map(\.name)).count >= 2, "\(onActor)")
    // Tasks of a group have a parent.
    let created = recording.events.filter { $0.kind == .workCreate && names.contains($0.name) }
    #expect(created.allSatisfy { $0.arguments.count > 3 && $0.arguments[3] != 0 })
  }

  @Test func aBlockedPool() throws {
    var recording = try Recording(.queuePrograms, "blocked")
    // On a busy machine, the recorder's thread may not run while the pool is blocked.
    for _ in 0..<4 where !recording.hasStacks { recording = try Recording(.queuePrograms, "blocked") }
    #expect((0..<8).allSatisfy { recording.count(.workEnd, "quick \($0)") == 1 })
    #expect(recording.count(.workEnd, "blocker 0") == 1)
    let pools = recording.events.filter { $0.kind == .queueCreate && $0.arguments.dropFirst().first == 3 }
    #expect(!pools.isEmpty)
    // The thread of a blocked task is sampled.
    #expect(recording.hasStacks)
  }

  @Test func aLostContinuation() throws {
    let recording = try Recording(.queuePrograms, "lost")
    for name in ["lost", "lost on main"] {
      #expect(recording.count(.workCreate, name) == 1 && recording.count(.workBegin, name) == 1, "\(name)")
      let end = try #require(recording.events.last { $0.kind == .workEnd && $0.name == name })
      #expect(end.arguments == [1])
    }
  }

  /// A test that is killed at its time limit leaves the list of its suspended tasks.
  @Test func aKilledProgramListsItsTasks() throws {
    let run = try RecordedProgram(.queuePrograms, ["stuck"], options: ["--queues", "all"])
    let analysis = try Program.rltrace.run(["analyze", "--brief", run.trace])
    let words = analysis.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("End: killed by SIGKILL") && words.contains("info RL040"), "\(analysis)")
    #expect(words.contains("\"lost\""), "\(analysis)")
  }

  /// The main thread waits for work that only its loop would run, with run loops and without.
  @Test(arguments: [Program("dispatch-programs"), .loopPrograms])
  func aMainQueueThatNothingServes(program: Program) throws {
    let run = try Recording(program, "unserved").run
    let verdict = try TraceAnalyzer(openTrace(path: run.trace)).analyze().verdict
    #expect(verdict.rule == .unservedWork && verdict.severity == .error, "\(verdict.text)")
    #expect(verdict.text.contains("neither the main run loop nor dispatchMain()"), "\(verdict.text)")
    let gate = try Program.rltrace.run(["gate", run.trace])
    #expect(gate.status == 1 && gate.output.contains("BROKEN     no work that never ran"), "\(gate)")
    let byDefault = try Program.rltrace.run(
      ["record", "-q", "-o", "main.rltrace", "--", program.path, "unserved"], folder: run.folder.path)
    #expect(byDefault.status == 66, "\(byDefault)")
  }

  /// By default, only the main queue is recorded.
  @Test(arguments: [[], ["--queues", "main"], ["--queues", "all", "--level", "activities"]])
  func nothingIsRecorded(options: [String]) throws {
    let run = try RecordedProgram(Self.dispatchPrograms, ["work"], options: options)
    let plain = try run.plain
    #expect(plain.status == 0 && run.recorded.status == 66, "\(run.recorded)")
    #expect(run.recorded.output == plain.output)
  }
}
