import Foundation
import TestSupport
import Testing

/// docs/reference/commands has a page for each command with all its options, and lists all commands.
@Suite struct CommandPageTests {
  private struct Help: Decodable {
    struct Command: Decodable {
      let commandName: String
      let shouldDisplay: Bool
      let arguments: [Argument]?
      let subcommands: [Command]?
    }
    struct Argument: Decodable {
      struct Name: Decodable { let kind, name: String }
      let names: [Name]?
      let shouldDisplay: Bool
    }
    let command: Command
  }

  private func commands() throws -> [Help.Command] {
    let text = try Program.rltrace.run(["--experimental-dump-help"]).output
    let help = try JSONDecoder().decode(Help.self, from: Data(text.utf8))
    return (help.command.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  @Test func eachCommandHasAPage() throws {
    let index = try ProjectFiles.text("docs/reference/commands/README.md")
    let commands = try commands()
    #expect(commands.count >= 8)
    for command in commands {
      let name = command.commandName
      guard let page = try? ProjectFiles.text("docs/reference/commands/\(name).md") else {
        Issue.record("docs/reference/commands/\(name).md is missing")
        continue
      }
      #expect(page.hasPrefix("# rltrace \(name)\n"), "\(name)")
      #expect(
        index.contains("| [\(name)](\(name).md) |"), "commands/README.md does not list \(name)"
      )
      for inner in [command] + (command.subcommands ?? []) {
        for option in (inner.arguments ?? []).filter(\.shouldDisplay).flatMap({ $0.names ?? [] })
        where option.kind == "long" && option.name != "help" && option.name != "version" {
          #expect(
            page.contains("--\(option.name)"),
            "commands/\(name).md does not have --\(option.name)")
        }
      }
    }
  }

  @Test func eachPageBelongsToACommand() throws {
    let folder = ProjectFiles.root.appendingPathComponent("docs/reference/commands").path
    let names = Set(try commands().map { $0.commandName + ".md" } + ["README.md"])
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      #expect(names.contains(file), "docs/reference/commands/\(file) does not belong to a command")
    }
  }

  /// The help shows the choices as the user types them.
  @Test func defaultsAreShownAsTyped() throws {
    let help = try Program.rltrace.run(["help", "record"]).output
      .split(separator: /\s+/).joined(separator: " ")
    for value in ["default: zstd", "default: callouts", "default: 10ns", "default: cycle-counter"] {
      #expect(help.contains(value), "\(value)")
    }
  }
}
