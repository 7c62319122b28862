import Foundation
import TestSupport
import Testing
import TraceFormat

/// `rltrace record -- COMMAND` with programs that do not refer to rltrace.
@Suite(.ownThread) struct RecordProgramTests {
  private func recorded(_ arguments: String..., options: [String] = []) throws -> RecordedProgram {
    try RecordedProgram(.loopPrograms, arguments, options: options)
  }

  /// XCTest runs the main loop while it waits for expectations.
  @Test func aTestBundle() throws {
    let run = try RecordedProgram(
      Program("rltracePackageTests.xctest"), ["WaitingTests.WaitingTests"], options: ["--thread", "main"])
    #expect(try run.recorded.status == 0 && run.plain.status == 0, "\(run.recorded.errors)")
    #expect(run.recorded.output.contains("Executed 2 tests, with 0 failures"))
    let events = try run.events()
    #expect(
      events.contains { $0.kind == .timerBegin && $0.name.contains("WaitingTests.testWaitsForATimer()") })
    #expect(events.contains { $0.kind == .mainQueueBlockBegin })
    #expect(events.contains { $0.kind == .runBegin })
  }

  /// Every fire is in the trace exactly once, at the due point that the program itself sees.
  @Test func everyFireWithItsDuePoint() throws {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run(
      [
        "record", "-q", "-o", "log.rltrace", "--time-unit", "1ns", "--", Program.loopPrograms.path, "log",
        "10000",
      ],
      folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let logged = result.output.split(separator: "\n").compactMap { Int($0) }
    let reader = try openTrace(path: folder.file("log.rltrace"))
    let origin = try #require(reader.syncPoints.first)
    let events = try reader.allEvents().flatMap { $0 }
    let dues = events.filter { $0.kind == EventKind.timerDue.rawValue }
      .map { Int(origin.monotonicNs) + Int(Int64(bitPattern: $0.arguments[0])) - Int(origin.time) }
    #expect(events.count { $0.kind == EventKind.timerBegin.rawValue } == 10_000)
    #expect(events.count { $0.kind == EventKind.timerEnd.rawValue } == 10_000)
    try #require(logged.count == 10_000 && dues.count == 10_000)
    // The points lie on one grid, and none occurs twice. Trace time follows the cycle counter, so they are a few
    // nanoseconds off.
    #expect(
      zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 > 200_000 && ($1 - $0 + 1000) % 250_000 < 2000 })
    // The program gets its due point as a wall-clock date, which CoreFoundation derives from two clocks. It is about
    // a microsecond off, or more if the thread is preempted between the two readings.
    let differences = zip(logged, dues).map { abs($0 - $1) }.sorted()
    #expect(differences[9900] < 20_000, "\(differences[5000]), \(differences[9900]), \(differences[9999]) ns")
    #expect(events.allSatisfy { $0.kind != EventKind.lostEvents.rawValue })
  }

  @Test(arguments: ["timers", "modes", "threads", "blocks", "stress", "names"])
  func outputAndStatusStayTheSame(program: String) throws {
    let run = try recorded(program)
    try run.expectUnchanged()
    #expect(run.folder.names == ["out.rltrace"])
    let events = try run.events()
    #expect(events.contains { $0.kind == .entryLow })
    // On each thread, every begin has its end, innermost first.
    let begins = events.count { $0.kind.isCalloutBegin }
    let ends = events.count { $0.kind.isCalloutEnd }
    #expect(begins == ends && begins > 0)
  }

  @Test func newModesAreSeenFromTheirEntryOn() throws {
    let run = try recorded("modes")
    // Snapshots of the loop also contain its modes.
    let nested = try run.events().filter { $0.mode == "a brand new mode" && $0.kind < .topologyBegin }
    #expect(nested.map(\.kind).prefix(2) == [.runBegin, .entryLow])
    #expect(nested.contains { $0.kind == .timerBegin })
    #expect(nested.last?.kind == .runEnd)
  }

  @Test func namesOfClosuresAndSites() throws {
    let run = try recorded("names")
    let begun = Set(try run.events().filter { $0.kind == .timerBegin }.map(\.name))
    #expect(begun.contains("closure #1 in LoopPrograms.Model.start()"))
    #expect(begun.contains { $0.contains("LoopPrograms.Model.startMethod()") })
    let dump = try Program.rltrace.run(["dump", run.trace])
    #expect(dump.output.contains("\"LoopPrograms.Model.start() (loop-programs+0x"))
  }

  /// Drains of the main queue differ from its blocks.
  @Test func blocksAndTheMainQueue() throws {
    let run = try recorded("blocks")
    try run.expectUnchanged()
    let events = try run.events()
    #expect(events.count { $0.kind == .blockBegin } == 2)
    #expect(events.count { $0.kind == .mainQueueBlockBegin } == 3)
    #expect(events.count { $0.kind == .mainQueueDrainBegin } >= 2)
    // For dispatch_after, the recording has the time from which the block may run: 20 ms after the program read the
    // clock. For blocks of a loop, the modes follow that argument.
    let delayed = events.filter { $0.kind == .blockCreate && $0.arguments.count == 3 }
    #expect(delayed.count == 1)
    let created = try #require(delayed.first)
    let unit = try openTrace(path: run.trace).header.timeUnit
    let delay = Int64(created.arguments[2]) - Int64(created.time)
    #expect(delay > 0 && UInt64(delay) * unit.nanoseconds <= 20_010_000)
    let begin = try #require(events.first { $0.kind == .mainQueueBlockBegin && $0.object == created.object })
    #expect(begin.time >= created.arguments[2])
  }

  @Test func loopsOfThreads() throws {
    let run = try recorded("threads")
    let events = try run.events()
    // Another thread may use a loop before its own thread runs it. The loop gets its name when its own thread runs it.
    let named = events.filter { $0.kind == .loopCreate }.map { ($0.object, $0.name) }
    let loops = Dictionary(named) { $1 }.values.sorted()
    #expect(loops == (0..<4).map { "loop of worker \($0)" })
    #expect(events.count { $0.kind == .timerBegin } == 20)
    let reader = try openTrace(path: run.trace)
    #expect(reader.threads.values.count { $0.osThread != 0 } <= 5, "a thread has one ring, to its very end")
    let main = try RecordedProgram(
      .loopPrograms, ["threads"], options: ["--thread", "main", "--allow-empty"])
    try main.expectUnchanged()
    #expect(main.folder.names.isEmpty, "no loop ran on the main thread")
  }

  /// Children with loops have their own traces, after fork and after exec.
  @Test(arguments: [("spawn", 7), ("fork", 4)])
  func children(program: String, fires: Int) throws {
    let run = try recorded(program)
    try run.expectUnchanged()
    let child = try #require(run.folder.names.first { $0 != "out.rltrace" })
    #expect(run.folder.names.count == 2)
    #expect(child.wholeMatch(of: /out\.\d+\.rltrace/) != nil)
    #expect(try run.events(child).count { $0.kind == .timerBegin } == fires)
    #expect(try run.events().contains { $0.kind == .timerBegin })
    let alone = try recorded(program, options: ["--no-children"])
    try alone.expectUnchanged()
    #expect(alone.folder.names == ["out.rltrace"])
  }

  @Test func aProgramThatAborts() throws {
    let run = try recorded("abort")
    #expect(run.recorded.status == 128 + SIGABRT)
    #expect(try run.events().last { $0.kind == .timerBegin } != nil, "the callout that aborted is there")
    #expect(run.folder.names == ["out.rltrace"])
  }

  /// Programs without run loops are not harmed, and the message explains why there is no trace.
  @Test(arguments: [
    (["/bin/sh", "-c", "echo out; echo err >&2; exit 7"], "does not use CFRunLoop"),
    (["/bin/true"], "does not use CFRunLoop"), (["sh", "-c", "kill -9 $$"], "was killed by signal 9"),
    ([Program.loopPrograms.path, "empty"], "ran no CFRunLoop"),
    ([Program.queuePrograms.path, "idle"], "nothing ran on its main queue"),
  ])
  func programsWithoutLoops(command: [String], reason: String) throws {
    let folder = try TemporaryFolder()
    let plain = try Program(shell: "\"$0\" \"$@\"; exit $?").run(command, folder: folder.path)
    let run = try Program.rltrace.run(["record", "--"] + command, folder: folder.path)
    #expect(run.status == (plain.status == 0 ? 66 : plain.status))
    #expect(run.output == plain.output)
    let line = try #require(run.errorLines.last)
    #expect(
      line.hasPrefix("rltrace: nothing was recorded, no run loop was seen: ") && line.contains(reason),
      "\(line)")
    #expect(folder.names.isEmpty)
  }

  /// The kernel kills the program during exec, before any library is loaded.
  @Test func aProgramThatIsKilledBeforeItBegins() throws {
    let folder = try TemporaryFolder()
    let script = """
      import struct
      file = bytearray(open('/bin/true', 'rb').read())
      offset, (size, count) = struct.unpack_from('<Q', file, 32)[0], struct.unpack_from('<HH', file, 54)
      for at in range(offset, offset + size * count, size):
          if struct.unpack_from('<I', file, at)[0] == 1: struct.pack_into('<Q', file, at + 40, 1 << 62)
      open('large', 'wb').write(file)
      """
    let plain = try Program(shell: "python3 -c \"$0\" && chmod 755 large || exit 99; ./large; exit $?").run(
      [script], folder: folder.path)
    // Other kernels may refuse to execute the file.
    guard plain.status > 128 else { return }
    let run = try Program.rltrace.run(["record", "--", "./large"], folder: folder.path)
    #expect(run.status == plain.status && run.errorLines.count == 1, "\(run)")
    #expect(
      run.errors.contains("./large was killed by signal \(plain.status - 128) before it ran one"), "\(run)")
  }

  /// Arguments, variables and the names of the program and the folder need not be UTF-8.
  @Test func bytesThatAreNotText() throws {
    let folder = try TemporaryFolder()
    let result = try folder.shell(
      """
      mkdir $'caf\\xe9' && cd $'caf\\xe9' && ln -s "$1" $'l\\xfcp' || exit 99
      export VALUE=$'v\\xe9' PATH=$PATH:$PWD
      run=(sh -c 'printf "%s|" "$VALUE" "$@" | od -An -tx1; exec "$0" timers 5' $'l\\xfcp' $'a\\xe9' -- $'\\xff')
      "${run[@]}" >plain
      "$0" record -q -o t.rltrace -- "${run[@]}" >recorded || exit
      "$0" record -q -o u.rltrace $'l\\xfcp' timers 5 || exit
      "$0" record -q -o v.rltrace sh -c '"$0" timers 5; exit 0' $'l\\xfcp' || exit
      cat plain && cmp plain recorded && ls *.rltrace* && "$0" record -o $'\\xe9.rltrace' touch ran
      """)
    #expect(
      result.output == "fires 5\nfires 5\n 76 e9 7c 61 e9 7c 2d 2d 7c ff 7c\nfires 5\n"
        + "t.rltrace\nu.rltrace\nv.rltrace\n", "\(result)")
    // The name of a trace must be UTF-8.
    #expect(
      result.status == 64 && result.errors.hasSuffix("\u{FFFD}.rltrace is not UTF-8; choose another name\n"),
      "\(result)")
  }

  /// The environment of the program and of its children is the same as without the recorder.
  @Test(arguments: ["/no/such/library.so", ""]) func environment(preloaded: String) throws {
    let folder = try TemporaryFolder()
    let result = try Program(
      shell: """
        echo "env | grep -v '^_='; sh -c 'env | grep -v \"^_=\"'" >program
        export LD_PRELOAD=\(preloaded) SOME=thing
        sh program 2>/dev/null >plain; "$0" record -q --allow-empty -- sh program 2>/dev/null >recorded
        cmp plain recorded && grep -q LD_PRELOAD plain && wc -l <plain
        """
    ).run([Program.rltrace.path], folder: folder.path)
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    #expect((Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 4)
  }

  @Test(arguments: [(SIGINT, Int32(33)), (SIGTERM, Int32(44))])
  func signalsGoToTheProgram(signal: Int32, status: Int32) throws {
    let folder = try TemporaryFolder()
    let run = try folder.shell(
      """
      "$0" record -q -o cut.rltrace -- "$1" interrupt >ready & recorder=$!
      for i in $(seq 100); do grep -q ready ready && break; sleep 0.05; done; sleep 0.1
      kill -\(signal) $recorder; wait $recorder
      """)
    #expect(run.status == status, "\(run.errors)")
    #expect(folder.names == ["cut.rltrace", "ready"])
    #expect(try Program.rltrace.run(["info", folder.file("cut.rltrace")]).output.contains("clean"))
  }

  /// The recorder also passes on signals that would terminate it.
  @Test func furtherSignalsGoToTheProgram() throws {
    let folder = try TemporaryFolder()
    let names = ["ALRM", "VTALRM", "PROF", "IO", "PWR", "XCPU", "RTMIN", "RTMAX"]
    let run = try Program(
      shell: """
        cat >program <<'END'
        for name in \(names.joined(separator: " ")); do trap "echo $name" $name; done; echo ready
        for i in $(seq 300); do [ $(wc -l <said) -gt \(names.count) ] && exit 5; sleep 0.01; done
        END
        said() { for i in $(seq 100); do grep -q "^$1$" said && return; sleep 0.01; done; }
        "$0" record -q --allow-empty -- bash program >said & recorder=$!
        said ready
        for name in \(names.joined(separator: " ")); do kill -$name $recorder; said $name; done
        wait $recorder; echo status $?; cat said
        """
    ).run([Program.rltrace.path], folder: folder.path)
    #expect(run.output == (["status 5", "ready"] + names).joined(separator: "\n") + "\n", "\(run)")
  }

  /// The recorder passes on the signal of a timer that was set before it started. Without the recorder, the program
  /// would get that signal.
  @Test func aTimerThatIsInherited() throws {
    let folder = try TemporaryFolder()
    let script = """
      import os, signal, sys
      signal.setitimer(signal.ITIMER_REAL, 0.6)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let run = try Program(path: "/usr/bin/env").run(
      [
        "python3", "-c", script, Program.rltrace.path, "record", "-q", "--allow-empty", "--", "bash", "-c",
        "trap 'echo rang; exit 3' ALRM; for i in $(seq 200); do sleep 0.01; done",
      ], folder: folder.path)
    #expect(run.status == 3 && run.output == "rang\n", "\(run)")
  }

  /// A stop from the terminal stops the recorder with the program, and both continue together. Here the program stops
  /// itself, in its own process group as a shell's job.
  @Test func jobControl() throws {
    let folder = try TemporaryFolder()
    let script = """
      import os, signal, sys, time
      child = os.fork()
      if child == 0:
          os.setpgid(0, 0)
          os.execv(sys.argv[1], [sys.argv[1], "record", "-q", "-o", "job.rltrace", "--", sys.argv[2], "stop"])
      _, status = os.waitpid(child, os.WUNTRACED)
      print("stopped by", os.WSTOPSIG(status) if os.WIFSTOPPED(status) else None, flush=True)
      os.killpg(child, signal.SIGCONT)
      _, status = os.waitpid(child, 0)
      print("status", os.waitstatus_to_exitcode(status))
      """
    let result = try Program(path: "/usr/bin/env").run(
      ["python3", "-c", script, Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
    #expect(result.output == "stopped by \(SIGTSTP)\ncontinued\nstatus 0\n", "\(result.errors)")
    #expect(folder.names == ["job.rltrace"])
  }

  @Test func aStaticProgram() throws {
    let folder = try TemporaryFolder()
    let built = try Program(
      shell: "echo 'int main(void) { return 5; }' >s.c && clang -static s.c -o static && rm s.c"
    ).run([], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try Program.rltrace.run(["record", "--", "./static"], folder: folder.path)
    #expect(run.status == 5)
    // The message comes before the program starts.
    #expect(run.errorLines.count == 2, "\(run.errors)")
    #expect(run.errorLines.first?.contains("statically linked") == true, "\(run.errors)")
    #expect(folder.names == ["static"])
  }

  /// Only root can give a file to another user.
  @Test(.enabled(if: getuid() == 0))
  func aProgramWithElevatedPrivileges() throws {
    let folder = try TemporaryFolder()
    let made = try Program(shell: "cp /bin/true other && chown 1 other && chmod 4755 other").run(
      [], folder: folder.path)
    try #require(made.status == 0, "\(made.errors)")
    let run = try Program.rltrace.run(["record", "--", "./other"], folder: folder.path)
    #expect(run.status == 66)
    #expect(run.errorLines.first?.contains("with elevated privileges") == true, "\(run.errors)")
  }

  /// The recording ends, and the program continues.
  @Test func duration() throws {
    let run = try recorded("timers", "600", options: ["--duration", "200ms"])
    try run.expectUnchanged()
    let fires = try run.events().count { $0.kind == .timerBegin }
    #expect(fires > 0 && fires < 600)
  }

  @Test func activitiesAlone() throws {
    let run = try recorded("timers", options: ["--level", "activities"])
    try run.expectUnchanged()
    let events = try run.events()
    #expect(events.contains { $0.kind == .afterWaitingLow })
    #expect(!events.contains { $0.kind == .timerBegin || $0.kind == .timerCreate })
    #expect(try Program.rltrace.run(["info", run.trace]).output.contains("activities"))
  }

  @Test(arguments: [("no-such-program", Int32(127)), ("/etc/passwd", 126), ("/no/such/folder/program", 127)])
  func programsThatCannotStart(command: String, status: Int32) throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(["record", "--", command], folder: folder.path)
    #expect(run.status == status)
    #expect(run.errorLines.count == 1 && run.errors.contains(command))
    #expect(folder.names.isEmpty)
  }

  @Test func outputThatCannotBeWritten() throws {
    let run = try Program.rltrace.run(
      ["record", "-o", "/no/such/folder/out.rltrace", "--", Program.loopPrograms.path, "timers"])
    #expect(run.status == 73 && run.output.isEmpty, "the program does not start")
  }

  /// LD_PRELOAD cannot contain names with spaces or colons, so the recorder uses a link.
  @Test func libraryWithASpaceInItsPath() throws {
    let folder = try TemporaryFolder()
    let library = folder.file("a b:c.so")
    let built = URL(fileURLWithPath: Program.rltrace.path).deletingLastPathComponent()
      .appendingPathComponent("librltrace-preload.so")
    try FileManager.default.copyItem(at: built, to: URL(fileURLWithPath: library))
    let run = try Program.rltrace.run(
      ["record", "-q", "-o", "out.rltrace", "--", Program.loopPrograms.path, "timers", "5"],
      environment: ["RLTRACE_PRELOAD": library], folder: folder.path)
    #expect(run.status == 0 && folder.names.contains("out.rltrace"), "\(run.errors)")
  }
}
