import Foundation
import TestSupport
import Testing

/// Common behaviour of all commands: one line for an error, `-` for standard output, and messages about written
/// files.
@Suite struct MannersTests {
  private let folder: TemporaryFolder
  private let sample = ProjectFiles.root.appendingPathComponent(
    "SampleTraces/virtual/timer-starvation.rltrace"
  ).path

  init() throws { folder = try TemporaryFolder() }

  /// The name of a scenario is not a path.
  @Test(arguments: [
    ("../escaped", "escaped"), ("/tmp/x", "tmp-x"), (".hidden/a", "hidden-a"), ("..", "scenario"),
  ])
  func aScenarioStaysInItsFolder(name: String, file: String) throws {
    try Data("scenario: \"\(name)\"\nthread: [{run: {for: 1ms}}]\n".utf8).write(
      to: URL(fileURLWithPath: folder.file("s.yaml")))
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    let result = try Program.rltrace.run(
      ["record", "-q", "--scenario", "../s.yaml", "--virtual"], folder: folder.file("in"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.names == ["in", "s.yaml"])
    let inside = try FileManager.default.contentsOfDirectory(atPath: folder.file("in"))
    #expect(inside == ["\(file).rltrace"])
  }

  @Test func aTextIsNotReplacedByItsTrace() throws {
    let text = "rltrace-text 1\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("a.rltext")))
    let result = try Program.rltrace.run(["assemble", "a.rltext", "-o", "a.rltext"], folder: folder.path)
    #expect(
      result.status == 64 && result.errors.contains("would overwrite the input text"), "\(result.errors)")
    #expect(try String(contentsOfFile: folder.file("a.rltext"), encoding: .utf8) == text)
  }

  @Test(arguments: [
    (["info"], "info", "Missing expected argument"),
    (["dump", "a", "b"], "dump", "Unexpected argument"),
    (["analyze", "--nothing", "x"], "analyze", "--nothing"),
    (["analyze", "x", "--format", "xml"], "analyze", "text"),
    (["analyze", "x", "--detector", "nobody"], "analyze", "semaphore-1s"),
    (["analyze", "x", "--color", "blue"], "analyze", "'auto', 'always' or 'never'"),
    (
      ["record", "--max-size", "3x", "true"], "record",
      "expected a size such as 500000, 64K, 64M or 2G, got '3x'"
    ),
    (["record", "--max-siz", "3M", "true"], "record", "did you mean '--max-size'?"),
    (["help", "nope"], "", "unknown command 'nope'; known: record, recover, scenarios, analyze"),
    (["help", "scenarios", "lits"], "scenarios", "did you mean 'list'?"),
    (["scenarios", "shwo"], "scenarios", "did you mean 'show'?"),
    (["export", "x"], "export", "-o FOLDER"),
    (["export", "x", "-o", "-"], "export", "--table NAME"),
    (["export", "x", "-o", "tables", "--table", "gaps"], "export", "-o FOLDER"),
    (["export", "x", "--table", "nothing"], "export", "nothing"),
    (["analyze", "x", "y", "--html", "page.html"], "analyze", "one trace"),
    (
      ["export", "x", "--table", "timers", "--gap-threshold", "1s"], "export",
      "--gap-threshold changes nothing"
    ),
    (["export", "x", "--table", "modes", "--profile", "watchdog"], "export", "--profile changes nothing"),
    (["export", "x", "--table", "modes", "--by", "state:screen"], "export", "--by changes nothing"),
    (["export", "x", "--table", "state_modes"], "export", "the table state_modes needs --by"),
    (
      ["export", "x", "--by", "state:screen", "--format", "pprof", "-o", "y"], "export", "--by is for tables"
    ),
    (["frobnicate"], "", "unknown command 'frobnicate'; known: record, recover, scenarios, analyze"),
    (["doctor", "a", "b"], "doctor", "Unexpected argument"),
    (["doctor", "--format", "xml"], "doctor", "text"),
    (["scenarios", "show"], "scenarios show", "Missing expected argument"),
  ])
  func wrongUsageIsOneLine(arguments: [String], command: String, what: String) throws {
    let result = try Program.rltrace.run(arguments, folder: folder.path)
    #expect(result.status == 64 && result.output.isEmpty, "\(result.errors)")
    #expect(result.errorLines.count == 1 && result.errors.hasPrefix("rltrace: "), "\(result.errors)")
    #expect(result.errors.contains(what), "\(result.errors)")
    let help = command.isEmpty ? "`rltrace --help`" : "`rltrace \(command) --help`"
    #expect(result.errors.hasSuffix("see \(help)\n"), "\(result.errors)")
    #expect(folder.names == [])
  }

