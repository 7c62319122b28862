import Foundation
import TestSupport
import Testing

/// The help texts, and a command line that cannot be read.
@Suite struct HelpTests {
  private static let canHideProc =
    (try? Program(shell: "unshare -m mount -t tmpfs none /proc").run([]).status) == 0

  private struct Command: Decodable {
    let commandName: String
    let shouldDisplay: Bool
    let subcommands: [Command]?

    func paths(below path: [String]) -> [[String]] {
      guard shouldDisplay else { return [] }
      return [path] + (subcommands ?? []).flatMap { $0.paths(below: path + [$0.commandName]) }
    }
  }

  private struct Root: Decodable { let command: Command }

  /// Includes the usage lines, which the parser does not break.
  @Test(arguments: [80, 40]) func eachLineFits(columns: Int) throws {
    let text = try Program.rltrace.run(["--experimental-dump-help"]).output
    let paths = try JSONDecoder().decode(Root.self, from: Data(text.utf8)).command.paths(below: [])
    #expect(paths.count > 20)
    for path in paths {
      let help = try Program.rltrace.run(path + ["--help"], environment: ["COLUMNS": "\(columns)"])
      #expect(help.status == 0 && help.output.contains("USAGE: rltrace"), "\(path): \(help)")
      // A single long word, such as an example, may exceed a narrow terminal.
      let long = help.output.split(separator: "\n").filter { $0.count > 80 }
      #expect(long.isEmpty, "\(path)")
      let usage = help.output.drop { $0 != "U" }
      #expect(
        usage.matches(of: /USAGE: rltrace.*(\n  .*)*/).flatMap { $0.output.0.split(separator: "\n") }
          .filter { $0.count > max(columns, 60) } == [], "\(path)")
    }
  }

  /// `COMMAND --help` is answered without the parser.
  @Test(arguments: ["", "analyze", "record", "scenarios", "gate", "peer"])
  func bothWaysToAskForHelpAgree(command: String) throws {
    let path = command.isEmpty ? [] : [command]
    let short = try Program.rltrace.run(path + ["--help"])
    let parsed = try Program.rltrace.run(["help"] + path)
    #expect(short.status == 0 && short.output == parsed.output && short.errors.isEmpty, "\(short)")
  }

  /// The help of the root is made without the parser, and broken into lines as the parser does.
  @Test(arguments: [28, 50, 79, 80, 81, 133, 300]) func helpOfTheRoot(columns: Int) throws {
    let width = ["COLUMNS": "\(columns)"]
    let short = try Program.rltrace.run(["--help"], environment: width)
    let parsed = try Program.rltrace.run(["help"], environment: width)
    #expect(short.status == 0 && short.output == parsed.output && short.errors.isEmpty, "\(short)")
  }

  /// `--version` and completion scripts are the same after a command, and an unknown option is reported in one line.
  @Test func optionsOfTheRootAfterACommand() throws {
    let version = try Program.rltrace.run(["--version"]).output
    #expect(version.hasPrefix("rltrace "))
    #expect(try Program.rltrace.run(["analyze", "--version"]).output == version)
    #expect(try Program.rltrace.run(["record", "--version"]).output == version)
    let script = ["--generate-completion-script", "bash"]
    #expect(try Program.rltrace.run(["analyze"] + script).output == Program.rltrace.run(script).output)
    let unknown = try Program.rltrace.run(["info", "--no-such-option", "a.rltrace"])
    #expect(unknown.status == 64 && unknown.output.isEmpty, "\(unknown)")
    #expect(
      unknown.errors.contains("--no-such-option") && unknown.errors.contains("see `rltrace info --help`"),
      "\(unknown)")
  }

  /// The options stay complete when the usage is broken into lines.
  @Test func brokenUsageHasEachOption() throws {
    let help = try Program.rltrace.run(["help", "report"], environment: ["COLUMNS": "80"]).output
    let usage = try #require(help.firstMatch(of: /USAGE: (.*(?:\n  .*)*)/)).1
    #expect(usage.split(separator: "\n").count > 2)
    #expect(
      usage.split(separator: /\s+/).joined(separator: " ").hasPrefix(
        "rltrace report <files> ... [--output <output>] [--gap-threshold <duration>] [--profile <profile>]"))
  }

  @Test(.enabled(if: canHideProc, "needs the right to mount"))
  func withoutProc() throws {
    for words in ["analyze a.rltrace", "record ./a", "--help"] {
      let result = try Program(
        shell: "unshare -m bash -c 'mount -t tmpfs none /proc; \"$0\" $1' \"$0\" \"$1\""
      ).run(
        [Program.rltrace.path, words])
      #expect(result.status == 69 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
      #expect(result.errors.contains("mount /proc (`mount -t proc proc /proc`)"), "\(result.errors)")
    }
  }
}
