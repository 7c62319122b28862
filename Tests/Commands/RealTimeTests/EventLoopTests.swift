import TestSupport
import Testing
import TraceFormat

/// Recordings of programs that wait for file descriptors, with `--loops all`.
@Suite(.ownThread) struct EventLoopTests {
  private static let programs = Program("event-loop-programs")
  /// The kernel keeps 15 bytes of a thread's name.
  private static let main = "event-loop-prog"

  /// Records a program and expects that the trace is sound and complete.
  private func record(_ name: String) throws -> RecordedProgram {
    let run = try RecordedProgram(Self.programs, [name], options: ["--loops", "all"])
    try run.expectUnchanged()
    #expect(run.recorded.status == 0, "\(run.recorded)")
    let checked = try Program.rltrace.run(["validate", run.trace])
    #expect(checked.status == 0, "\(checked.output.prefix(2000))")
    #expect(!(try run.events().contains { $0.kind == .lostEvents }))
    return run
  }

  private func analysis(of program: String) throws -> ReportedAnalysis {
    let run = try record(program)
    // The trace is removed with the last use of the recording.
    return try withExtendedLifetime(run) { try ReportedAnalysis(of: run.trace) }
  }

  @Test(arguments: ["epoll", "poll", "select"]) func aBlockedLoop(name: String) throws {
    let run = try record(name)
    let found = try ReportedAnalysis(of: run.trace)
    #expect(found.loops.map(\.loop) == ["event loop of \(Self.main)"])
    let blocked = try #require(found.findings.first { $0.rule == "RL035" }, "\(found.findings.map(\.text))")
    #expect(
      blocked.text.contains("sleep_in_callback") && blocked.text.contains("sleeping"), "\(blocked.text)")
    #expect(!found.findings.contains { $0.rule == "RL002" }, "\(found.findings.map(\.text))")
    // The other thread wakes the loop.
    let events = try run.events()
    #expect(events.contains { $0.kind == .sourceSignal && $0.name == "wake-up" })
    #expect(events.contains { $0.kind == .source0Begin && $0.name == "wake-up" })
    #expect(events.contains { $0.kind == .timerBegin && $0.name.hasPrefix("timerfd") } == (name == "epoll"))
  }

  /// The loader knows the range of one segment only, and the tables for unwinding are in another one.
  @Test(arguments: ["-pie", "-no-pie"]) func aProgramWithGapsBetweenItsSegments(kind: String) throws {
    ReportedStall.unblockSignals()
    let folder = try TemporaryFolder()
    let sources = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/EventLoopPrograms").path
    let built = try Program(
      shell: """
        exec clang -O2 -g -fomit-frame-pointer "$0"/*.c -o spread "$1" -fuse-ld=bfd -Wl,-Ttext=0x2000000 -lpthread
        """
    ).run([sources, kind], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try RecordedProgram(
      Program(path: folder.file("spread")), ["child"], options: ["--loops", "all"])
    try run.expectUnchanged()
    let findings = try ReportedAnalysis(of: run.trace).findings
    let blocked = try #require(findings.first { $0.rule == "RL035" }, "\(findings.map(\.text))")
    #expect(
      blocked.text.contains("wait_for_child main.c:") && blocked.text.contains("synchronous IPC"),
      "\(blocked.text)")
  }

  /// A busy machine may block any loop, so one of three runs suffices.
  @Test func aHealthyLoop() throws {
    var found = try analysis(of: "healthy")
    for _ in 0..<2 where found.findings.contains(where: { $0.rule == "RL035" }) {
      found = try analysis(of: "healthy")
    }
    #expect(found.loops.map(\.loop) == ["event loop of \(Self.main)"])
    #expect(
      !found.findings.contains { ["RL002", "RL035"].contains($0.rule) }, "\(found.findings.map(\.text))")
  }

  /// The time between two waits of a pool's thread is not the length of a callout.
  @Test func aPoolIsNotJudged() throws {
    let found = try analysis(of: "pool")
    #expect(found.loops.map(\.loop) == ["pool of worker"])
    let wrong = found.findings.filter { ["RL002", "RL014", "RL031", "RL035", "RL036"].contains($0.rule) }
    #expect(wrong.isEmpty, "\(wrong.map(\.text))")
  }

  /// A loop ends when its thread closes the epoll set. Later work of the thread blocks no loop.
  @Test func twoLoopsOfOneThread() throws {
    let run = try record("twice")
    let found = try ReportedAnalysis(of: run.trace)
    #expect(
      found.loops.map(\.loop).sorted() == ["event loop of \(Self.main)", "event loop of \(Self.main) (2)"])
    #expect(!found.findings.contains { $0.rule == "RL002" }, "\(found.findings.map(\.text))")
    let events = try run.events()
    #expect(events.count { $0.kind == .loopCreate } == 2 && events.count { $0.kind == .loopEnd } == 2)
  }

  /// A loop does not begin on a stack that is too small for its begin, but with the next wait on the thread's own one.
  @Test func aSmallStack() throws {
    let run = try record("small")
    #expect(try ReportedAnalysis(of: run.trace).loops.map(\.loop) == ["event loop of \(Self.main)"])
    let passes = try run.events().count { $0.kind == .beforeWaitingLow }
    #expect((1...20).contains(passes), "\(passes)")
  }

  /// A child that is forked inside a loop may have a loop of its own.
  @Test func aChildOfALoop() throws {
    let run = try record("forked")
    let child = try #require(run.folder.names.first { $0 != "out.rltrace" }, "\(run.folder.names)")
    let found = try ReportedAnalysis(of: run.folder.file(child))
    #expect(found.loops.map(\.loop) == ["event loop of \(Self.main)"])
    let blocked = try #require(found.findings.first { $0.rule == "RL035" }, "\(found.findings.map(\.text))")
    #expect(blocked.text.contains("sleep_in_callback"), "\(blocked.text)")
  }

  /// The other end of a pair of sockets was closed, and the next pair has its number. A write wakes no loop then.
  @Test func writesToChildrenAreNoWakeups() throws {
    let events = try record("workers").events()
    #expect(!events.contains { $0.kind == .sourceSignal }, "\(events.filter { $0.kind == .sourceSignal })")
    #expect(events.contains { $0.kind == .timerBegin })
  }

  /// No signal of the recorder ends a wait, even if the system hides that the thread sleeps.
  @Test(arguments: ["waits", "hidden"]) func timedWaitsLastAsLong(name: String) throws {
    let run = try record(name)
    let notes = try ReportedAnalysis(of: run.trace).notes
    #expect(
      notes.contains { $0.contains("the thread slept, and the system does not show where") }
        == (name == "hidden"), "\(notes)")
    #expect(run.recorded.output == "end\n")
  }

  /// A program that reads all signals itself finds none of the recorder's. Neither a small stack for signals nor a
  /// filter of system calls makes the recorder end the program. Descriptors have the same numbers.
  @Test(arguments: ["masked", "shallow", "filtered", "confined", "guarded", "numbers"])
  func aRestrictedProgram(name: String) throws {
    let run = try RecordedProgram(Self.programs, [name], options: ["--loops", "all", "--allow-empty"])
    let plain = try run.plain
    #expect(plain.status == 0 && plain.output == "end\n", "\(plain)")
    #expect(run.recorded.status == 0 && run.recorded.output == "end\n", "\(run.recorded)")
    let reasons = ["masked": "blocks the signal", "filtered": "filters its system calls"]
    guard let reason = reasons[name] else { return }
    let notes = try ReportedAnalysis(of: run.trace).notes
    #expect(notes.contains { $0.contains("could not be taken") && $0.contains(reason) }, "\(notes)")
  }

  /// A client that waits for one socket has no loop, nor has a thread of Dispatch in a program that contains Dispatch.
  /// By default no event loop is recorded.
  @Test(arguments: [
    ("client", ["--loops", "all"]), ("dispatch", ["--loops", "all"]), ("healthy", []),
    ("healthy", ["--loops", "foundation"]),
  ])
  func nothingIsRecorded(name: String, options: [String]) throws {
    let run = try RecordedProgram(Self.programs, [name], options: options)
    let plain = try run.plain
    #expect(plain.status == 0 && run.recorded.status == 66, "\(run.recorded)")
    #expect(run.recorded.output == plain.output)
    let recorded = options.contains("all") ? "run loop or event loop" : "run loop"
    #expect(
      run.recorded.errors.contains("nothing was recorded, no \(recorded) was seen"), "\(run.recorded.errors)")
    #expect(run.recorded.errors.contains("--loops all records event loops") == !options.contains("all"))
  }
}