  /// Misspells each command: without its last letter, with an extra letter, and with a wrong letter in the middle.
  @Test func aCommandThatIsMisspelled() throws {
    let page = try ProjectFiles.text("docs/reference/commands/README.md")
    let commands = page.matches(of: /\| \[([a-z]+)\]\(/).map { String($0.1) }
    #expect(commands.count >= 15)
    for command in commands {
      let middle = command.index(command.startIndex, offsetBy: command.count / 2)
      var wrong = [String(command.dropLast()), command + "s", command]
      wrong[2].replaceSubrange(middle...middle, with: "q")
      for (number, word) in wrong.enumerated() {
        for words in number == 0 ? [[word, "x"], ["help", word]] : [[word]] {
          let result = try Program.rltrace.run(words, folder: folder.path)
          #expect(
            result.status == 64 && result.output.isEmpty
              && result.errors
                == "rltrace: unknown command '\(word)'; did you mean '\(command)'?; see `rltrace --help`\n",
            "\(result)")
        }
      }
    }
    let british = try Program.rltrace.run(["analyse", sample])
    #expect(british.errors.contains("did you mean 'analyze'?"))
    let none = try Program.rltrace.run([sample])
    #expect(none.status == 64 && none.errors.contains("did you mean `rltrace analyze \(sample)`?"))
    for words in [
      ["help"], ["help", "record"], ["help", "scenarios", "show"], ["help", "help"], ["--help"], [],
    ] {
      let help = try Program.rltrace.run(words)
      #expect(help.status == 0 && help.output.contains("USAGE: rltrace"), "\(words): \(help)")
    }
  }

  /// The message names the unknown value and lists the known ones.
  @Test(arguments: [
    (
      ["analyze", "--mode", "kCFRunLoopDefaultMod"],
      "did you mean 'kCFRunLoopDefaultMode'? known: UITracking"
    ),
    (["analyze", "--mode", "tracking"], "did you mean 'UITrackingRunLoopMode'?"),
    (
      ["analyze", "--mode", "x"],
      "no mode 'x' in the trace; known: UITrackingRunLoopMode, kCFRunLoopCommonModes, kCFRunLoopDefaultMode"
    ),
    (["analyze", "--thread", "mian"], "no thread 'mian' in the trace; did you mean 'main'? known: main"),
    (["analyze", "--frames", "no such timer"], "no repeating timer 'no such timer' in the trace"),
    (["report", "-o", "/dev/null", "--frames", "tick"], "no repeating timer 'tick' in the trace"),
    (["analyze", "--profile", "watchdgo"], "did you mean 'watchdog'? known: interactive, watchdog"),
    (["export", "--table", "timrs"], "timers, timer_modes"),
    (["gate", "--rule", "max(bsy) < 1s"], "busy"),
    (["gate", "--rule", "findings(rule=RL999) == 0"], "RL001, RL002"),
    (["gate", "--rule", "findings(severity=bad) == 0"], "no severity 'bad'; known: "),
  ])
  func aValueThatIsNotKnown(arguments: [String], what: String) throws {
    let result = try Program.rltrace.run([arguments[0], sample] + arguments.dropFirst())
    #expect(result.status == 64 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains(what), "\(result.errors)")
  }

