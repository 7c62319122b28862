import Foundation
import TestSupport
import Testing

/// The function that held the loop, and the cause, in real programs without any reference to their recording.
@Suite(.ownThread) struct StallStackTests {
  private static let causes = [
    (function: "layoutSubviews()", cause: "drawing and layout"),
    ("requestFromServer()", "synchronous network"), ("saveFile()", "disk I/O"), ("compute()", "CPU"),
    ("waitForLock()", "waiting for a lock"), ("askHelper()", "synchronous IPC"),
  ]

  @Test func causesOfASwiftProgram() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls"])
    try run.expectUnchanged()
    let stalls = try ReportedStall.all(of: run.trace)
    for (function, cause) in Self.causes {
      let found = stalls.first { $0.function?.contains(function) == true }
      let stall = try #require(found, "\(function) is not blamed: \(stalls.map(\.function))")
      #expect(stall.cause == cause, "\(function)")
      #expect(stall.sourceFile?.hasSuffix("LoopPrograms/Stalls.swift") == true)
      // The line lies inside the function.
      let begin = try ReportedStall.line(
        of: "static func \(function)", in: "Tests/Fixtures/LoopPrograms/Stalls.swift")
      #expect(
        (begin...begin + 32).contains(stall.sourceLine ?? 0),
        "\(function) begins at \(begin): \(stall.sourceLine ?? 0)")
      #expect(stall.confidence != "none" && stall.confidence != "low")
    }
    let lock = stalls.first { $0.function?.contains("waitForLock()") == true }
    #expect(lock?.owner?.stack.contains { $0.function?.contains("keepLock(") == true } == true)
    #expect(lock?.owner?.deadlock == false)
  }

  /// A library function that has no unwind table and is called through a linker stub does not hide its caller.
  @Test func aWaitWithATimeoutShowsItsCaller() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "semaphore"])
    try run.expectUnchanged()
    let stall = try #require(try ReportedStall.all(of: run.trace).first)
    #expect(stall.function?.contains("waitForSignal()") == true, "\(stall.function ?? "-")")
    #expect(stall.cause == "waiting for other threads")
  }

  /// The recorder says once that a program has no debug information, and blames its functions without lines.
  @Test func aProgramWithoutDebugInformation() throws {
    ReportedStall.unblockSignals()
    let folder = try TemporaryFolder()
    let stripped = try Program(shell: "exec objcopy --strip-debug \"$0\" plain").run(
      [Program.loopPrograms.path], folder: folder.path)
    try #require(stripped.status == 0, "\(stripped.errors)")
    let recorded = try Program.rltrace.run(
      ["record", "-o", "out.rltrace", "--", "./plain", "stalls", "semaphore"], folder: folder.path)
    let advice = recorded.errorLines.filter { $0.contains("-g") }
    #expect(
      advice.count == 1 && advice.first?.contains("plain was built without") == true, "\(recorded.errors)")
    let stall = try #require(try ReportedStall.all(of: folder.file("out.rltrace")).first)
    #expect(stall.function?.contains("waitForSignal()") == true && stall.sourceLine == nil)
  }

  /// Built without frame pointers.
  @Test func causesOfACProgram() throws {
    ReportedStall.unblockSignals()
    let folder = try TemporaryFolder()
    let source = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/PlainCStalls/main.c").path
    let built = try Program(
      shell: """
        swift=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift
        exec clang -O2 -g -fblocks -fomit-frame-pointer -I"$swift" "$0" -o plain -L"$swift/linux" -lFoundation \
          -ldispatch -lBlocksRuntime -Wl,-rpath,"$swift/linux"
        """
    ).run([source], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try RecordedProgram(Program(path: folder.file("plain")))
    try run.expectUnchanged()
    let stalls = try ReportedStall.all(of: run.trace)
    for (function, cause) in [
      ("compute", "CPU"), ("save_file", "disk I/O"), ("wait_for_lock", "waiting for a lock"),
      ("ask_helper", "synchronous IPC"),
    ] {
      let stall = try #require(stalls.first { $0.function == function }, "\(stalls.map(\.function))")
      #expect(stall.cause == cause, "\(function)")
      #expect(stall.sourceFile?.hasSuffix("PlainCStalls/main.c") == true)
      let begin = try ReportedStall.line(
        of: "static void \(function)(void) {", in: "Tests/Fixtures/PlainCStalls/main.c")
      #expect(
        (begin...begin + 14).contains(stall.sourceLine ?? 0),
        "\(function) begins at \(begin): \(stall.sourceLine ?? 0)")
    }
  }

  /// The program is killed during the deadlock. The trace contains the samples until then.
  @Test func deadlock() throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "--duration", "2s", "--stop", "--", Program.loopPrograms.path,
        "stalls", "deadlock",
      ], folder: folder.path)
    #expect(run.errors.contains("was killed") || run.errors.isEmpty)
    let stall = try #require(try ReportedStall.all(of: folder.file("out.rltrace")).first)
    #expect(stall.function?.contains("takeTwoLocks()") == true)
    #expect(stall.cause == "waiting for a lock")
    #expect(stall.owner?.deadlock == true)
    #expect(stall.owner?.stack.contains { $0.function?.contains("takeThemTheOtherWay(") == true } == true)
    // The finding and both stacks show the pair of threads.
    let text = try Program.rltrace.run(["analyze", folder.file("out.rltrace")]).output
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      words.contains("The thread waits for a lock that thread")
        && words.contains("for a lock that this one holds, which is a deadlock"))
    let pair = try #require(text.range(of: "wait for each other: a deadlock"), "\(text)")
    for function in ["takeTwoLocks()", "takeThemTheOtherWay("] {
      #expect(text[pair.upperBound...].contains(function), "\(text)")
    }
    let holds = try ReportedStall.line(
      of: "static func takeThemTheOtherWay", in: "Tests/Fixtures/LoopPrograms/Stalls.swift")
    #expect(
      stall.owner?.function?.contains("takeThemTheOtherWay(") == true && stall.owner?.sourceLine == holds + 4)
  }

  /// The owner of a queue is the thread that runs its blocks.
  @Test func queueThatIsBusy() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "queue"])
    try run.expectUnchanged()
    let stall = try #require(try ReportedStall.all(of: run.trace).max { $0.samples < $1.samples })
    #expect(stall.function?.contains("waitForQueue()") == true)
    #expect(stall.cause == "waiting for a dispatch queue")
    #expect(stall.owner?.deadlock == false)
    #expect(stall.owner?.function?.contains("sendLetters(") == true)
    let findings = try ReportedAnalysis(of: run.trace).findings
    #expect(
      findings.contains {
        $0.text.contains("The queue was busy with ") && $0.text.contains("sendLetters(")
      }, "\(findings)")
  }

  /// A thread copies its own stack for a sample and goes on, even if others are sampled at the same time.
  @Test func loopsThatStallAtOnce() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "1.5", "at-once"])
    try run.expectUnchanged()
    #expect(run.recorded.output == "no thread waited\nat-once\n")
    let stalls = try ReportedStall.all(of: run.trace)
    #expect(stalls.count >= 3 && stalls.allSatisfy { $0.samples > 0 }, "\(stalls.map(\.samples))")
  }

  /// Blocks of 20 ms that run one after another are sampled like one long callout. Their work is in two functions of
  /// about equal weight, so the finding names their caller as well.
  @Test func shortCalloutsWithoutAWaitBetweenThem() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "1.2", "burst"])
    try run.expectUnchanged()
    let stall = try #require(try ReportedStall.all(of: run.trace).max { $0.samples < $1.samples })
    #expect(stall.samples >= 5)
    let names = stall.functions.map { $0.function ?? "" }
    #expect(
      names.contains { $0.contains("parse(until:)") } && names.contains { $0.contains("store(until:)") })
    let findings = try ReportedAnalysis(of: run.trace).findings
    let hang = try #require(findings.first { $0.rule == "RL002" })
    #expect(
      hang.text.contains("importOne()") || hang.text.contains("parse(until:)")
        || hang.text.contains("store(until:)"), "\(hang.text)")
  }

  /// A timer that runs the loop in its callout does not fire meanwhile. The finding names the function that ran it.
  @Test func aCalloutThatRunsTheLoop() throws {
    let run = try RecordedProgram(Program.loopPrograms, ["nested"])
    let findings = try ReportedAnalysis(of: run.trace).findings
    for rule in ["RL006", "RL012"] {
      let finding = try #require(findings.first { $0.rule == rule }, "\(findings)")
      #expect(finding.text.contains("ran nested loops"))
      #expect(
        finding.places.contains { $0.role == "runner" && $0.function.contains("waitForReply()") },
        "\(finding.places)")
    }
  }

  /// A thread that runs a queue's block does not wait for that queue, so it is not in a deadlock with itself.
  @Test func waitInsideAQueue() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "inside-queue"])
    try run.expectUnchanged()
    let stall = try #require(try ReportedStall.all(of: run.trace).max { $0.samples < $1.samples })
    #expect(stall.function?.contains("waitForOwnCondition()") == true)
    #expect(stall.owner == nil)
    let findings = try ReportedAnalysis(of: run.trace).findings
    #expect(!findings.contains { $0.text.contains("deadlock") }, "\(findings)")
  }

  /// The output reports why the trace has no samples.
  @Test(arguments: [("deaf", "blocks the signal"), ("handler", "handles the signal itself")])
  func samplesThatTheProgramMadeImpossible(stall: String, why: String) throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", stall])
    try run.expectUnchanged()
    let notes = try ReportedAnalysis(of: run.trace).notes
    let note = notes.first { $0.contains("could not be taken") }
    #expect(try #require(note, "\(notes)").contains(why))
  }

  @Test func causesOfOneStallDiffer() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "mixed"])
    try run.expectUnchanged()
    let stall = try #require(try ReportedStall.all(of: run.trace).max { $0.samples < $1.samples })
    #expect(stall.cause == "waiting for a lock")
    #expect(stall.causes.map(\.cause) == ["waiting for a lock", "CPU"])
    #expect(stall.causes.allSatisfy { $0.durationNs > 250_000_000 })
  }

  /// After a sleep of 1.35 s, with one stack, the last half second of the stall has samples as well.
  @Test func theEndOfALongStallIsSampled() throws {
    ReportedStall.unblockSignals()
    let run = try RecordedProgram(Program.loopPrograms, ["stalls", "end"])
    try run.expectUnchanged()
    let stall = try #require(try ReportedStall.all(of: run.trace).max { $0.samples < $1.samples })
    #expect(stall.causes.map(\.cause) == ["sleeping", "CPU"])
  }

  private static let profile = """
    profile: tight
    limit: 950ms
    list from: 100ms
    watchdog: true
    """

  /// The spool has the stack from the moment when the program was killed.
  @Test func aProgramThatIsKilledAtItsLimit() throws {
    ReportedStall.unblockSignals()
    let folder = try TemporaryFolder()
    try Self.profile.write(toFile: folder.file("tight.yaml"), atomically: true, encoding: .utf8)
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "--profile", "tight.yaml", "--", Program.loopPrograms.path,
        "stalls", "watchdog",
      ], folder: folder.path)
    #expect(run.status == 137, "\(run.errors)")
    let found = try ReportedAnalysis(
      of: folder.file("out.rltrace"), ["--profile", folder.file("tight.yaml")])
    let atLimit = try #require(found.stalls.first?.atLimit)
    #expect(atLimit.afterNs >= 800_000_000, "\(atLimit.afterNs)")
    #expect(atLimit.cause == "CPU")
    #expect(atLimit.function?.contains("compute()") == true)
    let finding = try #require(found.findings.first { $0.rule == "RL003" })
    #expect(finding.text.contains("At the limit the thread was in"), "\(finding.text)")
  }

  /// The limit is that of the phase that the program reports.
  @Test func eachPhaseHasALimitOfItsOwn() throws {
    ReportedStall.unblockSignals()
    let folder = try TemporaryFolder()
    try """
    profile: phases
    limit: 10s
    list from: 100ms
    watchdog: true
    limits: {launching: 400ms}
    """.write(toFile: folder.file("phases.yaml"), atomically: true, encoding: .utf8)
    try """
    scenario: two-phases
    about: Work of 700 ms while it launches, and while it is active.
    expect: [a gap over the limit and one below it]
    thread:
      - phase: launching
      - main: [cpu: 700ms]
      - run: {for: 800ms}
      - phase: active
      - main: [cpu: 700ms]
      - run: {for: 800ms}
    """.write(toFile: folder.file("two-phases.yaml"), atomically: true, encoding: .utf8)
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "--scenario", "./two-phases.yaml", "--profile", "./phases.yaml",
      ], folder: folder.path)
    #expect(run.status == 0, "\(run.errors)")
    let found = try ReportedAnalysis(
      of: folder.file("out.rltrace"), ["--profile", folder.file("phases.yaml")])
    let limits = found.stalls.filter { $0.samples > 0 }.compactMap(\.atLimit)
    #expect(limits.count == 1)
    #expect(try #require(limits.first).afterNs >= 300_000_000, "\(limits)")
  }
}
