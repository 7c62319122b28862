import Foundation
import TestSupport
import Testing
import TraceFormat

/// No output of an earlier recording is lost or mistaken for a new one, and no unrelated file is changed.
@Suite struct NothingOldTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func record(_ arguments: String..., output: String = "out.rltrace") throws -> Program.Result {
    try Program.rltrace.run(["record", "-o", output] + arguments, folder: folder.path)
  }

  @Test func anEmptyRecordingKeepsTheOlderTrace() throws {
    #expect(try record("--", Program.loopPrograms.path, "timers", "5").status == 0)
    #expect(folder.names == ["out.rltrace"])
    let empty = try record("--", "/bin/true")
    #expect(empty.status == 66 && empty.errorLines.count == 1, "\(empty.errors)")
    #expect(
      empty.errors.contains("nothing was recorded")
        && empty.errors.hasSuffix("; out.rltrace of an earlier recording is unchanged\n"), "\(empty.errors)")
    #expect(folder.names == ["out.rltrace"])
    #expect(try folder.fires() == 5)
  }

  /// The recording did not begin, so the files of an earlier one stay.
  @Test(arguments: [("./nothing", 127), ("nothing-of-this-name", 127), ("./folder", 126), ("./noexec", 126)])
  func aProgramThatCannotStart(command: String, status: Int32) throws {
    #expect(try record("--", Program.loopPrograms.path, "timers", "5").status == 0)
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    try folder.file("noexec", "#!/bin/sh\n")
    try FileManager.default.copyItem(
      atPath: folder.file("out.rltrace"), toPath: folder.file("out.rltrace.begun"))
    let names = folder.names
    let result = try record("--", command)
    #expect(result.status == status && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("cannot start \(command)"), "\(result.errors)")
    #expect(
      result.errors.hasSuffix("; out.rltrace of an earlier recording is unchanged\n"), "\(result.errors)")
    #expect(folder.names == names)
    #expect(try folder.fires() == 5)
  }

  /// The status reports an empty recording, also with --quiet. --allow-empty gives status 0.
  @Test func theStatusOfAnEmptyRecording() throws {
    let quiet = try record("-q", "--", "/bin/true")
    #expect(quiet.status == 66 && quiet.errorLines.count == 1, "\(quiet.errors)")
    let allowed = try record("-q", "--allow-empty", "--", "/bin/true")
    #expect(allowed.status == 0 && allowed.errors.isEmpty, "\(allowed.errors)")
    #expect(try record("--allow-empty", "--", "/bin/true").errorLines.count == 1)
    #expect(try record("--", "/bin/sh", "-c", "exit 7").status == 7, "the program's own status comes first")
  }

  /// The snapshots and other processes of an earlier recording are kept with it, and its unfinished files are
  /// removed. Files that only look similar stay.
  @Test func filesOfAnEarlierRecording() throws {
    let spawn = try record(
      "--flight-recorder", "10", "--", "/bin/sh", "-c", "\"$0\" spawn; \"$0\" timers 5",
      Program.loopPrograms.path)
    #expect(spawn.status == 0, "\(spawn.errors)")
    let traces = folder.names
    #expect(traces.count == 3 && !traces.contains("out.rltrace"), "\(traces)")
    let one = try #require(traces.first)
    for name in ["out.rltrace", "out.rltrace.segment3", "out.rltrace.begun", "out.77.rltrace.part"] {
      try FileManager.default.copyItem(atPath: folder.file(one), toPath: folder.file(name))
    }
    // A trace that the user numbered, notes next to it, and another name.
    try FileManager.default.copyItem(atPath: folder.file(one), toPath: folder.file("out.2024.rltrace"))
    try FileManager.default.copyItem(atPath: folder.file(one), toPath: folder.file("output.rltrace"))
    try folder.file("out.rltrace.segment4", "notes")
    try folder.file("out.5.rltrace", "notes")
    #expect(try record("--", Program.loopPrograms.path, "timers", "7").status == 0)
    let kept = traces.map { "out.old1." + $0.dropFirst("out.".count) } + ["out.old1.rltrace"]
    #expect(
      folder.names.filter { !$0.hasPrefix("out.old") } == [
        "out.2024.rltrace", "out.5.rltrace", "out.rltrace", "out.rltrace.segment4", "output.rltrace",
      ])
    #expect(folder.names.filter { $0.hasPrefix("out.old") } == kept.sorted())
    #expect(try folder.fires() == 7)
  }

  /// Segments will need names. If one is taken, the recording does not begin, and no file is removed.
  @Test func aSegmentsNameIsTaken() throws {
    #expect(try record("--", Program.loopPrograms.path, "timers", "5").status == 0)
    try folder.file("out.rltrace.segment4", "notes")
    let refused = try record("--max-size", "64K", "--", "touch", "ran")
    #expect(refused.status == 73 && refused.errorLines.count == 1, "\(refused)")
    #expect(refused.errors.contains("out.rltrace.segment4, which is not a trace"), "\(refused)")
    #expect(folder.names == ["out.rltrace", "out.rltrace.segment4"])
    try folder.file("out.rltrace.segment4", "")
    let started = try record("--max-size", "64K", "--", Program.loopPrograms.path, "timers", "6")
    #expect(
      started.status == 0 && folder.names == ["out.old1.rltrace", "out.rltrace"], "\(started) \(folder.names)"
    )
    #expect(try folder.fires() == 6)
  }

  /// The name for keeping the earlier trace would be too long. This is reported before the recording begins.
  @Test func namesThatAreTooLongToKeep() throws {
    let stem = String(repeating: "n", count: 241)
    let long = stem + ".rltrace", kept = stem + ".old99.rltrace"
    #expect(try record("--", Program.loopPrograms.path, "timers", "5", output: long).status == 0)
    try FileManager.default.copyItem(atPath: folder.file(long), toPath: folder.file(kept))
    let refused = try record("--", "touch", "ran", output: long)
    #expect(refused.status == 73 && refused.errorLines.count == 1, "\(refused)")
    #expect(refused.errors.contains("would be kept under a name that is too long"), "\(refused)")
    #expect(folder.names.sorted() == [kept, long].sorted())
  }

  @Test func namesThatAreTooLong() throws {
    let long = String(repeating: "n", count: 230) + ".rltrace"
    let refused = try record("--max-size", "64K", "--", "touch", "ran", output: long)
    #expect(refused.status == 73 && refused.errorLines.count == 1, "\(refused)")
    #expect(refused.errors.contains("the names of its segments would be "), "\(refused)")
    #expect(folder.names.isEmpty)
    #expect(try record("--", Program.loopPrograms.path, "timers", "5", output: long).status == 0)
    let longer = try record("--", "touch", "ran", output: String(repeating: "n", count: 300))
    #expect(longer.status == 73 && longer.errorLines.count == 1, "\(longer)")
    #expect(folder.names == [long])
  }

  @Test func snapshotsOfAnEarlierRecording() throws {
    let hang = try record(
      "-q", "--flight-recorder", "0.5", "--on-gap", "200ms", "--", Program.loopPrograms.path, "hang", "0.8")
    #expect(hang.status == 0 && folder.names == ["out.rltrace", "out.snapshot1.rltrace"], "\(folder.names)")
    #expect(try record("--", Program.loopPrograms.path, "timers", "5").status == 0)
    #expect(folder.names == ["out.old1.rltrace", "out.old1.snapshot1.rltrace", "out.rltrace"])
  }

  /// The files of a killed recorder are not a trace yet. They are not replaced until a recovery has made them one.
  @Test func spoolAndPartOfAnEarlierRecording() throws {
    _ = try folder.shell(
      """
      "$0" record -q -o out.rltrace -- "$1" timers 100000 & recorder=$!
      seen() { od -An -tu4 -j188 -N4 out.rltrace.spool 2>/dev/null || echo 0; }
      for i in $(seq 500); do [ $(($(seen) & 4)) != 0 ] && break; sleep 0.02; done
      kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      """)
    #expect(folder.names == ["out.rltrace.part", "out.rltrace.spool"])
    let refused = try record("--", Program.loopPrograms.path, "timers", "5")
    #expect(refused.status == 73 && refused.errorLines.count == 1, "\(refused.errors)")
    #expect(refused.errors.contains("out.rltrace.spool holds an unfinished recording"))
    #expect(folder.names == ["out.rltrace.part", "out.rltrace.spool"])
    let recovered = try Program.rltrace.run(["recover", "out.rltrace.spool"], folder: folder.path)
    #expect(recovered.status == 0 && folder.names == ["out.rltrace"], "\(recovered.errors)")
    #expect(try record("--", Program.loopPrograms.path, "timers", "5").status == 0)
    #expect(try folder.fires() == 5)
  }

  /// Wrappers that start a program, or replace themselves with it.
  @Test(arguments: [
    ["timeout", "20", "$0", "timers", "6"], ["env", "X=1", "$0", "timers", "6"],
    ["sh", "-c", "echo begin; \"$0\" timers 6; echo end", "$0"], ["sh", "-c", "exec \"$0\" timers 6", "$0"],
  ])
  func theOneProgramOfAWrapper(command: [String]) throws {
    let words = command.map { $0 == "$0" ? Program.loopPrograms.path : $0 }
    let run = try Program.rltrace.run(["record", "-o", "out.rltrace", "--"] + words, folder: folder.path)
    #expect(run.status == 0 && run.errors.contains("out.rltrace\n"), "\(run.errors)")
    #expect(folder.names == ["out.rltrace"])
    #expect(try folder.fires() == 6)
  }

  @Test func twoAtOnce() throws {
    let result = try folder.shell(
      """
      "$0" record -q -o out.rltrace -- "$1" timers 300 & first=$!
      for i in $(seq 100); do [ -e out.rltrace.spool ] && break; sleep 0.02; done
      "$0" record -o out.rltrace -- "$1" timers 5 >second 2>&1; echo second $?
      "$0" record -o out.rltrace --scenario timer-starvation --virtual >third 2>&1; echo third $?
      wait $first; echo first $?
      """)
    #expect(
      result.output == "fires 300\nsecond 73\nthird 73\nfirst 0\n"
        || result.output == "second 73\nthird 73\nfires 300\nfirst 0\n", "\(result.output) \(result.errors)")
    for name in ["second", "third"] {
      let said = try String(contentsOfFile: folder.file(name), encoding: .utf8)
      #expect(
        said.split(separator: "\n").count == 1 && said.contains("another process is writing it")
          && !said.contains("kept"), "\(said)")
    }
    #expect(folder.names == ["out.rltrace", "second", "third"])
    #expect(try folder.fires() == 300)
  }

  /// The recorder was killed, and its program continues to record.
  @Test func aProgramThatStillRecords() throws {
    let result = try folder.shell(
      """
      "$0" record -q -o out.rltrace -- "$1" timers 100000 & recorder=$!
      for i in $(seq 200); do
        program=$(cat /proc/$recorder/task/$recorder/children)
        [ -n "$program" ] && grep -q out.rltrace.spool /proc/${program% }/maps && break
        sleep 0.02
      done
      sleep 0.2; kill -9 $recorder; wait $recorder
      "$0" record -o out.rltrace -- "$1" timers 5 >second 2>&1; echo $?
      kill -9 $program; while grep -q . /proc/${program% }/maps 2>/dev/null; do sleep 0.02; done
      """)
    #expect(result.output == "73\n")
    #expect(
      try String(contentsOfFile: folder.file("second"), encoding: .utf8).contains("is still recording there"))
    #expect(folder.names.contains("out.rltrace.spool"))
    #expect(try Program.rltrace.run(["recover", "out.rltrace.spool"], folder: folder.path).status == 0)
  }

  /// A file that is not a trace is not overwritten, and no link is followed: one line is printed, and the program
  /// does not start.
  @Test(arguments: [["--", "touch", "ran"], ["--scenario", "timer-starvation", "--virtual"]])
  func filesThatAreNotTraces(what: [String]) throws {
    try folder.file("notes.txt", "important")
    try folder.file("part.rltrace.part", "important")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.rltrace"), withDestinationPath: folder.file("notes.txt"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("dangling.rltrace"), withDestinationPath: folder.file("victim"))
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let before = folder.names
    for (output, why) in [
      ("notes.txt", "not a trace"), ("part.rltrace", "part.rltrace.part is not a trace"),
      ("link.rltrace", "link"),
      ("dangling.rltrace", "link"), ("folder", "folder"), ("pipe", "not a regular file"),
      ("/dev/null", "not a regular file"),
    ] {
      let run = try Program.rltrace.run(["record", "-o", output] + what, folder: folder.path)
      #expect(
        run.status == 73 && run.errorLines.count == 1 && run.errors.contains(why), "\(output): \(run.errors)")
    }
    #expect(folder.names == before)
    #expect(try String(contentsOfFile: folder.file("notes.txt"), encoding: .utf8) == "important")
    // A spool's name may also be taken. An empty file from mktemp may be replaced.
    if what.first == "--" {
      try folder.file("spool.rltrace.spool", "important")
      #expect(
        try Program.rltrace.run(["record", "-o", "spool.rltrace", "--", "true"], folder: folder.path).status
          == 73)
      #expect(try String(contentsOfFile: folder.file("spool.rltrace.spool"), encoding: .utf8) == "important")
    }
    try folder.file("empty.rltrace", "")
    let run = try Program.rltrace.run(
      ["record", "-o", "empty.rltrace", "--scenario", "timer-starvation", "--virtual"], folder: folder.path)
    #expect(run.status == 0, "\(run.errors)")
  }
}
