import Foundation
import TestSupport
import Testing

/// No output of a command replaces an input, whatever name the file has. The tests cover each command and each option
/// that names a file.
@Suite(.optimizedBuild) struct InputsAreKeptTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let sample = try Data(SampleTraces.bytes(virtual: "modes"))
    for name in ["a.rltrace", "b.rltrace"] { try sample.write(to: URL(fileURLWithPath: folder.file(name))) }
    for (name, text) in [
      ("p.yaml", "profile: mine\nlimit: 2s\n"), ("m.yaml", "rules:\n  - max(busy) < 250ms\n"),
      ("c.yaml", "changes:\n  - nothing\n"),
      ("r.yaml", "rules:\n  - id: mine\n    cause: ipc\n    means: x\n    symbols: [never]\n"),
      ("s.yaml", "scenario: mine\nthread: [{run: {for: 1ms}}]\n"), ("secret", "sixteen letters!\n"),
    ] {
      try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
    }
    // An import that would succeed.
    try Self.export.write(toFile: folder.file("i.xml"), atomically: false, encoding: .utf8)
    for (name, text) in try Self.made.get() { try folder.file(name, text) }
  }

  /// The files that commands make of a sample, by name. They are made once.
  private static let made = Result<[String: String], any Error> {
    var made: [String: String] = [:]
    for (command, name) in [("summarize", "s.jsonl"), ("dump", "a.txt")] {
      let result = try Program.rltrace.run([command, SampleTraces.virtual("modes")])
      try #require(result.status == 0, "\(result.errors)")
      made[name] = result.output
    }
    return made
  }

  struct Command: Sendable, CustomTestStringConvertible {
    let words: String
    /// Options that name an input (`""` for an argument), and a file for each.
    let inputs: [(option: String, file: String)]
    /// Options that name a file to write.
    var outputs: [String] = []
    /// Options that name a folder to write into, and a file that is written there.
    var folders: [(option: String, file: String)] = []

    var testDescription: String { words }
  }

  private static let export = """
    <trace-query-result><node><schema name="runloop-events">\
    <col><mnemonic>timestamp</mnemonic></col><col><mnemonic>interval-type</mnemonic></col>\
    <col><mnemonic>event-type</mnemonic></col><col><mnemonic>thread</mnemonic></col></schema>\
    <row><event-time>1</event-time><short-string>runloop_run</short-string><kdebug-func>1</kdebug-func>\
    <thread fmt="main"/></row></node></trace-query-result>
    """

  private static let gaps = [("--profile", "./p.yaml"), ("--rules", "r.yaml")]

  static let commands = [
    Command(
      words: "analyze", inputs: [("", "a.rltrace")] + gaps, outputs: ["--html"],
      folders: [("--csv", "gaps.csv"), ("--csv", "README.txt")]),
    Command(words: "report", inputs: [("", "a.rltrace")] + gaps, outputs: ["-o"]),
    Command(
      words: "report ", inputs: [("", "a.rltrace"), ("", "b.rltrace")] + gaps, outputs: ["-o"],
      folders: [("-o", "b.html")]),
    Command(
      words: "compare", inputs: [("", "a.rltrace"), ("", "b.rltrace")] + gaps, outputs: ["--html"]),
    Command(
      words: "gate",
      inputs: [
        ("", "a.rltrace"), ("--baseline", "b.rltrace"), ("--budget", "m.yaml"), ("--profile", "./p.yaml"),
      ], outputs: ["--junit", "--sarif", "--markdown"]),
    Command(
      words: "gate --per-test",
      inputs: [("", "a.rltrace"), ("--budget", "m.yaml"), ("--profile", "./p.yaml")]),
    Command(words: "gate  ", inputs: [("--suggest", "a.rltrace")]),
    Command(
      words: "export", inputs: [("", "a.rltrace")] + gaps,
      folders: [("-o", "gaps.csv"), ("-o", "trace.csv"), ("-o", "README.txt")]),
    Command(
      words: "export --format jsonl", inputs: [("", "a.rltrace")] + gaps, folders: [("-o", "gaps.jsonl")]),
    Command(words: "export --format sqlite", inputs: [("", "a.rltrace")] + gaps, outputs: ["-o"]),
    Command(words: "export --format perfetto", inputs: [("", "a.rltrace")] + gaps, outputs: ["-o"]),
    Command(words: "open --no-browser --timeout 1ms", inputs: [("", "a.rltrace")] + gaps),
    Command(words: "dump", inputs: [("", "a.rltrace")], outputs: ["-o"]),
    Command(words: "assemble", inputs: [("", "a.txt")], outputs: ["-o"]),
    Command(words: "summarize", inputs: [("", "a.rltrace"), ("--salt-file", "secret")], outputs: ["-o"]),
    Command(
      words: "fleet --base build=1 --new build=2", inputs: [("", "s.jsonl")], outputs: ["--junit", "--html"]),
    Command(words: "import", inputs: [("", "i.xml")], outputs: ["-o"]),
    Command(words: "redact", inputs: [("", "a.rltrace")], outputs: ["-o"]),
    Command(words: "symbolicate", inputs: [("", "a.rltrace")], outputs: ["-o"]),
    Command(
      words: "record --virtual", inputs: [("--scenario", "s.yaml")], outputs: ["-o"]),
    Command(
      words: "record", inputs: [("--scenario", "s.yaml"), ("--profile", "./p.yaml")], outputs: ["-o"]),
    Command(words: "record -o a -- true", inputs: []),
    Command(
      words: "what-if --do nothing", inputs: [("", "a.rltrace"), ("--changes", "c.yaml")],
      outputs: ["-o", "--html"]),
    Command(words: "watch --speed 10000", inputs: [("--replay", "a.rltrace")] + gaps),
    Command(
      words: "watch --speed 10000 --format prometheus", inputs: [("--replay", "a.rltrace")] + gaps,
      outputs: ["-o"]),
    Command(words: "recover", inputs: [("", "out.rltrace.spool")]),
    Command(words: "stack", inputs: [("", "a.txt"), ("--rules", "r.yaml")]),
    Command(words: "topology", inputs: [("", "a.rltrace"), ("--diff", "b.rltrace")]),
    Command(words: "info", inputs: [("", "a.rltrace")]),
    Command(words: "validate", inputs: [("", "a.rltrace")]),
  ]

  /// Names of a file. A line of bash creates them where needed.
  private static let spellings = [
    ("$f", ":"), ("./$f", ":"), ("$PWD/$f", ":"), ("sub/../$f", "mkdir sub"), ("link", "ln -s $f link"),
    ("hard", "ln $f hard"), ("there/$f", "ln -s . there"), ("/proc/self/cwd/$f", ":"),
  ]

  private func content() throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in folder.names
    where try FileManager.default.attributesOfItem(atPath: folder.file(name))[.type] as? FileAttributeType
      == .typeRegular
    {
      content[name] = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    }
    return content
  }

  private func expectRefused(_ line: String) throws {
    let before = try content()
    let result = try Program(shell: line).run([Program.rltrace.path], folder: folder.path)
    #expect(
      result.status == 64 && result.output.isEmpty && result.errorLines.count == 1, "\(line): \(result)")
    #expect(result.errors.contains(" would overwrite the input "), "\(line): \(result.errors)")
    let after = try content()
    // The line has removed the links that an earlier line made.
    for (name, bytes) in before where !["hard", "x"].contains(name) {
      #expect(after[name] == bytes, "\(line): \(name)")
    }
    // Files that the line itself makes are allowed; files of the command are not.
    #expect(!after.keys.contains { $0.hasSuffix(".part") || $0.hasSuffix(".html") }, "\(line)")
  }

  /// All commands compare files in the same way, so each pair of an input and an output gets two of the spellings. Long
  /// runs have all.
  @Test(arguments: commands) func outputsThatAreInputs(command: Command) throws {
    var random = SeededGenerator(named: "inputs of \(command.words)")
    let given = command.inputs.map { "\($0.option) \($0.file)" }.joined(separator: " ")
    for (_, file) in command.inputs {
      for option in command.outputs {
        let lines =
          Self.spellings.map { name, preparation in
            "f=\(file); rm -rf sub link hard there; \(preparation); exec \"$0\" \(command.words) \(given) \(option) \"\(name)\""
          } + [
            "exec \"$0\" \(command.words) \(given.replacing(file, with: "/dev/fd/3")) \(option) \(file) 3<\(file)"
          ]
        for line in lines.shuffled(using: &random).prefix(TestRounds.value(2)) { try expectRefused(line) }
      }
      for (option, name) in command.folders {
        let isPages = command.words.hasPrefix("report")
        let place = isPages ? "out-reports" : "out"
        for link in ["ln -s ../\(file)", "ln -s \"$PWD/\(file)\"", "ln \(file)"] {
          try expectRefused(
            "rm -rf \(place); mkdir \(place); \(link) \(place)/\(name); exec \"$0\" \(command.words) \(given) \(option) out\(isPages ? ".html" : "")"
          )
        }
      }
    }
  }

  /// Output that is appended to an input of the same command.
  @Test(arguments: commands.filter { !$0.inputs.isEmpty && $0.words != "recover" })
  func standardOutputIntoAnInput(command: Command) throws {
    let given = command.inputs.map { "\($0.option) \($0.file)" }.joined(separator: " ")
    let output = (command.outputs.first ?? command.folders.first?.option).map { "\($0) new" } ?? ""
    for (_, file) in command.inputs {
      try expectRefused("exec \"$0\" \(command.words) \(given) \(output) >>\(file)")
    }
  }

  @Test(arguments: [
    "stack - >>a.txt", "topology - >>a.txt", "assemble - -o a.txt", "topology b.rltrace --diff - >>a.txt",
  ]) func standardInput(command: String) throws {
    try expectRefused("exec \"$0\" \(command) <a.txt")
  }

  /// Files that a command writes must differ from standard output and standard error.
  @Test(arguments: [
    "gate a.rltrace --junit new >new", "analyze a.rltrace --html new >>new", "report a.rltrace -o new 2>new",
    "export a.rltrace -o out >out/gaps.csv", "record -o new.rltrace -- echo said >new.rltrace",
    "record -o new.rltrace --scenario s.yaml 2>new.rltrace",
  ]) func standardOutputAndAnOutput(command: String) throws {
    let result = try Program(shell: "mkdir out; exec \"$0\" \(command)").run(
      [Program.rltrace.path], folder: folder.path)
    #expect(result.status == 64, "\(result)")
    if !command.contains("2>") { #expect(result.errors.contains("would write the same file"), "\(result)") }
  }

  /// A spool and its partly written trace can only become a trace with another name.
  @Test func recover() throws {
    let made = try folder.shell(
      "env $(\"$0\" record --print-env -o out.rltrace | sed s/slots=[0-9]*/slots=4096/) \"$1\" timers 5")
    try #require(made.status == 0, "\(made.errors)")
    for preparation in ["ln out.rltrace.spool x", "ln -s out.rltrace.spool x"] {
      try expectRefused("rm -f x; \(preparation); exec \"$0\" recover out.rltrace.spool -o x")
    }
  }

  // MARK: Completeness of the table

  /// Options that do not name a file to read or write.
  private static let others: Set<String> = [
    "all", "allow-empty", "app-image", "base", "brief", "by", "clock", "codec", "color", "detector",
    "diff-index",
    "do", "duration",
    "events",
    "flight-recorder", "for", "force", "format", "formats", "frames", "from", "full", "gap-threshold", "help",
    "index",
    "keep",
    // Output is only appended to a log.
    "in", "interval", "level", "limit", "list", "log", "loops",
    "max-size", "max-slices", "min-duration", "mode", "new", "no-browser", "no-children", "no-symbols",
    "on", "on-gap", "once",
    "per-test", "print-budget", "print-env", "process", "profile-name",
    "queues",
    "quiet", "rank",
    "relevant",
    "rule", "sample", "seed", "set", "speed", "stall-signal", "stall-threshold", "stop", "strict", "symbols",
    "table",
    "thread",
    "time-scale", "time-unit", "timeout", "to", "tolerance", "version", "virtual", "watch", "without-names",
    "worth",
  ]

  private struct Help: Decodable {
    struct Command: Decodable {
      let commandName: String
      let shouldDisplay: Bool?
      let subcommands: [Command]?
      let arguments: [Argument]?
    }
    struct Argument: Decodable {
      struct Name: Decodable {
        let kind: String
        let name: String
      }
      let kind: String
      let names: [Name]?
      let valueName: String?
    }
    let command: Command
  }

  /// Returns the commands that read or write files.
  private static func commandsOfFiles() throws -> [Help.Command] {
    let result = try Program.rltrace.run(["--experimental-dump-help"])
    let help = try JSONDecoder().decode(Help.self, from: Data(result.output.utf8))
    let commands = (help.command.subcommands ?? []).filter {
      !["doctor", "explain", "help", "peer", "scenarios"].contains($0.commandName)
    }
    #expect(commands.count > 12)
    return commands
  }

  /// A new command joins the tests of all commands with such inputs.
  @Test func eachCommandIsInTheListsOfTests() throws {
    for command in try Self.commandsOfFiles() {
      let name = command.commandName
      let options = (command.arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
      let files = (command.arguments ?? []).filter {
        $0.names == nil && ["file", "files", "inputs"].contains($0.valueName)
      }
      if options.contains("strict") {
        #expect(StrictTests.readers.contains { $0[0] == name }, "StrictTests.readers lacks \(name)")
      }
      if !files.isEmpty {
        // A recording without a trace file can still be recovered.
        #expect(
          name == "recover" || WrongInputTests.commands.contains { $0[0] == name },
          "WrongInputTests.commands lacks \(name)")
        #expect(
          HostileNameTests.commands.contains { $0[0] == name }, "HostileNameTests.commands lacks \(name)")
      }
    }
  }

  @Test func eachOptionIsInTheTable() throws {
    for command in try Self.commandsOfFiles() {
      let rows = Self.commands.filter {
        $0.words.split(separator: " ").first.map(String.init) == command.commandName
      }
      #expect(!rows.isEmpty, "no row for \(command.commandName)")
      let known = Set(rows.flatMap { $0.inputs.map(\.option) + $0.outputs + $0.folders.map(\.option) })
      for argument in command.arguments ?? [] {
        let names = (argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
        let isOther = (argument.names ?? []).contains { Self.others.contains($0.name) }
        let isKnown =
          names.isEmpty
          ? known.contains("") || ["record", "watch"].contains(command.commandName)
          : !known.isDisjoint(with: names)
        #expect(isOther || isKnown || command.commandName == "recover", "\(command.commandName) \(names)")
      }
    }
  }
}
