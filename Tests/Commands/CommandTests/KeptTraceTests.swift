import Foundation
import TestSupport
import Testing
import TraceFormat

/// Record, change, record, compare. The earlier trace is kept, `compare` finds it, and it is not mistaken for the new
/// one.
@Suite(.ownThread) struct KeptTraceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rltrace(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(arguments, folder: folder.path)
  }

  /// Runs a shell script in which $0 is rltrace and $1 is the program with loops.
  private func shell(_ script: String) throws -> Program.Result {
    try folder.shell(script, SampleTraces.virtual("modes"))
  }

  private func record(fires: Int, to name: String = "app.rltrace", _ options: String...) throws
    -> Program.Result
  {
    let run = try Program.rltrace.run(
      ["record", "-o", name] + options + ["--", Program.loopPrograms.path, "timers", "\(fires)"],
      folder: folder.path)
    try #require(run.status == 0, "\(run)")
    return run
  }

  @Test func oneRecordingAfterAnother() throws {
    let first = try record(fires: 5)
    #expect(first.errorLines.last == "rltrace: next: rltrace analyze app.rltrace", "\(first.errors)")
    #expect(!first.errors.contains("kept") && !first.errors.contains("compare"), "\(first.errors)")
    let second = try record(fires: 6)
    #expect(
      second.errorLines.dropFirst() == [
        "rltrace: kept the earlier trace: app.old1.rltrace",
        "rltrace: next: rltrace compare app.old1.rltrace app.rltrace",
        "rltrace: next: rltrace analyze app.rltrace",
      ], "\(second.errors)")
    let third = try record(fires: 7, "-q")
    #expect(third.errors.isEmpty)
    #expect(folder.names == ["app.old1.rltrace", "app.old2.rltrace", "app.rltrace"])
    #expect(try folder.fires("app.old1.rltrace") == 5)
    #expect(try folder.fires("app.old2.rltrace") == 6)
    #expect(try folder.fires("app.rltrace") == 7)
    // A number is not reused while a higher one exists.
    try FileManager.default.removeItem(atPath: folder.file("app.old1.rltrace"))
    #expect(try record(fires: 8).errors.contains("app.old3.rltrace"))
    #expect(folder.names == ["app.old2.rltrace", "app.old3.rltrace", "app.rltrace"])
  }

  /// The trace is in another folder, or its name lacks `.rltrace`, contains a space or begins with a dash.
  @Test(arguments: [
    ("sub/app.rltrace", "sub/app.old1.rltrace", "sub/app.rltrace"),
    ("./app.rltrace", "./app.old1.rltrace", "./app.rltrace"),
    ("app.trace", "app.trace.old1.rltrace", "app.trace"),
    ("my app.rltrace", "'my app.old1.rltrace'", "'my app.rltrace'"),
    ("-app.rltrace", "./-app.old1.rltrace", "./-app.rltrace"),
  ])
  func theNextCommands(output: String, base: String, new: String) throws {
    try FileManager.default.createDirectory(atPath: folder.file("sub"), withIntermediateDirectories: false)
    let place = output.hasPrefix("-") ? "./\(output)" : output
    for fires in [5, 6] {
      let run = try shell("\"$0\" record --output='\(output)' -- \"$1\" timers \(fires)")
      try #require(run.status == 0, "\(run)")
      guard fires == 6 else { continue }
      let next = run.errorLines.filter { $0.hasPrefix("rltrace: next: ") }
      #expect(
        next == [
          "rltrace: next: rltrace compare \(base) \(new)", "rltrace: next: rltrace analyze \(new)",
        ], "\(run.errors)")
      for line in next {
        let command = line.dropFirst("rltrace: next: rltrace ".count)
        #expect(try shell("\"$0\" \(command)").status == 0, "\(command)")
      }
    }
    #expect(try folder.fires(place) == 6)
  }

  /// The traces of other processes and the snapshots are kept with the trace, and are not mixed with those of the
  /// new recording.
  @Test func otherProcessesAndSnapshots() throws {
    let script = """
      "$0" record -o app.rltrace --flight-recorder 10 -- bash -c '"$0" spawn; "$0" timers 5; true' "$1"
      """
    try #require(try shell(script).status == 0)
    let first = folder.names
    #expect(
      first.count == 3 && first.allSatisfy { $0.wholeMatch(of: /app\.\d+\.rltrace/) != nil }, "\(first)")
    let second = try shell(script)
    try #require(second.status == 0, "\(second)")
    #expect(second.errors.contains("kept the earlier recording: app.old1."), "\(second.errors)")
    #expect(second.errors.contains(" and 2 more files"), "\(second.errors)")
    #expect(!second.errors.contains("rltrace compare"), "one process is not another: \(second.errors)")
    let kept = folder.names.filter { $0.hasPrefix("app.old1.") }
    #expect(kept == first.map { "app.old1." + $0.dropFirst("app.".count) })
    #expect(folder.names.count == 6)
  }

  /// A trace has the name that the trace of a process will get, but is not from an earlier recording.
  @Test func aTraceThatHasTheNumberOfAProcess() throws {
    let run = try shell(
      """
      "$0" record -o app.rltrace -- bash -c '"$0" timers 5
        bash -c "cp $2 app.\\$\\$.rltrace; exec $0 timers 6"; exit 0' "$1" "$0" "$2"
      """)
    try #require(run.status == 0, "\(run)")
    let kept = try #require(folder.names.first { $0.hasPrefix("app.old1.") }, "\(folder.names) \(run)")
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.file(kept)))
        == Data(SampleTraces.bytes(virtual: "modes")))
    let others = folder.names.filter { $0 != kept }
    #expect(others.count == 2)
    #expect(try others.map { try folder.fires($0) }.sorted() == [5, 6])
  }

  /// The earlier trace is renamed only when the new one is complete.
  @Test func theRecorderIsKilled() throws {
    _ = try record(fires: 5, "-q")
    _ = try shell(
      """
      "$0" record -q -o app.rltrace -- "$1" timers 100000 & recorder=$!
      seen() { od -An -tu4 -j188 -N4 app.rltrace.spool 2>/dev/null || echo 0; }
      for i in $(seq 500); do [ $(($(seen) & 4)) != 0 ] && break; sleep 0.02; done
      kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      """)
    #expect(folder.names == ["app.rltrace", "app.rltrace.part", "app.rltrace.spool"])
    #expect(try folder.fires("app.rltrace") == 5)
    let recovered = try rltrace("recover", "app.rltrace")
    #expect(recovered.status == 0, "\(recovered)")
    #expect(
      recovered.errorLines.last == "rltrace: kept the earlier trace: app.old1.rltrace", "\(recovered.errors)")
    #expect(folder.names == ["app.old1.rltrace", "app.rltrace"])
    #expect(try folder.fires("app.old1.rltrace") == 5)
    #expect(try rltrace("compare").status == 0)
  }

  /// More events do not matter if the trace is from another recording.
  @Test func aLongerTraceOfAnotherRecording() throws {
    let made = try shell(
      """
      "$0" record -q --scenario stuttering-app --virtual -o app.rltrace || exit
      env $("$0" record --print-env -o app.rltrace | sed s/slots=[0-9]*/slots=4096/) "$1" timers 5
      "$0" recover app.rltrace
      """)
    #expect(made.status == 0 && made.errors.contains("kept the earlier trace: app.old1.rltrace"), "\(made)")
    #expect(folder.names == ["app.old1.rltrace", "app.rltrace"])
    #expect(try folder.fires("app.rltrace") == 5)
  }

  @Test(arguments: [["--virtual"], ["--time-scale", "0.02"]]) func scenarios(options: [String]) throws {
    for round in 1...2 {
      let run = try Program.rltrace.run(
        ["record", "--scenario", "timer-starvation"] + options, folder: folder.path)
      try #require(run.status == 0, "\(run)")
      #expect(
        run.errors.contains("\nkept the earlier trace: timer-starvation.old1.rltrace\n") == (round == 2))
      #expect(run.errors.contains("rltrace: next: rltrace analyze timer-starvation.rltrace\n"))
      #expect(run.errors.contains("rltrace: next: rltrace compare ") == (round == 2), "\(run.errors)")
    }
    #expect(folder.names == ["timer-starvation.old1.rltrace", "timer-starvation.rltrace"])
    let wrong = try rltrace("record", "--scenario", "no-such", "-o", "timer-starvation.rltrace")
    #expect(wrong.status == 64 && folder.names.count == 2)
  }

  // MARK: compare

  @Test func compareFindsTheRecordingBefore() throws {
    for fires in 5...7 { _ = try record(fires: fires, "-q") }
    for (arguments, base, new) in [
      ([], "app.old2.rltrace", "app.rltrace"), (["app.rltrace"], "app.old2.rltrace", "app.rltrace"),
      (["app.old2.rltrace"], "app.old1.rltrace", "app.old2.rltrace"),
      (["./app.rltrace"], "./app.old2.rltrace", "./app.rltrace"),
    ] {
      let run = try Program.rltrace.run(["compare"] + arguments, folder: folder.path)
      #expect(run.status == 0, "\(run)")
      #expect(run.errorLines.first == "rltrace: comparing \(base) (BASE) with \(new) (NEW)", "\(run.errors)")
      // The recordings before BASE.
      let place = new.hasPrefix("./") ? "./" : ""
      let hasMore = base.hasSuffix("app.old2.rltrace")
      #expect(run.errorLines.count == (hasMore ? 3 : 1), "\(run.errors)")
      if hasMore {
        #expect(
          run.errorLines[1].wholeMatch(
            of: /rltrace: earlier: (\.\/)?app\.old1\.rltrace \(recorded [-0-9: ]+\)/) != nil)
        let since = "rltrace compare \(place)app.old1.rltrace \(place)app.rltrace"
        #expect(run.errorLines[2] == "rltrace: since the first recording: \(since)", "\(run.errors)")
        #expect(try shell("\"$0\"" + since.dropFirst("rltrace".count)).status == 0)
      }
      #expect(
        run.output.hasPrefix("BASE  \(base)\n") && run.output.contains("NEW   \(new)\n"), "\(run.output)")
    }
    let named = try rltrace("compare", "app.old1.rltrace", "app.rltrace")
    #expect(named.status == 0 && named.errors.isEmpty, "\(named.errors)")
    let document = try rltrace("compare", "--format", "json")
    let json = try JSONValues(document.output).root
    #expect((json["base"] as? [String: Any])?["file"] as? String == "app.old2.rltrace")

    // Among several pairs, `compare` uses the one that was recorded last.
    for fires in 5...6 { _ = try record(fires: fires, to: "zoo.rltrace", "-q") }
    #expect(try rltrace("compare").errors.contains("zoo.old1.rltrace (BASE) with zoo.rltrace"))
    _ = try record(fires: 5, "-q")
    #expect(try rltrace("compare").errors.contains("app.old3.rltrace (BASE) with app.rltrace"))
  }

  /// After a recording with other options, `record` suggests the last one with the same options.
  @Test func recordingsWithOtherOptions() throws {
    _ = try record(fires: 5, "-q")
    let sampled = try record(fires: 5, "--sample", "1ms")
    #expect(
      sampled.errorLines.suffix(2) == [
        "rltrace: the earlier traces were recorded with different options; this trace has capture level callouts, stacks for stalls of 1.00 ms or more",
        "rltrace: next: rltrace analyze app.rltrace",
      ], "\(sampled.errors)")
    let compared = try rltrace("compare").output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      compared.contains("Note: the options of the recordings differ: BASE has")
        && compared.contains(
          "NEW has stacks for stalls of 1.00 ms or more. Both count gaps of 100 ms or more."),
      "\(compared)")
    let again = try record(fires: 5)
    #expect(
      again.errors.contains("rltrace: next: rltrace compare app.old1.rltrace app.rltrace\n"),
      "\(again.errors)")
    let chosen = try rltrace(
      "compare", "app.old2.rltrace", "app.rltrace", "--gap-threshold", "5ms", "--format", "json")
    #expect(
      chosen.output.contains("\"gap_threshold_ns\" : 5000000")
        && chosen.output.contains("Both count gaps of 5.00 ms or more"))
  }

  @Test func nothingToCompareWith() throws {
    _ = try record(fires: 5, "-q")
    for (arguments, what) in [
      ([], "no trace in this folder has an earlier recording beside it"),
      (["app.rltrace"], "app.rltrace: no earlier recording is kept beside it (app.old1.rltrace)"),
      (["none.rltrace"], "none.rltrace: cannot open: No such file"),
    ] {
      let run = try Program.rltrace.run(["compare"] + arguments, folder: folder.path)
      #expect(run.status == 66 && run.output.isEmpty && run.errorLines.count == 1, "\(run)")
      #expect(run.errors.contains(what), "\(run.errors)")
    }
  }

  // MARK: Permissions of written files

  /// Traces, pages and tables are for sharing; a spool is not.
  @Test(arguments: [("022", 0o644), ("077", 0o600), ("002", 0o664)])
  func modesOfFiles(umask: String, mode: Int) throws {
    let made = try shell(
      """
      umask \(umask)
      "$0" record -q -o app.rltrace -- bash -c 'stat -c %a app.rltrace.spool; exec "$0" timers 5' "$1" || exit
      "$0" analyze app.rltrace --html page.html --csv tables >/dev/null && "$0" redact app.rltrace -o r.rltrace
      "$0" report app.rltrace -o page2.html
      """)
    try #require(made.status == 0, "\(made)")
    #expect(made.output.hasPrefix("600\n"), "\(made.output)")
    for name in ["app.rltrace", "page.html", "tables/gaps.csv", "r.rltrace", "page2.html"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
  }
}
