import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Processes that a recorded program starts, and how they end.
@Suite(.ownThread) struct ProcessTests {
  private func open(_ folder: TemporaryFolder, _ name: String) throws -> TraceReader {
    let reader = try openTrace(path: folder.file(name))
    #expect(reader.isClean)
    return reader
  }

  /// The parent's observers are already on the child's loop.
  @Test func aChildForkedAfterItsParentRanALoop() throws {
    let run = try RecordedProgram(.loopPrograms, ["forkafter"])
    try run.expectUnchanged()
    #expect(run.recorded.output == "parent 3 child 4\n")
    let child = try #require(run.folder.names.first { $0 != "out.rltrace" })
    #expect(run.folder.names.count == 2)
    let events = try run.events(child)
    #expect(events.count { $0.kind == .blockBegin } == 4 && events.count { $0.kind == .entryLow } == 4)
  }

  /// A recorder inside a recording records its own program. Other children stay in the outer recording.
  @Test func aRecordingInsideARecording() throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "outer.rltrace", "--", "sh", "-c",
        "\"$0\" record -q -o inner.rltrace -- \"$1\" timers 7 && exec \"$1\" timers 3", Program.rltrace.path,
        Program.loopPrograms.path,
      ], folder: folder.path)
    #expect(run.status == 0, "\(run)")
    #expect(try folder.fires("inner.rltrace") == 7)
    #expect(try folder.fires("outer.rltrace") == 3)
  }

  /// Shells and other programs start children with vfork. A hundred in a row are all recorded.
  @Test(arguments: ["sh", "python3"])
  func manyChildren(starter: String) throws {
    guard try Program(shell: "command -v \(starter)").run([]).status == 0 else { return }
    let folder = try TemporaryFolder()
    let script =
      starter == "sh"
      ? "i=0; while [ $i -lt 40 ]; do \"$0\" timers 2 >/dev/null; i=$((i+1)); done"
      : "import subprocess, sys\nfor i in range(40): subprocess.run([sys.argv[1], 'timers', '2'], stdout=subprocess.DEVNULL)"
    let run = try Program.rltrace.run(
      ["record", "-q", "-o", "out.rltrace", starter, "-c", script, Program.loopPrograms.path],
      folder: folder.path)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(folder.names.count == 40, "\(folder.names.count) traces")
    for name in folder.names { #expect(try folder.fires(name) == 2, "\(name)") }
  }

  /// Processes without room for the recorder's variables are counted and reported.
  @Test func unrecordedProcessesAreReported() throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      [
        "record", "-o", "out.rltrace", "bash", "-c",
        "for i in $(seq 7000); do export V$i=; done; \"$0\" timers 2; exit 0", Program.loopPrograms.path,
      ], folder: folder.path)
    #expect(run.errors.contains("1 further process was not recorded"), "\(run.errors)")
    #expect(run.status == 66)
  }

  /// GCC's address sanitizer and musl's loader end a program that loads the recorder's library. Such a child runs
  /// without it, however it is started.
  @Test(arguments: [
    ("", "alone 0"), ("-Wl,--no-as-needed ./libasan.so.8 -Wl,-rpath,$PWD", "alone 1"),
    ("-Wl,--dynamic-linker=$PWD/ld-musl-own.so.1", "alone 1"),
  ])
  func aChildThatRefusesTheLibrary(flags: String, output: String) throws {
    let folder = try TemporaryFolder()
    let program = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      int main(void) { printf("alone %d\\n", dlsym(RTLD_DEFAULT, "rltrace_state") == NULL); return 0; }
      """
    try program.write(toFile: folder.file("main.c"), atomically: true, encoding: .utf8)
    let built = try Program(
      shell: """
        ln -s "$(readelf -l /bin/sh | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p')" ld-musl-own.so.1
        clang -shared -fPIC -x c /dev/null -Wl,-soname,libasan.so.8 -o libasan.so.8
        clang -o child main.c \(flags) -ldl
        """
    ).run([], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try Program.rltrace.run(
      [
        "record", "--allow-empty", "-o", "out.rltrace", "--", "bash", "-c",
        "./child; env PATH=\"$PWD\" /usr/bin/env child; exec ./child",
      ], folder: folder.path)
    #expect(run.status == 0 && run.output == "\(output)\n\(output)\n\(output)\n", "\(run)")
    let isSaid = run.errors.contains(
      "3 further processes were not recorded; the last one: it is a program for musl")
    #expect(isSaid == (output == "alone 1"), "\(run.errors)")
  }

  /// A child's trace lasts as long as the child, not as the recording. Nothing is suspended or pending after its end.
  @Test(arguments: ["timers 20", "forkafter", "abort"])
  func aTraceEndsWithItsProcess(program: String) throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "bash", "-c", "\"$0\" \(program); sleep 0.7; \"$0\" timers 3",
        Program.loopPrograms.path,
      ], folder: folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(folder.names.count >= 2)
    for name in folder.names {
      let reader = try open(folder, name)
      let last = try #require(try reader.allEvents().flatMap { $0 }.map(\.time).max())
      let behind = (reader.lastTime - min(last, reader.lastTime)) * reader.header.timeUnit.nanoseconds
      #expect(behind < 400_000_000, "\(name): \(behind) ns behind the last event")
      let analysis = try TraceAnalyzer(reader).analyze()
      #expect(analysis.trace.suspendedNs == 0)
    }
  }

  /// In its own PID namespace, a process has a different ID from the one that the recorder sees. Its trace must not be
  /// cut short.
  @Test func aProcessInItsOwnPIDNamespace() throws {
    guard try Program(shell: "unshare -pf true 2>/dev/null").run([]).status == 0 else { return }
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      ["record", "-q", "-o", "out.rltrace", "unshare", "-pf", "sh", "-c", "\"$0\" timers 300; exit 0"]
        + [Program.loopPrograms.path], folder: folder.path)
    #expect(run.status == 0 && run.output == "fires 300\n", "\(run.errors)")
    #expect(folder.names == ["out.rltrace"])
    #expect(try folder.fires("out.rltrace") == 300)
  }

  /// The message contains only known facts.
  @Test(arguments: [
    ([], ["exitnow"]), ([], ["sleep", "0.05"]),
    // The use of a queue begins the recording.
    (["--queues", "all"], ["free"]),
  ])
  func foundationWithoutALoop(options: [String], program: [String]) throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      ["record"] + options + [Program.loopPrograms.path] + program, folder: folder.path)
    #expect(run.status == 66, "\(run)")
    #expect(run.errors.contains("loaded Foundation but ran no CFRunLoop"), "\(run.errors)")
    #expect(run.errorLines.count == 1, "\(run.errors)")
  }

  @Test func stillRunningOrKilled() throws {
    let folder = try TemporaryFolder()
    let running = try Program.rltrace.run(
      ["record", "--duration", "100ms", Program.loopPrograms.path, "sleep", "0.5"], folder: folder.path)
    #expect(running.errors.contains("the recording ended first"), "\(running.errors)")
    #expect(running.errors.contains("has loaded Foundation") && !running.errors.contains("does not use"))
    let killed = try Program.rltrace.run(["record", "sh", "-c", "kill -9 $$"], folder: folder.path)
    #expect(killed.errors.contains("was killed by signal 9") && !killed.errors.contains("does not use"))
  }

  /// A program that only runs a mode without items did run a loop, and gets a report.
  @Test func runsOfAnEmptyMode() throws {
    let run = try RecordedProgram(.loopPrograms, ["spin", "5000"])
    try run.expectUnchanged()
    let report = try Program.rltrace.run(["analyze", run.trace, "--brief"]).output
    #expect(report.contains("RL029") && report.contains("\"nothing here\""), "\(report)")
  }

  /// The message comes early, not only after the recording.
  @Test func aMissingLoopIsReportedEarly() throws {
    let folder = try TemporaryFolder()
    let run = try Program.rltrace.run(
      ["record", Program.loopPrograms.path, "sleep", "3.4"], folder: folder.path)
    #expect(run.errorLines.first?.contains("no run loop ran yet") == true, "\(run.errors)")
    #expect(run.errorLines.count == 2)
  }
}