  /// The names in a gate's rule are checked against the trace. An unknown name leaves the rule undecided.
  @Test func aNameInARuleThatIsNotThere() throws {
    let result = try Program.rltrace.run(["gate", sample, "--rule", "polls(mode=UITrackingRunLopMode) == 0"])
    #expect(result.status == 2, "\(result)")
    #expect(
      result.output.split(separator: /\s+/).joined(separator: " ").contains(
        "did not run; did you mean 'UITrackingRunLoopMode'?"), "\(result.output)")
  }

  // MARK: Colours

  @Test(arguments: [
    ["analyze"], ["compare", "SAMPLE"], ["gate"], ["topology"], ["stack"],
  ])
  func colours(command: [String]) throws {
    let input =
      switch command[0] {
      case "topology": ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Dumps/notes-app.log").path
      case "stack": ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Stacks/crash.ips").path
      default: sample
      }
    func isColoured(_ options: [String], _ environment: [String: String] = [:]) throws -> Bool {
      let words = command.map { $0 == "SAMPLE" ? sample : $0 } + [input] + options
      let result = try Program.rltrace.run(words, environment: environment)
      #expect(result.status < 3 && !result.output.isEmpty, "\(words): \(result)")
      return result.output.contains("\u{1B}[")
    }
    #expect(try !isColoured([]))
    #expect(try !isColoured(["--color", "auto"]))
    #expect(try !isColoured(["--color=never"]))
    #expect(try isColoured(["--color=always"], ["NO_COLOR": "1", "TERM": "dumb"]))
  }

  @Test(arguments: [("", true), ("--color=never", false)]) func coloursOnATerminal(
    option: String, isColoured: Bool
  )
    throws
  {
    guard try Program(shell: "command -v script").run([]).status == 0 else { return }
    let result = try Program(shell: "script -qec \"$0 analyze $1 \(option)\" /dev/null").run(
      [Program.rltrace.path, sample], environment: ["TERM": "xterm", "NO_COLOR": ""])
    #expect(result.output.contains("\u{1B}[1;31m") == isColoured, "\(result.output.prefix(300))")
  }

  // MARK: Units

  /// A number without a unit is in seconds. If the user can hardly have meant seconds, the command warns once.
  @Test(arguments: [
    (["analyze", "SAMPLE", "SAMPLE"], "100", true), (["analyze", "SAMPLE"], "100s", false),
    (["analyze", "SAMPLE"], "0.5", false), (["compare", "SAMPLE", "SAMPLE"], "250", true),
    (["report", "SAMPLE", "-o", "page.html"], "250", true),
    (["export", "SAMPLE", "--table", "gaps"], "100", true),
    (["analyze", "SAMPLE"], "100ms", false),
  ])
  func aThresholdWithoutAUnit(command: [String], value: String, isSaid: Bool) throws {
    let result = try Program.rltrace.run(
      command.map { $0 == "SAMPLE" ? sample : $0 } + ["--gap-threshold", value], folder: folder.path)
    #expect(result.status == 0, "\(result)")
    let said = result.errorLines.filter { $0.contains("has no unit") }
    #expect(said.count == (isSaid ? 1 : 0), "\(result.errors)")
    guard let line = said.first else { return }
    #expect(
      line.hasPrefix(
        "rltrace: --gap-threshold \(value) has no unit and was read as seconds: \(value) s, longer than ")
        && line.hasSuffix("; for milliseconds type \(value)ms"), "\(line)")
  }

  @Test(arguments: [
    (["--sample", "10"], "--sample 10 has no unit and was read as seconds; for milliseconds type 10ms"),
    (["--stall-threshold", "250"], "--stall-threshold 250 has no unit"),
    (["--flight-recorder", "30", "--on-gap", "250"], "longer than what the flight recorder keeps"),
    (["--sample", "10ms"], ""), (["--flight-recorder", "30", "--on-gap", "2"], ""),
    (["--duration", "100"], ""),
  ])
  func aTimeOfARecordingWithoutAUnit(options: [String], what: String) throws {
    let result = try Program.rltrace.run(
      ["record", "-q", "--allow-empty"] + options + ["--", "true"], folder: folder.path)
    #expect(result.status == 0 && result.errorLines.count == (what.isEmpty ? 0 : 1), "\(result)")
    #expect(result.errors.contains(what) || what.isEmpty, "\(result.errors)")
  }

  @Test(arguments: [["analyze"], ["info"], ["dump"], ["report"], ["analyze", "--format", "json"]])
  func aSpoolLeadsToRecover(command: [String]) throws {
    let spool = folder.file("app.rltrace.spool")
    try Data("RLTSPOOL".utf8 + [UInt8](repeating: 0, count: 100)).write(to: URL(fileURLWithPath: spool))
    let result = try Program.rltrace.run(command + [spool])
    #expect(result.status == 65 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("`rltrace recover \(spool)`"), "\(result.errors)")
  }

  @Test(arguments: [
    (["analyze", "x", "--html", "-"], "`rltrace report -o -`"),
    (["analyze", "x", "--csv", "-"], "`rltrace export --table NAME`"),
    (["compare", "x", "y", "--html", "-"], "--html"),
  ])
  func noFileIsNamedDash(arguments: [String], what: String) throws {
    let result = try Program.rltrace.run(arguments, folder: folder.path)
    #expect(result.status == 64 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(what), "\(result.errors)")
    #expect(folder.names == [])
  }

  /// Standard output gets the content of the file, and no message.
  @Test func dashIsStandardOutput() throws {
    let commands = [
      ["report", sample], ["dump", sample], ["redact", sample],
      ["assemble", ProjectFiles.root.appendingPathComponent("Tests/Golden/one-pass.rltext").path],
    ]
    for command in commands {
      let file = folder.file(command[0])
      let written = try Program.rltrace.run(command + ["-o", file])
      #expect(written.status == 0 && written.output.isEmpty, "\(command): \(written.errors)")
      #expect(written.errorLines.count == 1 && written.errors.contains(file), "\(command): \(written.errors)")
      let printed = try Program(shell: "\"$0\" \"$@\" -o - >printed").run(
        [Program.rltrace.path] + command, folder: folder.path)
      #expect(printed.status == 0, "\(command): \(printed.errors)")
      #expect(
        FileManager.default.contentsEqual(atPath: file, andPath: folder.file("printed")), "\(command)")
      #expect(!printed.errors.contains("wrote"), "\(command): \(printed.errors)")
    }
    let dumped = try Program.rltrace.run(["dump", sample])
    #expect(try String(contentsOfFile: folder.file("dump"), encoding: .utf8) == dumped.output)
    let table = try Program.rltrace.run(["export", sample, "--table", "gaps", "-o", "-"])
    #expect(table.status == 0 && table.output.hasPrefix("start_ns,"), "\(table.errors)")
  }

  @Test func commandsReportWrittenFiles() throws {
    let (page, tables) = (folder.file("page.html"), folder.file("tables"))
    let run = try Program.rltrace.run(["analyze", sample, "--html", page, "--csv", tables])
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains("wrote \(page), ") && run.errors.contains("into \(tables)\n"), "\(run.errors)")
    let exported = try Program.rltrace.run(["export", sample, "-o", tables])
    #expect(exported.errors == "rltrace: wrote 31 tables into \(tables)\n")
    let compared = try Program.rltrace.run(["compare", sample, sample, "--html", page])
    #expect(compared.errors.contains("wrote \(page), "), "\(compared.errors)")
  }

  /// The progress of long work on a terminal, which `script` provides.
  @Test(arguments: ["dump", "assemble", "redact", "info --events", "export", "analyze"])
  func progressOnATerminal(command: String) throws {
    guard try Program(shell: "command -v script").run([]).status == 0 else { return }
    var text = [
      "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
    ]
    // Enough blocks that each command shows its progress before it ends. The delay is zero here.
    for block in 0..<40 {
      text.append("events thread=0")
      for event in 0..<1000 { text.append("  \(block * 1000 + event) source.signal #\(1 + event % 7)") }
    }
    text.append("end")
    let source = folder.file("long.rltext"), trace = folder.file("long.rltrace")
    try text.joined(separator: "\n").write(toFile: source, atomically: true, encoding: .utf8)
    try #require(try Program.rltrace.run(["assemble", source, "-o", trace]).status == 0)
    let line =
      switch command {
      case "assemble": "assemble \(source) -o copy.rltrace"
      case "export": "export \(trace) -o tables"
      case "dump": "dump \(trace) -o copy.rltext"
      case "redact": "redact \(trace) -o copy.rltrace"
      case "analyze": "analyze \(trace)"
      default: "\(command) \(trace)"
      }
    let result = try Program(shell: "script -qec \"$0 \(line)\" /dev/null").run(
      [Program.rltrace.path], environment: ["RLTRACE_PROGRESS_AFTER_MS": "0"], folder: folder.path)
    #expect(result.output.contains("%\u{1B}[K"), "\(result.output.suffix(300))\(result.errors)")
  }
}
