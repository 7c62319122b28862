import Foundation
import TestSupport
import Testing
import TraceFormat

/// The command line of `rltrace record`.
@Suite(.ownThread) struct RecordUsageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func record(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["record"] + arguments, folder: folder.path)
  }

  /// As in perf and uftrace, options after the program belong to the program.
  @Test func withoutTheTwoDashes() throws {
    let plain = try record("--allow-empty", "/bin/echo", "-q", "--output", "x", "--", "--help")
    #expect(plain.status == 0 && plain.output == "-q --output x -- --help\n", "\(plain.errors)")
    let dashes = try record("--allow-empty", "--", "/bin/echo", "-n", "--version")
    #expect(dashes.status == 0 && dashes.output == "--version", "\(dashes.errors)")
    let timers = try record("-q", "-o", "t.rltrace", Program.loopPrograms.path, "timers", "5")
    #expect(
      timers.status == 0 && timers.output == "fires 5\n" && folder.names == ["t.rltrace"], "\(timers.errors)")
  }

  @Test func unknownOptionsAreNotPrograms() throws {
    let unknown = try record("--no-such-option", "/bin/true")
    #expect(unknown.status == 64 && unknown.errors.contains("unknown option '--no-such-option'"))
    for option in ["-h", "--help"] {
      let help = try record(option)
      #expect(help.status == 0 && help.output.contains("USAGE: rltrace record"))
    }
  }

  /// Options that do not apply are refused, not ignored.
  @Test(arguments: [
    ["--virtual", "true"], ["--seed", "1", "true"], ["--time-scale", "2", "true"], ["--stop", "true"],
    ["--scenario", "calm", "--virtual", "--clock", "monotonic"], ["--scenario", "calm", "--no-children"],
    ["--scenario", "calm", "--thread", "main"], ["--scenario", "calm", "--allow-empty"],
    ["--scenario", "calm", "--queues", "all"], ["--queues", "all", "--thread", "main", "true"],
    ["--scenario", "calm", "--duration", "1s"], ["--print-env", "--codec", "none"], ["--print-env", "-q"],
    ["--print-env", "--duration", "1s"], ["--print-env", "--seed", "1"], ["--scenario", "calm", "true"],
    ["-o", "-", "true"], ["-o", "-", "--scenario", "timer-starvation"],
    ["-o", "", "true"], ["-o", "traces/", "true"], ["-o", "x.rltrace.part", "true"],
    ["-o", "x.rltrace.spool", "true"], ["-o", "x.rltrace.begun", "--scenario", "calm", "--virtual"],
  ])
  func optionsThatDoNotApply(arguments: [String]) throws {
    let run = try Program.rltrace.run(["record"] + arguments, folder: folder.path)
    #expect(run.status == 64 && run.errorLines.count == 1, "\(run.status) \(run.errors)")
    #expect(run.errors.contains("rltrace record --help"))
    #expect(folder.names.isEmpty)
  }

  /// Rules that cannot be judged meanwhile are refused at the start, in one line.
  @Test(arguments: [
    (["--on", "max(busy) < 250ms"], "needs --flight-recorder"),
    (["--flight-recorder", "1", "--on", "max(busy) < 250ms"], "of 5 s or more"),
    (["--flight-recorder", "30", "--on", "max(busy) < 1.1 * baseline"], "has no baseline"),
    (["--flight-recorder", "30", "--on", "findings == 0"], "gap, busy, utilisation"),
    (["--flight-recorder", "30", "--on", "max(buzy) < 250ms"], "did you mean 'busy'"),
    (["--flight-recorder", "30", "--on", "max(busy) < 250"], "column 13"),
    (["--flight-recorder", "30", "--on", "polls < 9", "--on", "busy < 1s"], "needs an aggregate"),
  ])
  func rulesThatAreRefused(options: [String], why: String) throws {
    let run = try Program.rltrace.run(["record"] + options + ["true"], folder: folder.path)
    #expect(run.status == 64 && run.errorLines.count == 1 && folder.names.isEmpty, "\(run)")
    #expect(run.errors.contains(why), "\(run.errors)")
  }

  @Test func rulesAreForPrograms() throws {
    let scenario = try record(
      "--scenario", "calm", "--flight-recorder", "30", "--on", "max(busy) < 250ms")
    #expect(scenario.status == 64 && scenario.errors.contains("is for programs"), "\(scenario.errors)")
  }

  @Test func toStandardOutput() throws {
    let file = try record("--scenario", "timer-starvation", "--virtual", "-o", "file.rltrace")
    #expect(file.status == 0 && file.errors.contains("file.rltrace"))
    let output = try Program(shell: "\"$0\" record --scenario timer-starvation --virtual -o - >piped").run(
      [Program.rltrace.path], folder: folder.path)
    #expect(output.status == 0 && output.errors.contains("standard output"), "\(output.errors)")
    let bytes = try ["file.rltrace", "piped"].map {
      try Data(contentsOf: URL(fileURLWithPath: folder.file($0)))
    }
    #expect(bytes[0] == bytes[1] && folder.names == ["file.rltrace", "piped"])
  }

  /// The trace contains the command and folder of its recording. Redaction removes them together with the names.
  @Test func theOriginOfATrace() throws {
    let run = try record("-q", "-o", "out.rltrace", "env", "X=a b", Program.loopPrograms.path, "timers", "3")
    #expect(run.status == 0, "\(run.errors)")
    let reader = try openTrace(path: folder.file("out.rltrace"))
    func fact(_ key: String) -> String { reader.info.first { $0.key == key }?.value ?? "" }
    #expect(fact("command") == "env 'X=a b' \(Program.loopPrograms.path) timers 3")
    #expect(fact("program") == "\(Program.loopPrograms.path) timers 3")
    #expect(fact("folder").hasSuffix(URL(fileURLWithPath: folder.path).lastPathComponent))
    #expect(fact("recorder").hasPrefix("rltrace ") && fact("system").hasPrefix("Linux "))
    #expect(fact("foundation").contains("libFoundation.so, build id "))
    #expect(Int(fact("process")) ?? 0 > 1)
    let info = try Program.rltrace.run(["info", "out.rltrace"], folder: folder.path).output
    for key in ["command", "program", "folder", "foundation", "system", "process"] {
      #expect(info.contains("  \(key): "), "\(key)")
    }
    #expect(
      try Program.rltrace.run(["redact", "out.rltrace", "-o", "red.rltrace"], folder: folder.path).status == 0
    )
    let redacted = try openTrace(path: folder.file("red.rltrace"))
    for key in ["command", "program", "folder", "foundation", "system", "process"] {
      #expect(redacted.info.first { $0.key == key }?.value == "(redacted)", "\(key)")
    }
  }

  /// The program continues after its recording, and the user learns of it.
  @Test(arguments: [[], ["--no-symbols"], ["-q"]] as [[String]]) func goesOn(options: [String]) throws {
    let run = try Program.rltrace.run(
      ["record", "-o", "a.rltrace", "--duration", "200ms"] + options
        + [Program.loopPrograms.path, "timers", "600"], folder: folder.path)
    #expect(run.status == 0 && run.output == "fires 600\n", "\(run.errors)")
    let naming = options.isEmpty ? "; functions get names when it ends" : ""
    let line = "rltrace: the recording stopped: a.rltrace; the program goes on\(naming)"
    let said = run.errorLines.first.map { String($0) }
    #expect(said == (options == ["-q"] ? nil : line), "\(run.errors)")
  }

  /// The program ends with its recording. So does the program of a wrapper.
  @Test func stop() throws {
    func stopped(_ output: String, _ command: String...) throws -> Program.Result {
      try Program.rltrace.run(
        ["record", "-o", output, "--duration", "300ms", "--stop"] + command, folder: folder.path)
    }
    let asked = try stopped("a.rltrace", Program.loopPrograms.path, "timers", "100000")
    #expect(asked.status == 0 && asked.output.isEmpty && asked.errorLines.count == 3, "\(asked.errors)")
    #expect(
      asked.errorLines.first == "rltrace: the recording stopped: a.rltrace; ending the program",
      "\(asked.errors)")
    let wrapped = try stopped(
      "b.rltrace", "sh", "-c", "\"$0\" timers 100000; echo went on", Program.loopPrograms.path)
    #expect(wrapped.status == 0 && !wrapped.output.contains("fires"), "\(wrapped.output) \(wrapped.errors)")
    #expect(folder.names == ["a.rltrace", "b.rltrace"])
    // A program that ends earlier keeps its own status.
    #expect(try record("--allow-empty", "--duration", "20s", "--stop", "sh", "-c", "exit 3").status == 3)
  }
}
