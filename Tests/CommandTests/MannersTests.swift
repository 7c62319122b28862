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
    #expect(result.status == 64 && result.errors.contains("is the text itself"), "\(result.errors)")
    #expect(try String(contentsOfFile: folder.file("a.rltext"), encoding: .utf8) == text)
  }

  @Test(arguments: [
    (["analyze"], "analyze", "Missing expected argument"),
    (["dump", "a", "b"], "dump", "Unexpected argument"),
    (["analyze", "--nothing", "x"], "analyze", "--nothing"),
    (["analyze", "x", "--format", "xml"], "analyze", "text"),
    (["analyze", "x", "--detector", "nobody"], "analyze", "nobody"),
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
    (["frobnicate"], "", "frobnicate"),
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
  func noFileIsCalledMinus(arguments: [String], what: String) throws {
    let result = try Program.rltrace.run(arguments, folder: folder.path)
    #expect(result.status == 64 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(what), "\(result.errors)")
    #expect(folder.names == [])
  }

  /// Standard output gets the content of the file, and no message.
  @Test func minusIsStandardOutput() throws {
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

  @Test func commandsSayWhereTheyWrote() throws {
    let (page, tables) = (folder.file("page.html"), folder.file("tables"))
    let run = try Program.rltrace.run(["analyze", sample, "--html", page, "--csv", tables])
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains("wrote \(page), ") && run.errors.contains("into \(tables)\n"), "\(run.errors)")
    let exported = try Program.rltrace.run(["export", sample, "-o", tables])
    #expect(exported.errors == "rltrace: wrote 20 tables into \(tables)\n")
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
